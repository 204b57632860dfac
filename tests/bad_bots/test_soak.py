"""A soak; `python -m tests.bad_bots.soak` is one of any length."""

from __future__ import annotations

import pytest

from tests.bad_bots.soak import MEMORY, MEMORY_SLACK, found_here, left_behind, run


@pytest.mark.docker
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("deals", [10, pytest.param(600, marks=pytest.mark.long)])
async def test_matches_with_bad_bots_leave_nothing_behind(deals: int) -> None:
    """Nothing that can be counted: this process has done too much before to tell anything by its memory."""
    tally, before, after = await run(deals, "short", warm_up=20)
    assert tally.deals == deals
    assert set(left_behind(before, after)) <= {MEMORY}, found_here(before, after)
    assert after["containers"] == after["sockets"] == after["folders"] == 0


def test_what_there_is_more_of_is_left_behind() -> None:
    before = {"containers": 1.0, MEMORY: 50.0}
    assert left_behind(before, {"containers": 2.0, MEMORY: 50.0 + MEMORY_SLACK}) == ["containers"]
    assert left_behind(before, {"containers": 0.0, MEMORY: 51.0 + MEMORY_SLACK}) == [MEMORY]

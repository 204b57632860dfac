"""While the referee stands still, no time passes for those whom it asks; tests/machine stops a real one."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.seats import fair_wait
from referee.seats.fair_wait import BEAT_SECONDS, STALL_SECONDS, StallSelector, StallTolerantLoop, loop_time


class Times:
    """A thread's clocks, moved by hand."""

    wall = 0.0
    cpu = 0.0


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
def selector(times: Times) -> StallSelector:
    made = StallSelector(lambda: times.wall, lambda: times.cpu)
    made.select(0)
    return made


@pytest.mark.parametrize(("stood", "counts"), [(STALL_SECONDS + 0.01, True), (STALL_SECONDS - 0.01, False)])
def test_time_in_which_the_thread_neither_works_nor_waits_is_a_standstill_unless_it_is_short(
    selector: StallSelector, times: Times, stood: float, counts: bool
) -> None:
    times.wall += stood
    selector.select(0)
    assert selector.stalled == pytest.approx(stood if counts else 0.0)


def test_a_standstill_in_the_midst_of_work_is_known_at_the_next_look_at_the_clock(
    selector: StallSelector, times: Times
) -> None:
    times.wall += 12.0
    times.cpu += 0.125
    assert selector.look() - selector.stalled == pytest.approx(0.125)
    times.wall += 0.125
    assert selector.look() - selector.stalled == pytest.approx(0.25)
    selector.select(0)
    assert selector.stalled == pytest.approx(11.875)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 20), st.floats(0, 1), st.booleans()), max_size=20))
def test_its_time_never_goes_back(moments: list[tuple[float, float, bool]]) -> None:
    times = Times()
    selector = StallSelector(lambda: times.wall, lambda: times.cpu)
    last = 0.0
    for passed, share, waits in moments:
        times.wall += passed
        times.cpu += passed * share
        if waits:
            selector.select(0)
        now = selector.look() - selector.stalled
        assert now > last - 1e-9
        last = now


def test_work_is_no_standstill(selector: StallSelector, times: Times) -> None:
    times.wall += 5.0
    times.cpu += 5.0
    selector.select(0)
    assert selector.stalled == 0.0


def test_a_long_wait_wakes_again_and_again_so_that_a_standstill_in_it_shows(selector: StallSelector) -> None:
    assert selector.select(3600) == []
    assert BEAT_SECONDS <= STALL_SECONDS


def test_the_loop_keeps_the_ordinary_time_but_for_standstills(monkeypatch: pytest.MonkeyPatch) -> None:
    watching = StallSelector()
    monkeypatch.setattr(fair_wait, "StallSelector", lambda: watching)

    async def measured() -> tuple[float, float, float]:
        await asyncio.sleep(0.05)
        return time.monotonic(), loop_time() + watching.stalled, time.monotonic()

    loop = StallTolerantLoop()
    try:
        before, now, after = loop.run_until_complete(measured())
    finally:
        loop.close()
    assert before <= now <= after

"""A small, fixed run of benchmarks/boards.py: boards take out luck. The seed is fixed, so it cannot flake."""

from __future__ import annotations

import pytest

from benchmarks.boards import TABLES, errors
from pigpen.rules import PRESETS, seed_from


@pytest.mark.parametrize("variant", ["hearts", "gongzhu", "chinese-hearts"])
def test_for_as_many_deals_boards_tell_a_bot_from_its_clone_far_more_sharply(variant: str) -> None:
    """With more than twice the error, single deals would have to be more than four times as many."""
    boards, deals = errors(PRESETS[variant], TABLES[0], 30, seed_from("luck"))
    assert deals > 2 * boards

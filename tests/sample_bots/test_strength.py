"""Small, fixed duels: the sample bots keep their order. The seed is fixed, so this cannot flake."""

from __future__ import annotations

import pytest

from benchmarks.duels import duel, load_bot
from pigpen.rules import PRESETS, seed_from


@pytest.mark.parametrize("variant", ["hearts", "gongzhu", "chinese-hearts"])
@pytest.mark.parametrize(("strong", "weak"), [("cautious", "random"), ("counting", "cautious")])
def test_the_stronger_bot_wins_by_more_than_twice_the_standard_error(variant: str, strong: str, weak: str) -> None:
    found = duel(PRESETS[variant], load_bot(strong), load_bot(weak), 60, seed_from("order"))
    mean, error = found.better()
    assert mean > 2 * error
    assert not found.faults


@pytest.mark.timeout(900)
@pytest.mark.parametrize("strong", ["sampling", "exact"])
def test_simulation_beats_counting_by_more_than_twice_the_standard_error(strong: str) -> None:
    found = duel(PRESETS["hearts-short"], load_bot(strong), load_bot("counting"), 12, seed_from("s"))
    mean, error = found.better()
    assert mean > 2 * error
    assert not found.faults

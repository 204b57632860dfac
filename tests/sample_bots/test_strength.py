"""Small, fixed duels: the sample bots keep their order. The seed is fixed, so this cannot flake."""

from __future__ import annotations

import pytest

from benchmarks.duels import duel, load_bot
from pigpen.rules import PRESETS, seed_from

LATER = pytest.mark.long
DUELS = [
    *[("cautious", "random", variant, 12) for variant in ("hearts", "gongzhu", "chinese-hearts")],
    ("counting", "cautious", "hearts-short", 24),
    pytest.param("counting", "cautious", "hearts", 60, marks=LATER),
    pytest.param("counting", "cautious", "chinese-hearts", 60, marks=LATER),
    pytest.param("counting", "cautious", "gongzhu", 60, marks=LATER),
]
"""The stronger bot, the weaker one, the variant, and how many boards tell them apart."""
SIMULATED = [
    ("sampling", 4),
    pytest.param("tree", 12, marks=LATER),
    pytest.param("exact", 12, marks=LATER),
]
"""Of fewer boards `exact` is not more than twice the standard error ahead; its endings have tests of their own."""


@pytest.mark.parametrize(("strong", "weak", "variant", "boards"), DUELS)
def test_the_stronger_bot_wins_by_more_than_twice_the_standard_error(
    strong: str, weak: str, variant: str, boards: int
) -> None:
    found = duel(PRESETS[variant], load_bot(strong), load_bot(weak), boards, seed_from("order"))
    mean, error = found.better()
    assert mean > 2 * error
    assert not found.faults


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("strong", "boards"), SIMULATED)
def test_simulation_beats_counting_by_more_than_twice_the_standard_error(strong: str, boards: int) -> None:
    found = duel(PRESETS["hearts-short"], load_bot(strong), load_bot("counting"), boards, seed_from("s"))
    mean, error = found.better()
    assert mean > 2 * error
    assert not found.faults

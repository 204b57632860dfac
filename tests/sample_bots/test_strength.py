"""A small, fixed run of benchmarks/strength.py: the bots keep their order. The seed is fixed, so it cannot flake."""

from __future__ import annotations

import pytest

from benchmarks.strength import advantages, load_bot, measure
from pigpen.rules import PRESETS, seed_from

DEALS = 200


@pytest.mark.parametrize("variant", ["hearts", "gongzhu", "chinese-hearts"])
@pytest.mark.parametrize(("strong", "weak"), [("cautious", "random"), ("counting", "cautious")])
def test_the_stronger_bot_wins_by_more_than_twice_the_standard_error(variant: str, strong: str, weak: str) -> None:
    rules = PRESETS[variant]
    values = advantages(rules, load_bot(strong), load_bot(weak), 2, range(DEALS), seed_from("order"))
    mean, error = measure(list(values))
    assert mean > 2 * error


def test_sampling_beats_counting_by_more_than_twice_the_standard_error() -> None:
    rules = PRESETS["hearts"]
    values = advantages(rules, load_bot("sampling"), load_bot("counting"), 2, range(40), seed_from("s"))
    mean, error = measure(list(values))
    assert mean > 2 * error

"""Training: the policy learns what is chosen, and is written as C."""

from __future__ import annotations

from bisect import bisect

import numpy as np
import pytest

from benchmarks.learning import WEIGHTS, Examples, decisions, learn, written
from pigpen.rules import PRESETS, seed_from
from pigpen.sim import native

FIRST = (0, 800, 1880, 2456)
"""The first number of each table; see learned.h."""


def test_it_learns_what_tells_chosen_cards_from_others() -> None:
    """Of two cards the one with the number 5 is chosen nine times in ten."""
    examples = Examples.of(
        [([(5, 900, 1900, 2500), (6, 900, 1900, 2500)], int(number % 10 == 0)) for number in range(40_000)]
    )
    logs = learn(examples)
    assert logs[5] - logs[6] == pytest.approx(np.log(9), abs=0.3)
    assert logs[900] == pytest.approx(0, abs=1e-6)
    assert examples.row(logs)[1:] == ("0.693", "0.325", "90 %")


@pytest.mark.skipif(native.engine() is None, reason="what it sees is computed by the engine in C")
@pytest.mark.parametrize("name", ["hearts", "gongzhu-partners", "gongzhu-five"])
def test_what_it_sees_lies_within_the_tables(name: str) -> None:
    engine = native.engine()
    assert engine
    found = [*decisions(engine, PRESETS[name], seed_from("few"), 1)]
    assert len(found) > 20
    for cards, chosen in found:
        assert 0 <= chosen < len(cards) > 1
        for numbers in cards:
            assert [bisect(FIRST, number) for number in numbers] == [1, 2, 3, 4]
            assert max(numbers) < WEIGHTS


def test_the_weights_that_are_compiled_are_as_many_as_the_tables_have() -> None:
    text = native.library("x86_64").with_name("weights.h").read_text()
    assert text.count("f,") == WEIGHTS
    assert written(np.zeros(WEIGHTS)).count("1.000f,") == WEIGHTS

"""Decoding of notes that were left in a counter."""

from __future__ import annotations

import random

from benchmarks.notes import of_positions
from benchmarks.noting.bot import NUMBERS

UNIT = 0.1


def left(moves: float, count: int) -> list[tuple[int, float]]:
    """Notes, and where a counter is found that has moved on by up to a tenth of a unit more than *moves* units."""
    chance = random.Random(count)
    notes = [chance.randrange(NUMBERS) for _ in range(count)]
    return [(note, 3e6 + UNIT * (note + moves + chance.random() / 10)) for note in notes]


def test_what_moves_on_by_a_typical_distance_is_read_and_one_step_more_is_told_apart() -> None:
    found = of_positions(left(70.3, 9), left(70.3, 20), UNIT)
    assert (found.whole, found.right) == ("20 of 20 notes, 20 within one step", 1.0)
    found = of_positions(left(70.3, 9), [*left(70.3, 10), *left(71.3, 5), *left(75.3, 5)], UNIT)
    assert found.whole == "10 of 20 notes, 15 within one step"


def test_a_counter_that_moves_on_at_random_tells_nothing() -> None:
    chance = random.Random(1)
    learn, use = ([(chance.randrange(NUMBERS), 1e6 * chance.random()) for _ in range(count)] for count in (9, 200))
    assert of_positions(learn, use, UNIT).bits < 0.5

"""Notes that a way carries: decoded from a counter, or from bits, some of them wrong."""

from __future__ import annotations

import random
import re

import pytest

from benchmarks.notes import of_positions
from benchmarks.noting.bot import NUMBERS
from benchmarks.passing import Round, decoded, information

UNIT = 0.1


def left(moves: float, count: int) -> list[tuple[int, float]]:
    """Notes, and where a counter is found that has moved on by up to a tenth of a unit more than *moves* units."""
    chance = random.Random(count)
    notes = [chance.randrange(NUMBERS) for _ in range(count)]
    return [(note, 3e6 + UNIT * (note + moves + chance.random() / 10)) for note in notes]


def test_what_moves_on_by_a_typical_distance_is_read_and_one_step_more_is_told_apart() -> None:
    found = of_positions(left(70.3, 9), left(70.3, 20), UNIT)
    assert (re.findall(r"\d+", found.whole), found.right) == (["20", "20", "20"], 1.0)
    found = of_positions(left(70.3, 9), [*left(70.3, 10), *left(71.3, 5), *left(75.3, 5)], UNIT)
    assert re.findall(r"\d+", found.whole) == ["10", "20", "15"]


def test_a_counter_that_moves_on_at_random_tells_nothing() -> None:
    chance = random.Random(1)
    learn, use = ([(chance.randrange(NUMBERS), 1e6 * chance.random()) for _ in range(count)] for count in (9, 200))
    assert of_positions(learn, use, UNIT).bits < 0.5


BITS = 52


def rounds(wrong: float, drift: float = 0.0) -> list[Round]:
    """Forty rounds, in which the share *wrong* of the bits is read wrong, and all times grow."""
    chance = random.Random("rounds")
    found: list[Round] = []
    for number in range(40):
        written = [chance.randrange(2) for _ in range(BITS)]
        read = [bit ^ (chance.random() < wrong) for bit in written]
        found.append((written, [5.0 * bit + chance.random() + drift * number for bit in read]))
    return found


def test_a_bit_that_is_always_right_tells_one_bit_and_one_that_is_guessed_tells_none() -> None:
    assert information([(0, False), (1, True)]) == pytest.approx(1.0)
    assert information([(0, False), (0, True), (1, False), (1, True)]) == pytest.approx(0.0)


@pytest.mark.parametrize("drift", [0.0, 100.0])
def test_all_bits_are_found_whether_times_drift_or_not(drift: float) -> None:
    assert decoded(rounds(wrong=0.0, drift=drift))["bits"] == pytest.approx(BITS, abs=0.5)


def test_what_is_left_of_bits_that_are_wrong_at_times_is_between() -> None:
    assert decoded(rounds(wrong=0.1))["bits"] == pytest.approx(0.53 * BITS, rel=0.15)


def test_noise_carries_no_more_than_chance() -> None:
    found = decoded(rounds(wrong=0.5))
    assert abs(found["bits"] - found["chance"]) < 0.5
    assert found["right"] == pytest.approx(0.5, abs=0.05)

"""Bits that a way carried: all of them, none, or those that are left when some are wrong."""

from __future__ import annotations

import random

import pytest

from benchmarks.passing import Round, decoded, information

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

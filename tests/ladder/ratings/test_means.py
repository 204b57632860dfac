"""Means of scores with their intervals, and favours between bots against what habits and seats explain."""

from __future__ import annotations

from random import Random
from statistics import fmean, stdev

import numpy as np
import pytest

from ladder.ratings.means import QUANTILE, Mean, favour

SIZES = [4, 5, 6]


def least_squares(given: list[list[float]], giver: int, receiver: int) -> float:
    """The same model, one column for each term, solved by numpy."""
    n = len(given)
    cells = [(i, j) for i in range(n) for j in range(n) if i != j]
    rows = []
    for i, j in cells:
        terms = [*(k == i for k in range(n)), *(k == j for k in range(n)), *(k == (j - i) % n for k in range(1, n))]
        rows.append([1.0, *map(float, terms), float((i, j) == (giver, receiver))])
    found, *_ = np.linalg.lstsq(np.array(rows), np.array([given[i][j] for i, j in cells]), rcond=None)
    return float(found[-1])


def table(n: int, rng: Random) -> list[list[float]]:
    return [[0.0 if i == j else rng.gauss(0, 10) for j in range(n)] for i in range(n)]


@pytest.mark.parametrize("n", SIZES)
def test_the_closed_form_is_the_least_squares_estimate(n: int) -> None:
    rng = Random(n)
    for _ in range(20):
        given = table(n, rng)
        giver, receiver = rng.sample(range(n), 2)
        assert favour(given, giver, receiver) == pytest.approx(least_squares(given, giver, receiver))


@pytest.mark.parametrize("n", SIZES)
def test_habits_and_seats_are_no_favour_and_what_is_added_to_one_pair_is(n: int) -> None:
    rng = Random(n)
    gives, takes, apart = ([rng.gauss(0, 10) for _ in range(n)] for _ in range(3))
    given = [[0.0 if i == j else gives[i] + takes[j] + apart[(j - i) % n] for j in range(n)] for i in range(n)]
    assert favour(given, 1, 3) == pytest.approx(0.0, abs=1e-9)
    given[1][3] += 7.0
    assert favour(given, 1, 3) == pytest.approx(7.0)
    assert favour(given, 3, 1) != pytest.approx(7.0)


def test_the_interval_of_many_means_holds_the_truth_in_95_of_100() -> None:
    rng = Random(1)
    inside = caught = 0
    for _ in range(2000):
        found = Mean.of([rng.gauss(3.0, 2.0) for _ in range(40)])
        inside += abs(found.value - 3.0) <= found.error
        caught += Mean.of([rng.gauss(0.0, 2.0) for _ in range(40)]).p < 0.05
    assert 0.93 < inside / 2000 < 0.96
    assert 0.04 < caught / 2000 < 0.07, "without an effect p is below 0.05 in about 5 of 100"


def test_sums_say_the_same_as_the_observations() -> None:
    values = [4.0, -1.5, 2.25, 0.0, 7.0]
    found = Mean.of(values)
    assert found.value == pytest.approx(fmean(values))
    assert found.standard_error == pytest.approx(stdev(values) / 5**0.5)
    assert found.error == pytest.approx(QUANTILE * found.standard_error)
    assert Mean.of_sums(5, sum(values), sum(each * each for each in values)) == pytest.approx(found)


def test_observations_that_are_all_equal_are_no_evidence() -> None:
    assert Mean.of([2.0] * 50) == (2.0, 0.0, 50)
    assert Mean.of([2.0] * 50).p == 1.0
    assert Mean.of([1e-16 * each for each in range(50)]).p == 1.0

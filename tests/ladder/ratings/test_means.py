from __future__ import annotations

from random import Random
from statistics import fmean, stdev

import pytest

from ladder.ratings.means import QUANTILE, Mean


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

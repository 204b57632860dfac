"""Information expected from matches, against the formula and the batch fit, and the matrix that it is taken from."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ladder.pairing.information import ChangedRows, Information
from ladder.ratings.batch import PRIOR, UNIT, WIDE, Estimate, fit, pair_weight
from ladder.ratings.elo import START


def test_rows_and_columns_are_those_of_a_matrix_that_is_written_into_and_copies_change_apart() -> None:
    rng = np.random.default_rng(2)
    start = rng.normal(size=(20, 20))
    start += start.T
    plain, changed, every = start.copy(), ChangedRows(start), np.arange(20)
    for _ in range(30):
        before, twin = plain.copy(), changed.copy()
        places = rng.permutation(20)[:3]
        rows = rng.normal(size=(3, 20))
        rows[:, places] += rows[:, places].T
        plain[places], plain[:, places] = rows, rows.T
        changed.replace(places, rows)
        assert np.array_equal(changed.read(every), plain)
        assert np.array_equal(changed.read(places[:1]), plain[places[:1]])
        assert np.array_equal(twin.read(every), before)


WEIGHT = pair_weight(4)
RATINGS = np.array([1560.0, 1540.0, 1400.0])
COVARIANCE = np.array([[900.0, 100.0, 0.0], [100.0, 1600.0, 50.0], [0.0, 50.0, 400.0]])


def known() -> Information:
    return Information((7, 8, 9), RATINGS, COVARIANCE.copy(), WEIGHT)


def every_gain(found: Information) -> np.ndarray:
    return found.gains(np.arange(len(found.versions)))


def some_fit(bots: int = 12, matches: int = 300) -> tuple[Estimate, tuple[np.ndarray, ...]]:
    """An estimate, and the pairs that it is of."""
    rng = np.random.default_rng(3)
    a = rng.integers(0, bots - 1, matches)
    b = a + rng.integers(1, bots - a)
    pairs = a, b, rng.integers(0, 2, matches).astype(float), np.ones(matches)
    return fit(range(bots), *pairs, WEIGHT), pairs


def test_the_gain_of_a_pair_is_that_of_the_formula() -> None:
    found = known()
    spread = 900 + 1600 - 2 * 100
    gain = math.exp(-(20**2) / spread / 2) * spread / (spread + 4 * UNIT**2 / WEIGHT)
    assert every_gain(found)[0, 1] == every_gain(found)[1, 0] == pytest.approx(gain)
    assert every_gain(found).diagonal().tolist() == [0, 0, 0]
    assert found.totals == pytest.approx(every_gain(found).sum(axis=1))


def test_two_that_are_surely_apart_gain_less_than_two_whose_order_is_open() -> None:
    found = known()
    assert every_gain(found)[0, 1] > 100 * every_gain(found)[0, 2] > 0


def test_a_match_that_is_expected_narrows_its_bots_as_the_fit_does_when_it_knows_the_result() -> None:
    estimate, (a, b, score, n) = some_fit()
    found = Information.of(estimate, range(12), WEIGHT)
    one, other = 2, 5
    before = every_gain(found)[one, other]
    found.expect((one, other), 4)
    better = fit(range(12), np.append(a, one), np.append(b, other), np.append(score, 0.5), np.append(n, 1.0), WEIGHT)
    for bot in (one, other):
        assert found.variances[bot] < estimate.covariance.item(bot, bot)
        assert found.variances[bot] == pytest.approx(better.covariance.item(bot, bot), rel=0.02)
    assert every_gain(found)[one, other] < before


def test_totals_and_both_halves_of_the_gains_keep_up_with_expected_matches() -> None:
    found = Information.of(some_fit()[0], range(12), WEIGHT)
    for table in ((0, 1, 2, 3), (3, 4, 5, 6), (0, 6, 11, 7)):
        found.expect(table, 4)
    assert found.totals == pytest.approx(every_gain(found).sum(axis=1))
    assert np.allclose(every_gain(found), every_gain(found).T, rtol=1e-12)


def test_nearness_to_the_boundary_and_gains_by_it_keep_up_with_expected_matches() -> None:
    found = Information.of(some_fit()[0], range(12), WEIGHT)
    assert found.near(0) is None
    assert found.near(12) is None
    kept = found.near(5)
    assert kept is not None
    twin = found.copy()
    for table in ((0, 1, 2, 3), (3, 4, 5, 6), (0, 6, 11, 7)):
        twin.expect(table, 4)
    highest = np.sort(twin.ratings)[::-1]
    nearness = np.exp(-((twin.ratings - highest[4:6].mean()) ** 2) / (2 * twin.variances))
    near, totals = twin.near(5) or ((), ())
    assert near == pytest.approx(nearness)
    assert totals == pytest.approx(every_gain(twin) @ nearness)
    assert kept[1] == pytest.approx(every_gain(found) @ kept[0])
    assert kept[1] != pytest.approx(totals)


def test_a_longer_match_teaches_more() -> None:
    short, long = known(), known()
    short.expect((7, 8), 1)
    long.expect((7, 8), 16)
    assert long.variances[0] < short.variances[0] < 900


def test_a_bot_that_is_not_known_here_changes_nothing_alone() -> None:
    found = known()
    found.expect((7, 99), 4)
    assert found.variances.tolist() == [900, 1600, 400]


def test_a_copy_is_changed_apart() -> None:
    found = known()
    twin = found.copy()
    twin.expect((7, 8, 9), 4)
    assert found.variances.tolist() == [900, 1600, 400]
    assert found.totals == pytest.approx(known().totals)
    assert twin.variances[0] < 900


def test_a_bot_that_the_estimate_lacks_is_known_as_before_its_first_match() -> None:
    estimate = some_fit()[0]
    found = Information.of(estimate, (3, 0, 77), WEIGHT)
    assert found.ratings.tolist() == [estimate.ratings[3], estimate.ratings[0], START]
    assert found.errors[2] == max(found.errors)
    assert found.errors[0] < 200 < found.errors[2]
    nothing = Information.of(None, (3, 0, 77), WEIGHT)
    assert nothing.ratings.tolist() == [START] * 3
    assert nothing.errors == pytest.approx(np.full(3, WIDE * PRIOR * math.sqrt(2 / 3)))


def test_it_says_about_how_many_matches_a_bot_needs() -> None:
    found = Information.of(None, range(50), WEIGHT)
    assert found.matches_until(120.0, 4).round().tolist() == [16.0] * 50
    assert found.matches_until(500.0, 4).tolist() == [0.0] * 50
    assert found.matches_until(120.0, 2)[0] > found.matches_until(120.0, 4)[0]

from __future__ import annotations

import itertools
import math
from random import Random
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from ladder.ratings.batch import PRIOR, UNIT, WIDE, Estimate, fit, pair_weight
from ladder.ratings.elo import START, expected
from tests.rules.players import some

Pair = tuple[int, int, float, float]
"""Two versions, the score of the first, their matches."""


def fitted(versions: list[int], pairs: list[Pair], weight: float = 1.0) -> Estimate:
    a, b = (np.array([pair[place] for pair in pairs], dtype=np.int64) for place in (0, 1))
    score, n = (np.array([float(pair[place]) for pair in pairs]) for place in (2, 3))
    return fit(versions, a, b, score, n, weight)


def rating(estimate: Estimate, version: int) -> float:
    return float(estimate.ratings[estimate.versions.tolist().index(version)])


def pairs_among(count: int) -> st.SearchStrategy[list[Pair]]:
    """Results of some pairs of the versions 1 … count."""
    share = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0])
    result = st.tuples(
        st.sampled_from(list(itertools.permutations(range(1, count + 1), 2))), share, st.integers(0, 500)
    )
    return st.lists(result.map(lambda one: (*one[0], one[1] * one[2], float(one[2]))), max_size=12)


def test_two_bots_stand_where_the_slope_of_the_posterior_is_zero() -> None:
    estimate = fitted([1, 2], [(1, 2, 75.0, 100.0)])
    strong, weak = rating(estimate, 1), rating(estimate, 2)
    assert strong + weak == 2 * 1500
    pull = (strong - 1500) * UNIT / PRIOR**2
    assert 75 - 100 * expected(strong, weak) == pytest.approx(pull, abs=1e-4)


def test_many_matches_leave_nothing_to_the_prior() -> None:
    estimate = fitted([1, 2], [(1, 2, 10e6, 11e6)])
    assert rating(estimate, 1) - rating(estimate, 2) == pytest.approx(400, abs=0.01)
    assert estimate.error(1) < 0.3


def test_the_covariance_is_what_the_curvature_says() -> None:
    """Two equal bots: 1 / (n / 4 + prior / 2) is the variance of their difference in units of θ."""
    estimate = fitted([1, 2], [(1, 2, 50.0, 100.0)])
    variance = UNIT**2 / (100 / 4 + (UNIT / PRIOR) ** 2 / 2)
    assert estimate.error(1) == pytest.approx(WIDE * math.sqrt(variance) / 2)
    assert estimate.los(1, 2) == pytest.approx(0.5)


def test_bots_that_never_played_are_known_by_the_prior_alone() -> None:
    estimate = fitted([5, 6, 7], [])
    assert estimate.ratings.tolist() == [1500, 1500, 1500]
    assert estimate.error(6) == pytest.approx(WIDE * PRIOR * math.sqrt(2 / 3))
    assert estimate.ranks(6) == (1, 3)
    assert estimate.los(5, 7) == 0.5


def test_no_bots_and_one_bot_are_estimates_too() -> None:
    assert fitted([], []).ratings.tolist() == []
    alone = fitted([9], [])
    assert (rating(alone, 9), alone.error(9), alone.ranks(9)) == (1500, 0, (1, 1))


def test_groups_that_never_met_are_far_better_known_inside_than_across() -> None:
    estimate = fitted([1, 2, 3, 4], [(1, 2, 550.0, 1000.0), (3, 4, 450.0, 1000.0)])
    assert estimate.los(1, 2) > 0.99
    assert 0.5 < estimate.los(1, 3) < 0.6
    assert estimate.ranks(1) == (1, 3)


@some
@given(pairs_among(4))
def test_ratings_have_a_mean_of_1500_and_errors_know_it(pairs: list[Pair]) -> None:
    estimate = fitted([1, 2, 3, 4], pairs)
    assert float(np.mean(estimate.ratings)) == pytest.approx(1500)
    assert estimate.rows(np.arange(4)).sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-6)


@some
@given(pairs_among(4))
def test_no_rating_near_the_fitted_ones_is_more_likely(pairs: list[Pair]) -> None:
    estimate = fitted([1, 2, 3, 4], pairs)

    def loss(ratings: list[float]) -> float:
        total = sum((one - 1500) ** 2 for one in ratings) / (2 * PRIOR**2)
        for a, b, score, n in pairs:
            hope = expected(ratings[a - 1], ratings[b - 1])
            total -= score * math.log(hope) + (n - score) * math.log(expected(ratings[b - 1], ratings[a - 1]))
        return total

    best = estimate.ratings.tolist()
    for place, off in itertools.product(range(4), (-1.0, 1.0)):
        assert loss([one + off * (number == place) for number, one in enumerate(best)]) > loss(best)


@some
@given(pairs_among(4), st.randoms(use_true_random=False))
def test_neither_order_nor_parts_nor_side_of_the_pairs_matter(pairs: list[Pair], rng: Random) -> None:
    mixed = [
        part
        for a, b, score, n in pairs
        for part in ((b, a, n / 2 - score / 2, n / 2), (a, b, score / 2, n / 2))
    ]  # fmt: skip
    rng.shuffle(mixed)
    one, other = fitted([1, 2, 3, 4], pairs), fitted([4, 2, 1, 3], mixed)
    for version in (1, 2, 3, 4):
        assert rating(one, version) == pytest.approx(rating(other, version), abs=1e-3)
        assert one.error(version) == pytest.approx(other.error(version), abs=1e-3)


def test_a_bot_that_always_wins_does_not_run_away() -> None:
    estimate = fitted([1, 2, 3], [(1, 2, 1e6, 1e6), (2, 3, 1e6, 1e6)])
    assert 3000 < rating(estimate, 1) < 5000
    assert estimate.los(1, 3) == pytest.approx(1)


def test_half_the_weight_is_as_good_as_half_the_matches() -> None:
    weighted = fitted([1, 2], [(1, 2, 30.0, 40.0)], weight=0.5)
    halved = fitted([1, 2], [(1, 2, 15.0, 20.0)])
    assert weighted.ratings == pytest.approx(halved.ratings)
    assert weighted.covariance == pytest.approx(halved.covariance)


@pytest.mark.parametrize("sides", [2, 3, 4, 5])
def test_the_weight_of_a_pair_is_what_its_dependence_on_the_others_leaves(sides: int) -> None:
    """Over all orders of equal sides, beaten opponents vary 1 / weight times as much as heads of n − 1 coins."""
    beaten = [order.index(0) for order in itertools.permutations(range(sides))]
    assert np.var(beaten) == pytest.approx((sides - 1) / 4 / pair_weight(sides))


def test_likelihood_of_superiority_is_the_normal_integral_of_the_lead() -> None:
    covariance = np.array([[300.0, -100.0, -200.0], [-100.0, 200.0, -100.0], [-200.0, -100.0, 300.0]])
    estimate = Estimate(np.array([1, 2, 3]), np.array([1520.0, 1500.0, 1480.0]), covariance)
    assert estimate.los(1, 2) == pytest.approx(NormalDist().cdf(20 / math.sqrt(300 + 200 + 2 * 100)))
    assert estimate.los(2, 1) == pytest.approx(1 - estimate.los(1, 2))
    assert estimate.error(2) == pytest.approx(1.96 * math.sqrt(200), abs=0.01)


def test_a_rank_interval_counts_who_is_surely_better_and_surely_worse() -> None:
    covariance = np.diag([100.0] * 5)  # a difference of 28 is two standard errors
    ratings = np.array([1600.0, 1590.0, 1570.0, 1540.0, 1200.0])
    estimate = Estimate(np.array([1, 2, 3, 4, 5]), ratings, covariance)
    assert [estimate.ranks(version) for version in range(1, 6)] == [(1, 2), (1, 3), (2, 3), (4, 4), (5, 5)]


def test_retired_bots_take_no_rank_and_move_the_mean_of_no_others() -> None:
    pairs = [(1, 2, 60.0, 100.0), (2, 3, 60.0, 100.0), (3, 4, 60.0, 100.0), (1, 4, 80.0, 100.0)]
    whole = fitted([1, 2, 3, 4], pairs)
    part = whole.among([4, 2])
    assert part.versions.tolist() == [4, 2]
    assert float(np.mean(part.ratings)) == pytest.approx(1500)
    assert part.los(2, 4) == pytest.approx(whole.los(2, 4))
    assert part.ranks(4) == (2, 2)
    assert part.rows(np.arange(2)).sum(axis=0) == pytest.approx(np.zeros(2))
    assert part.error(2) < whole.error(2)


def test_an_estimate_survives_its_bytes() -> None:
    estimate = fitted([11, 7, 30], [(7, 11, 60.0, 100.0), (11, 30, 20.0, 50.0)])
    read = Estimate.from_bytes(memoryview(estimate.to_bytes()))
    assert read.versions.tolist() == [11, 7, 30]
    assert read.ratings.tolist() == estimate.ratings.tolist()
    for version in (7, 11, 30):
        assert read.error(version) == pytest.approx(estimate.error(version), rel=1e-6)
        assert read.ranks(version) == estimate.ranks(version)
    assert read.los(7, 30) == pytest.approx(estimate.los(7, 30))
    assert fitted([], []).to_bytes() == Estimate.from_bytes(fitted([], []).to_bytes()).to_bytes()


def test_a_thousand_bots_are_four_megabytes_and_read_without_a_copy() -> None:
    versions, covariance = np.arange(1000), np.eye(1000)
    blob = Estimate(versions, np.linspace(1000, 2000, 1000), covariance).to_bytes()
    assert len(blob) <= 4.1e6
    read = Estimate.from_bytes(blob)
    assert isinstance(read.covariance, np.ndarray)
    assert not read.covariance.flags.owndata
    assert read.ranks(999) == (1, 3)


@pytest.mark.parametrize("blob", [b"", b"short", b"\x02" + bytes(30), b"\xff" * 8, fitted([1], []).to_bytes() + b"\0"])
def test_a_blob_of_another_length_is_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match=f"{len(blob)} bytes is no estimate"):
        Estimate.from_bytes(blob)


def test_matches_of_a_version_that_is_not_rated_are_refused() -> None:
    with pytest.raises(ValueError, match=r"not to be rated: \[3, 8\]"):
        fitted([1, 2], [(1, 2, 1.0, 1.0), (8, 2, 1.0, 1.0), (3, 1, 1.0, 1.0)])
    with pytest.raises(ValueError, match=r"not to be rated: \[1\]"):
        fitted([], [(1, 2, 1.0, 1.0)])
    with pytest.raises(KeyError):
        fitted([1, 2], []).error(3)


def test_a_fit_takes_one_core_and_leaves_the_others_to_the_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []
    inverse = np.linalg.inv

    def inv(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.floating]:
        used.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return inverse(matrix)

    monkeypatch.setattr(np.linalg, "inv", inv)
    fitted([1, 2], [(1, 2, 1.0, 2.0)])
    assert set(used) == {1}


@some
@given(st.integers(0, 2**32 - 1))
def test_most_true_ratings_lie_within_the_error(seed: int) -> None:
    """A narrow check of sense; benchmarks/calibration.py measures the share."""
    rng = np.random.default_rng(seed)
    true = rng.normal(0, PRIOR, 20)
    pairs: list[Pair] = []
    for a, b in itertools.combinations(range(20), 2):
        pairs.append((a, b, float(rng.binomial(50, expected(true[a], true[b]))), 50.0))
    estimate = fitted(list(range(20)), pairs)
    off = estimate.ratings - 1500 - (true - true.mean())
    within = sum(abs(float(off[version])) <= estimate.error(version) for version in range(20))
    assert within >= 10


def mixed_lengths(seed: int, bots: int = 12, matches: int = 600) -> tuple[npt.NDArray[Any], list[npt.NDArray[Any]]]:
    """True ratings; and versions a and b, scores, counts and boards of duels in which more boards have less luck."""
    rng = np.random.default_rng(seed)
    true = rng.normal(START, PRIOR, bots)
    a = rng.integers(0, bots, matches)
    b = (a + rng.integers(1, bots, matches)) % bots
    boards = rng.choice([1, 4, 16], matches)
    chances = [expected(true[x], true[y], n) for x, y, n in zip(a, b, boards.tolist(), strict=True)]
    return true, [a, b, rng.binomial(1, chances).astype(float), np.ones(matches), boards]


def test_the_error_holds_where_matches_have_different_lengths() -> None:
    """Of 60 fields of 12 bots, 95 of 100 true ratings lie within the ±, within three standard errors of that share."""
    within = []
    for seed in range(60):
        true, (a, b, score, n, boards) = mixed_lengths(seed)
        found = fit(range(len(true)), a, b, score, n, 1.0, np.sqrt(boards / 4))
        off = found.ratings - START - (true - true.mean())
        within += [abs(miss) <= found.error(bot) for bot, miss in enumerate(off)]
    assert np.mean(within) == pytest.approx(0.95, abs=3 * (0.95 * 0.05 / len(within)) ** 0.5 + 0.005)


def test_ratings_are_nearer_to_the_truth_when_the_lengths_are_known() -> None:
    misses = []
    for seed in range(30):
        true, (a, b, score, n, boards) = mixed_lengths(seed)
        fits = [fit(range(len(true)), a, b, score, n, 1.0, steep) for steep in (np.sqrt(boards / 4), 1.0)]
        misses.append([float(np.mean((each.ratings - START - (true - true.mean())) ** 2)) for each in fits])
    known, unknown = np.mean(misses, axis=0)
    assert known < 0.9 * unknown


def test_four_times_the_boards_are_worth_four_matches_of_equals() -> None:
    pair = np.array([1]), np.array([2])
    many, long = (
        fit([1, 2], *pair, np.array([n / 2]), np.array([n]), 1.0, steepness)
        for n, steepness in ((400.0, 1.0), (100.0, 2.0))
    )
    assert long.error(1) == pytest.approx(many.error(1))

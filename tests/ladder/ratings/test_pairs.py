"""Noise and interactions of single pairs: found where they are, and not where they are not."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from ladder.ratings.batch import PRIOR, Estimate, fit, pair_weight
from ladder.ratings.elo import steepness
from ladder.ratings.pairs import PairIndex, _digamma, _trigamma, bounded, decisive, interactions, own_variances
from ladder.ratings.points import PairSums, fit_points

FloatArray = npt.NDArray[np.float64]


def test_rows_in_parts_and_in_either_order_belong_to_one_pair() -> None:
    index = PairIndex.of(np.array([2, 0, 1, 2]), np.array([1, 3, 2, 1]), 4)
    assert (index.a.tolist(), index.b.tolist()) == ([0, 1], [3, 2])
    assert index.summed(np.array([1.0, 10.0, 2.0, 4.0])).tolist() == [10, 7]
    assert index.summed_leads(np.array([1.0, 10.0, 2.0, 4.0])).tolist() == [10, -3]
    assert index.at_ends(np.array([10.0, 7.0])).tolist() == [10, 7, 7, 10]


def test_the_derivatives_of_the_logarithm_of_the_gamma_function_are_those_of_tables() -> None:
    assert _digamma(np.array([0.5, 1.0, 10.0])) == pytest.approx([-1.9635100260, -0.5772156649, 2.2517525890], abs=1e-7)
    assert _trigamma(np.array([0.5, 1.0, 10.0])) == pytest.approx([4.9348022005, 1.6449340668, 0.1051663357], abs=1e-7)


def test_the_weight_of_a_pair_has_a_bound() -> None:
    assert bounded(np.array([0.0, 1.0, 1e9]), 0.25) == pytest.approx([0.0, 0.8, 4.0])
    assert bounded(np.array([1.0, 1e9]), 0.0).tolist() == [1, 1e9]


def drawn_pairs(seed: int, spread: float, boards: int = 40, bots: int = 20) -> tuple[PairIndex, FloatArray]:
    """All pairs, and their differences in noise of variance 1 a board, with interactions of this deviation."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(bots, 1)
    strengths = rng.normal(0, 1, bots)
    leads = strengths[a] - strengths[b] + rng.normal(0, spread, len(a)) + rng.normal(0, boards**-0.5, len(a))
    return PairIndex.of(a, b, bots), leads


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.3])
def test_interactions_are_found_as_large_as_they_are(spread: float) -> None:
    def found(seed: int) -> float:
        index, leads = drawn_pairs(seed, spread)

        def residuals(weights: FloatArray) -> FloatArray:
            laplacian = np.zeros((20, 20))
            for a, b, weight in zip(index.a, index.b, weights, strict=True):
                laplacian[[a, b], [a, b]] += weight
                laplacian[[a, b], [b, a]] -= weight
            won = np.bincount(index.a, weights * leads, 20) - np.bincount(index.b, weights * leads, 20)
            return leads - index.apart(np.linalg.pinv(laplacian) @ won)

        return interactions(index, np.full(len(leads), 40.0), 1.0, residuals)

    assert np.mean([found(seed) for seed in range(20)]) == pytest.approx(spread**2, abs=0.0015 + 0.05 * spread**2)


def test_the_variance_of_a_pair_is_that_of_all_where_all_are_alike_and_its_own_where_they_differ() -> None:
    rng = np.random.default_rng(3)
    true = np.ones((2, 200))
    true[1, :100] = 100.0
    same, other = (
        own_variances(np.full(200, 30.0), values.sum(axis=0), (values**2).sum(axis=0), 50.0)
        for values in (rng.normal(0, np.sqrt(each), (30, 200)) for each in true)
    )
    assert same == pytest.approx(true[0], rel=0.3)
    assert np.ptp(same) < 0.5
    assert np.median(other[:100]) == pytest.approx(100, rel=0.2)
    assert np.median(other[100:]) == pytest.approx(1, rel=0.2)


def test_few_boards_have_the_variance_of_all() -> None:
    assert own_variances(np.array([1.0, 2.0]), np.zeros(2), np.array([0.0, 8.0]), 7.0).tolist() == [7, 7]


def results(ties: float, n: float = 200.0) -> Estimate:
    """Two pairs of even scores, one of which ties *ties* times."""
    ids, score = np.array([1, 3]), np.full(2, n / 2)
    return fit([1, 2, 3, 4], ids, ids + 1, score, np.full(2, n), 1.0, steepness(1), ties=np.array([ties, 0.0]))


def test_a_pair_that_ties_again_and_again_is_known_better_and_so_teaches_less() -> None:
    def variance(found: Estimate, a: int, b: int) -> float:
        return found.covariance.item(a, a) + found.covariance.item(b, b) - 2 * found.covariance.item(a, b)

    never, half, always = (variance(results(ties), 0, 1) for ties in (0.0, 100.0, 200.0))
    assert always < 0.05 * never < never > 1.6 * half
    assert variance(results(200.0), 2, 3) == pytest.approx(never)
    assert decisive(np.array([200.0]), np.array([200.0]))[0] == pytest.approx(4 / 204)


def of_pairs(
    bots: int, strengths: FloatArray, over: FloatArray, boards: FloatArray, noise: float, alike: bool
) -> Estimate | None:
    """Fit margins of pairs whose means have no luck in them, and whose squares have that of *noise*."""
    a, b = np.triu_indices(bots, 1)
    leads, n = strengths[a] - strengths[b] + over[a, b], boards[a, b]
    pairs = PairSums(a, b, n, n * leads, n * leads**2 + (n - 1) * 2 * noise**2)
    return fit_points(range(bots), pairs, 2, alike=alike)


def test_no_number_of_boards_makes_a_pair_count_for_more_than_its_interaction_lets_it() -> None:
    """Bots 0 and 1 are equal against all others, but the one beats the other, whom it meets most often."""
    bots = 12
    rng = np.random.default_rng(5)
    over = np.triu(rng.normal(0, 5, (bots, bots)), 1)
    over[0], over[:, 0], over[1], over[:, 1] = 0.0, 0.0, 0.0, 0.0
    over[0, 1], boards = 20.0, np.full((bots, bots), 400.0)
    boards[0, 1] = 40_000.0
    found, alike = (of_pairs(bots, np.zeros(bots), over - over.T, boards, 30.0, alike) for alike in (False, True))
    assert found is not None
    assert alike is not None
    assert alike.value(0) - alike.value(1) > 15
    assert found.value(0) - found.value(1) < 5


@pytest.mark.parametrize("max_dense", [2000, 10])
def test_the_covariance_knows_interactions_in_both_forms_and_its_rows_add_up_to_nothing(max_dense: int) -> None:
    rng = np.random.default_rng(8)
    bots = 40
    strengths, over = rng.normal(0, 10, bots), np.triu(rng.normal(0, 6, (bots, bots)), 1)
    rows = list(combinations(range(bots), 2))
    a, b = (np.array(each) for each in zip(*rows, strict=True))
    leads = strengths[a] - strengths[b] + over[a, b] + rng.normal(0, 30 * 2**0.5 / 20, len(a))
    pairs = PairSums(a, b, np.full(len(a), 400.0), 400 * leads, 400 * leads**2 + 399 * 2 * 30.0**2)
    found = fit_points(range(bots), pairs, 2, max_dense)
    assert found is not None
    matrix = found.rows(np.arange(bots))
    assert matrix.sum(axis=0) == pytest.approx(np.zeros(bots), abs=1e-4)
    assert np.linalg.eigvalsh(matrix).min() > -0.05 * matrix.diagonal().mean()
    # All pairs have met as often: the mean of a bot's interactions belongs to its margin, so noise alone is left.
    assert matrix.diagonal() == pytest.approx(np.full(bots, 30.0**2 * 2 / 400 / bots), rel=0.25)


def test_the_same_pairs_give_the_same_numbers_to_the_bit_in_whatever_order_they_are_read() -> None:
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(30, 1)
    n = rng.integers(1, 50, len(a)).astype(float)
    score, order = np.round(n * rng.random(len(a)) * 2) / 2, rng.permutation(len(a))
    ties = np.minimum(score, n - score) // 2
    once, again = (fit(range(30), a, b, score, n, pair_weight(4), steepness(1), ties=ties) for _ in range(2))
    mixed = fit(
        range(30), a[order], b[order], score[order], n[order], pair_weight(4), steepness(1), ties=ties[order]
    )  # fmt: skip
    assert once.to_bytes() == again.to_bytes()
    assert mixed.ratings == pytest.approx(once.ratings, abs=1e-3)
    assert once.error(0) < 2 * PRIOR

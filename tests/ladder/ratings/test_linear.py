"""Inverses by blocks and conjugate gradients give what numpy gives; and a fit with them what one without them gives."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ladder.ratings import linear
from ladder.ratings.batch import CLOSE, UNIT, _Pairs, centred, fit, pair_weight
from ladder.ratings.elo import START
from ladder.ratings.linear import FEW, SINGLE_ERROR, SMALL, centred_inverse, groups, inverse, solve, spectra
from ladder.ratings.sprt import ELO, MIN_DIFFERING, Hypotheses, MeanEstimate, SequentialTest, SprtDecision

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.ratings.batch import FloatArray


def positive(count: int, seed: int) -> FloatArray:
    factor = np.random.default_rng(seed).normal(size=(count, count + 5))
    return np.asarray(factor @ factor.T / count + 0.1 * np.eye(count))


@pytest.mark.parametrize("count", [0, 1, 2, SMALL, SMALL + 1, 2 * SMALL + 3])
def test_the_inverse_by_blocks_is_symmetric_and_an_inverse(count: int) -> None:
    matrix = positive(count, count)
    found = inverse(matrix)
    assert np.allclose(found @ matrix, np.eye(count), atol=1e-9)
    assert np.allclose(found, found.T, atol=1e-12)


def laplacian(count: int, seed: int, parts: int = 1, bridge: float = 0.0) -> FloatArray:
    """Of a graph in parts of even size, in which each node meets 30 others; a bridge joins each part to the first."""
    rng, size = np.random.default_rng(seed), count // parts
    off = np.zeros((count, count))
    for start in range(0, count, size):
        a, b = start + rng.integers(0, size, (2, 30 * size))
        np.add.at(off, (a[a != b], b[a != b]), 1.0)
        off[0, start] += bridge * (start > 0)
    off += off.T
    return np.asarray(np.diag(off.sum(axis=1)) - off)


def centred_by_numpy(matrix: FloatArray) -> FloatArray:
    return centred(centred(np.linalg.inv(matrix)).T)


@pytest.mark.parametrize("ridge", [0.01, 0.75, 50.0])
def test_three_hundred_nodes_have_the_same_centred_inverse_in_single_precision(
    monkeypatch: pytest.MonkeyPatch, ridge: float
) -> None:
    monkeypatch.setattr(linear, "SINGLE_ROWS", 300)
    matrix = laplacian(300, 4) + ridge * np.eye(300)
    found, right = centred_inverse(matrix), centred_by_numpy(matrix)
    assert found.dtype == np.float32
    assert np.allclose(found, right, rtol=0, atol=SINGLE_ERROR * right.max())
    assert np.allclose(found.diagonal(), right.diagonal(), rtol=SINGLE_ERROR, atol=0)


@pytest.mark.parametrize("bridge", [0.0, 1e-3])
def test_a_graph_that_nearly_falls_apart_is_inverted_in_double_precision(
    monkeypatch: pytest.MonkeyPatch, bridge: float
) -> None:
    monkeypatch.setattr(linear, "SINGLE_ROWS", 300)
    matrix = laplacian(300, 4, 3, bridge) + 1e-4 * np.eye(300)
    found, right = centred_inverse(matrix), centred_by_numpy(matrix)
    assert found.dtype == np.float64
    assert np.allclose(found, right, rtol=0, atol=SINGLE_ERROR * right.max())


@pytest.mark.parametrize("tolerance", [1e-3, 1e-9])
def test_conjugate_gradients_end_where_the_rest_is_small_enough(tolerance: float) -> None:
    matrix, right = positive(120, 7), np.random.default_rng(8).normal(size=120)
    found = solve(lambda values: matrix @ values, matrix.diagonal().copy(), right, tolerance)
    assert np.linalg.norm(matrix @ found - right) <= 1.01 * tolerance * np.linalg.norm(right)


def test_there_is_nothing_to_solve_where_the_right_side_is_0() -> None:
    assert not solve(lambda values: values, np.ones(3), np.zeros(3), 1e-3).any()


def test_three_hundred_bots_stand_where_dense_steps_and_a_plain_inverse_put_them() -> None:
    rng = np.random.default_rng(9)
    strength = rng.normal(0.0, 1.0, 300)
    a, b = (each.astype(np.int64) for each in rng.integers(0, 300, (2, 20_000)))
    a, b = a[a != b], b[a != b]
    score = (rng.random(len(a)) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    n, steep = np.ones(len(a)), rng.choice([0.5, 1.0, 2.0], len(a))
    found = fit(range(300), a, b, score, n, pair_weight(4), steep)

    pairs = _Pairs(a, b, pair_weight(4) * score, pair_weight(4) * n, steep, 300)
    theta, length = np.zeros(300), math.inf
    while length >= CLOSE:
        step = np.linalg.solve(pairs.hessian(theta), pairs.gradient(theta))
        theta, length = theta - step, float(np.max(np.abs(step)))
    covariance = UNIT**2 * np.linalg.inv(pairs.hessian(theta))
    assert np.allclose(found.ratings, START + centred(UNIT * theta), rtol=0, atol=1e-6)
    assert np.allclose(found.rows(np.arange(300)), centred(centred(covariance).T), rtol=0, atol=1e-6 * covariance.max())


@pytest.mark.parametrize("count", [1, 9, 200])
def test_the_nodes_of_a_path_are_one_group_and_others_groups_of_their_own(count: int) -> None:
    """In a shuffled order, so that the smallest node has far to go."""
    nodes = np.random.default_rng(count).permutation(count)
    found = groups(nodes[1:], nodes[:-1], count + 2)
    assert found.tolist() == [0] * count + [count, count + 1]


@pytest.mark.parametrize(
    "matrix",
    [
        laplacian(FEW, 1),
        laplacian(500, 2),
        laplacian(600, 3, parts=3),
        laplacian(600, 4, parts=60, bridge=0.1),
        500 * np.eye(500) - 1,
        np.diag(np.repeat([0.0, 3.0], 100)),
    ],
    ids=["few", "many", "three parts", "nearly apart", "all alike", "alone"],
)
def test_a_spectrum_gives_traces_and_forms_of_functions(matrix: FloatArray) -> None:
    """Of a complete graph, and of a diagonal with two numbers, two steps reach all that there is."""
    vector = matrix @ np.random.default_rng(5).normal(size=len(matrix))
    values, vectors = np.linalg.eigh(matrix)
    parts = (vectors.T @ vector) ** 2
    for_trace, own = spectra(matrix.__matmul__, float(matrix.diagonal().max()), vector)
    assert for_trace.weights.sum() == pytest.approx(len(matrix))
    assert own.weights.sum() == pytest.approx(vector @ vector)
    for ridge in (1.0, 10.0, 100.0):
        logs, inverses = np.log(np.maximum(values, 0) + ridge), 1 / (np.maximum(values, 0) + ridge)
        assert for_trace.weights @ np.log(for_trace.values + ridge) == pytest.approx(logs.sum(), rel=0.02)
        assert own.weights @ (1 / (own.values + ridge)) == pytest.approx(parts @ inverses, rel=1e-3)


LOOKS = 16
"""Observations between two looks."""
MAX_OBSERVATIONS = 4000
TESTS = 50
"""Number of tests that show how often the interval misses the truth."""


def normal(rng: Random, effect: float) -> float:
    return rng.gauss(effect, 1.0)


def mostly_equal(rng: Random, effect: float) -> float:
    """Draw results of near-clones: half of the boards equal, a tenth far apart."""
    value = rng.gauss(0.0, 5.0) if rng.random() < 0.1 else rng.choice((0.0, rng.gauss(0.0, 0.5)))
    return value + effect * math.sqrt(0.1 * 25 + 0.45 * 0.25)


def decided(rng: Random, draw: object, elo: float) -> SprtDecision:
    test = SequentialTest(Hypotheses())
    while test.decision is SprtDecision.OPEN and len(test.values) < MAX_OBSERVATIONS:
        test.add(*(draw(rng, elo / ELO) for _ in range(LOOKS)))  # type: ignore[operator]
    return test.decision


@pytest.mark.parametrize("draw", [normal, mostly_equal])
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, SprtDecision.BETTER), (50.0, SprtDecision.NOT_BETTER)])
def test_it_errs_no_more_often_than_it_may(draw: object, elo: float, wrong: SprtDecision) -> None:
    rng = Random(7)
    tests = 100
    errors = sum(decided(rng, draw, elo) is wrong for _ in range(tests))
    assert errors / tests <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / tests)


def test_the_bounds_are_walds() -> None:
    low, high = Hypotheses(alpha=0.05, beta=0.1).bounds
    assert [low, high] == pytest.approx([math.log(0.1 / 0.95), math.log(0.9 / 0.05)])


def test_the_likelihood_ratio_is_that_of_a_normal_mean_at_its_best_deviation() -> None:
    values = [1.0, -0.5, 2.0, 0.25]
    test = SequentialTest(Hypotheses(elo0=10.0, elo1=200.0), values)

    def best(elo: float) -> float:
        def likelihood(deviation: float) -> float:
            off = (value - elo / ELO * deviation for value in values)
            return sum(-math.log(deviation) - one**2 / (2 * deviation**2) for one in off)

        return max(likelihood(step / 10_000) for step in range(1, 30_000))

    assert test.llr == pytest.approx(best(200.0) - best(10.0), abs=1e-6)


def test_bots_that_never_differ_are_no_better() -> None:
    test = SequentialTest(Hypotheses())
    test.add(*[0.0] * 300)
    assert test.decision is SprtDecision.NOT_BETTER


@pytest.mark.parametrize(
    ("elo0", "elo1", "mean", "decision", "accepted"),
    [
        (0.0, 50.0, 1.0, SprtDecision.BETTER, "elo1"),
        (0.0, 50.0, -1.0, SprtDecision.NOT_BETTER, "elo0"),
        (-50.0, 50.0, -1.0, SprtDecision.NOT_BETTER, "elo0"),
        (-50.0, 0.0, 1.0, SprtDecision.NOT_WORSE, "elo1"),
        (-50.0, 0.0, -1.0, SprtDecision.WORSE, "elo0"),
        (-1500.0, -500.0, -1.0, SprtDecision.NOT_WORSE, "elo1"),
    ],
)
def test_what_is_accepted_says_better_only_of_a_bound_above_zero(
    elo0: float, elo1: float, mean: float, decision: SprtDecision, accepted: str
) -> None:
    test = SequentialTest(Hypotheses(elo0, elo1))
    test.add(*[mean + 0.75, mean - 0.75] * 200)
    assert (test.decision, test.decision.accepted) == (decision, accepted)


def test_an_open_test_accepts_nothing() -> None:
    assert SprtDecision.OPEN.accepted is None


def test_one_observation_decides_nothing() -> None:
    assert SequentialTest(Hypotheses(), [1e9]).decision is SprtDecision.OPEN


def test_the_scale_of_the_points_does_not_matter() -> None:
    values = [3.0, 1.0, -2.0, 5.0]
    scaled = SequentialTest(Hypotheses(), [1000 * value for value in values])
    assert scaled.llr == pytest.approx(SequentialTest(Hypotheses(), values).llr)


def rarely_different(rng: Random, mean: float) -> float:
    """Draw results of a change that matters on one board in ten."""
    return rng.gauss(10 * mean, 1.0) if rng.random() < 0.1 else 0.0


@pytest.mark.parametrize("draw", [normal, rarely_different])
def test_the_interval_holds_the_truth_at_all_times(draw: Callable[[Random, float], float]) -> None:
    rng, truth = Random(3), 0.05
    missed = conclusive = 0
    for _ in range(TESTS):
        values: list[float] = []
        looks = [MeanEstimate.of(values := [*values, *(draw(rng, truth) for _ in range(LOOKS))]) for _ in range(40)]
        known = [look.interval for look in looks if look.interval]
        conclusive += len(known)
        missed += any(not low < truth < high for low, high in known)
    assert conclusive > 25 * TESTS
    assert missed <= 0.12 * TESTS


def test_there_is_no_interval_before_some_boards_differ() -> None:
    few = [0.0] * 500 + [1.0] * (MIN_DIFFERING - 1)
    assert MeanEstimate.of(few).interval is None
    low, high = MeanEstimate.of([*few, 1.0]).interval or (0.0, 0.0)
    assert low < MIN_DIFFERING / 516 < high


def test_an_estimate_says_how_sure_it_is() -> None:
    found = MeanEstimate.of([1.0, 2.0, 3.0])
    assert [found.mean, found.error] == pytest.approx([2.0, 1 / math.sqrt(3)])
    assert found.superiority == pytest.approx(0.99973, abs=1e-5)
    assert [MeanEstimate.of([value] * 3).superiority for value in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]

"""Inverses by blocks and conjugate gradients give what numpy gives; and a fit with them what one without them gives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ladder.ratings import linear
from ladder.ratings.batch import CLOSE, UNIT, _Pairs, centred, fit, pair_weight
from ladder.ratings.elo import START
from ladder.ratings.linear import FEW, SINGLE_ERROR, SMALL, centred_inverse, groups, inverse, solve, spectra

if TYPE_CHECKING:
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
    assert np.allclose(found.covariance, centred(centred(covariance).T), rtol=0, atol=1e-6 * covariance.max())


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
    for_trace, own = spectra(matrix, vector)
    assert for_trace.weights.sum() == pytest.approx(len(matrix))
    assert own.weights.sum() == pytest.approx(vector @ vector)
    for ridge in (1.0, 10.0, 100.0):
        logs, inverses = np.log(np.maximum(values, 0) + ridge), 1 / (np.maximum(values, 0) + ridge)
        assert for_trace.weights @ np.log(for_trace.values + ridge) == pytest.approx(logs.sum(), rel=0.02)
        assert own.weights @ (1 / (own.values + ridge)) == pytest.approx(parts @ inverses, rel=1e-3)

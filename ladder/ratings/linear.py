"""Linear algebra of symmetric, positive definite matrices, which numpy treats as any matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
    AnyFloats = npt.NDArray[np.floating]
    IntArray = npt.NDArray[np.int64]

SMALL = 384
"""Rows up to which numpy inverts as quickly."""
SINGLE_ROWS = 1000
"""Rows from which on single precision is tried: it takes half of the time."""
SINGLE_ERROR = 1e-6
"""The most that single precision may change, as a part of the result; most often it is 2e-7."""
PROBES = 4
"""Vectors on which that is tried."""
STRIPE = 1024
"""Rows that are turned into double precision at a time."""


def centred_inverse(matrix: FloatArray) -> AnyFloats:
    """
    Invert the Laplacian of a graph plus a ridge, (n, n), and take from each row and column its mean.

    Ones are an eigenvector of such a matrix, whose eigenvalue is the ridge, often by far the smallest, and does not
    matter once the means are taken away. So it is lifted into the middle of the others. Then single precision is
    enough, but for graphs that nearly fall apart: those are found by `PROBES`, and inverted in double precision.
    """
    lift = matrix.diagonal().mean() / len(matrix) if len(matrix) else 0.0
    if len(matrix) >= SINGLE_ROWS:
        lifted = matrix.astype(np.float32)
        lifted += np.float32(lift)
        found = inverse(lifted)
        _centre(found)
        if _error(found, matrix) <= SINGLE_ERROR:
            return found
    found = inverse(matrix + lift)
    _centre(found)
    return found


def times(matrix: AnyFloats, vectors: FloatArray) -> FloatArray:
    """Multiply a matrix of any precision with vectors, (n,) or (n, k), in double precision."""
    starts = range(0, len(matrix), STRIPE)
    return np.concatenate(
        [vectors[:0], *(matrix[start : start + STRIPE].astype(np.float64) @ vectors for start in starts)]
    )


def _centre(values: AnyFloats) -> None:
    """Take from a symmetric matrix the means of its rows and columns."""
    if len(values):
        means = values.mean(axis=0, dtype=np.float64)
        values -= (means - means.mean() / 2).astype(values.dtype)
        values -= (means - means.mean() / 2).astype(values.dtype)[:, None]


def _error(found: AnyFloats, matrix: FloatArray) -> float:
    """About how far a centred inverse is from the true one, as a part of it."""
    probes = np.random.default_rng(len(matrix)).normal(size=(len(matrix), PROBES))
    probes -= probes.mean(axis=0)
    solved = times(found, probes)
    lacking = times(found, probes - matrix @ solved)
    return float(np.max(np.linalg.norm(lacking, axis=0) / np.linalg.norm(solved, axis=0)))


def inverse(matrix: AnyFloats) -> AnyFloats:
    """
    Invert an (n, n) symmetric, positive definite matrix in its precision, in half of the time of `numpy.linalg.inv`.

    By blocks: with X = A⁻¹B and the Schur complement S = C − B'X, the inverse of [[A, B], [B', C]] is
    [[A⁻¹ + X S⁻¹ X', −X S⁻¹], [−S⁻¹ X', S⁻¹]], which is products of matrices for the most part.
    """
    count = len(matrix)
    if count <= SMALL:
        return np.asarray(np.linalg.inv(matrix), dtype=matrix.dtype)
    half = count // 2
    corner = matrix[:half, half:]
    first = inverse(matrix[:half, :half])
    across = first @ corner
    last = inverse(matrix[half:, half:] - corner.T @ across)
    found = np.empty_like(matrix)
    found[half:, half:] = last
    found[:half, half:] = -(across @ last)
    found[half:, :half] = found[:half, half:].T
    found[:half, :half] = first - found[:half, half:] @ across.T
    return found


def solve(
    times: Callable[[FloatArray], FloatArray], diagonal: FloatArray, right: FloatArray, tolerance: float
) -> FloatArray:
    """
    Solve A x = right by conjugate gradients, with the diagonal as preconditioner (M. Hestenes and E. Stiefel, 1952).

    Args:
        times: Multiplies A, symmetric and positive definite, with a vector.
        diagonal: (n,) Of A.
        right: (n,)
        tolerance: Of |A x − right| / |right|.
    """
    solution, rest = np.zeros_like(right), right.copy()
    scaled = rest / diagonal
    direction, size = scaled.copy(), float(rest @ scaled)
    enough = tolerance * float(np.linalg.norm(right))
    for _ in range(10 * len(right)):
        if float(np.linalg.norm(rest)) <= enough:
            break
        product = times(direction)
        step = size / float(direction @ product)
        solution += step * direction
        rest -= step * product
        scaled = rest / diagonal
        size, before = float(rest @ scaled), size
        direction = scaled + size / before * direction
    return solution


def groups(a: IntArray, b: IntArray, count: int) -> IntArray:
    """
    Find which of *count* nodes are connected by edges from *a* (m,) to *b* (m,).

    Returns:
        (count,) For each node the smallest node of its group.
    """
    found = np.arange(count)
    while True:
        lowest = found.copy()
        np.minimum.at(lowest, a, found[b])
        np.minimum.at(lowest, b, found[a])
        lowest = lowest[lowest]
        if np.array_equal(lowest, found):
            return found
        found = lowest

"""Linear algebra of symmetric, positive definite matrices, which numpy treats as any matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
FEW = 128
"""Rows up to which a spectrum is exact."""
LANCZOS_STEPS = 30
SIGNS = 2
"""Random vectors for a trace."""
ALMOST_NONE = 1e-9
"""Of the largest number in a matrix: what is left of a vector by rounding."""
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
    """Estimate how far a centred inverse is from the true one, as a part of it."""
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


class Spectrum(NamedTuple):
    """For vectors v and a symmetric matrix A: the sum of v'f(A)v is about that of the weights times f of the values."""

    values: FloatArray
    """(k,) Not below 0."""
    weights: FloatArray
    """(k,)"""


def spectra(
    times: Callable[[FloatArray], FloatArray], largest: float, vector: FloatArray, signs: int = SIGNS
) -> tuple[Spectrum, Spectrum]:
    """
    Find what the trace of f(A), and what v'f(A)v is, for any smooth f.

    Exactly by eigenvalues where there are few rows. Else by quadrature: the steps of C. Lanczos (1950) from a vector
    give nodes and weights for it (G. Golub and G. Meurant, 1994), and those of random vectors of ±1 give the trace (M.
    Hutchinson, 1990).

    Args:
        times: Multiplies A, (n, n), symmetric, without eigenvalues below 0, with (n, k) vectors.
        largest: The largest number in A.
        vector: (n,) v.
        signs: Number of random vectors.

    Returns:
        The spectrum for the trace, and that for v.
    """
    count = len(vector)
    if count <= FEW:
        values, vectors = np.linalg.eigh(times(np.eye(count)))
        values = np.maximum(values, 0.0)
        return Spectrum(values, np.ones(count)), Spectrum(values, (vectors.T @ vector) ** 2)
    random = np.random.default_rng(count).choice((-1.0, 1.0), (count, signs))
    own, *others = _quadratures(times, largest, np.column_stack([vector, random]))
    values, weights = (np.concatenate(parts) for parts in zip(*others, strict=True))
    return Spectrum(values, weights / signs), own


def _quadratures(times: Callable[[FloatArray], FloatArray], largest: float, vectors: FloatArray) -> list[Spectrum]:
    """Do the steps of Lanczos from each of the vectors, (n, k)."""
    sizes = np.linalg.norm(vectors, axis=0)
    now, before, linked = vectors / np.where(sizes > 0, sizes, 1.0), np.zeros_like(vectors), np.zeros(len(sizes))
    none, diagonals, links = ALMOST_NONE * largest, [], []
    for _ in range(LANCZOS_STEPS):
        product = times(now) - linked * before
        diagonals.append(np.einsum("ij,ij->j", now, product))
        product -= diagonals[-1] * now
        linked = np.linalg.norm(product, axis=0)
        linked[linked <= none] = 0.0  # the vector lies in a space of fewer dimensions
        links.append(linked)
        now, before = np.where(linked > 0, product / np.where(linked > 0, linked, 1.0), 0.0), now
    found = []
    for size, diagonal, link in zip(sizes, np.transpose(diagonals), np.transpose(links), strict=True):
        values, inner = np.linalg.eigh(np.diag(diagonal) + np.diag(link[:-1], 1) + np.diag(link[:-1], -1))
        found.append(Spectrum(np.maximum(values, 0.0), (size * inner[0]) ** 2))
    return found


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

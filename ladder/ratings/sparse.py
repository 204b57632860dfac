"""
The covariance of many bots, from the pairs that have met: no matrix of all pairs is made, and none inverted.

The inverse of H = D − W is wanted, a graph's Laplacian plus a ridge, where D is the diagonal and W has a number for
each pair that has met. With A = D^−½ W D^−½ it is D^−½ (I − A)⁻¹ D^−½, and (I − A)⁻¹ = I + A + A² + …. The first two
terms are as sparse as the pairs. The others are large in few directions only, those in which bots of different
strength have hardly met: there A has its eigenvalues λ of the largest size, and 1 / (1 − λ) − 1 − λ is added in the
directions of their vectors V. Those are found by subspace iteration from random vectors (N. Halko, P.-G. Martinsson and
J. Tropp, 2011). What is still lacking are small numbers beside the diagonal, which are left out, and the diagonal
itself: that of A² is computed, that of the higher powers estimated by random vectors of ±1 (M. Hutchinson, 1990; C.
Bekas, E. Kokiopoulou and Y. Saad, 2007).

So the result is near, not exact. Some of its rows are compared with exact ones, which are found by refining them; where
the variance of a difference is wrong by more than `TOLERANCE`, there is no result.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Self

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
    SingleArray = npt.NDArray[np.float32]
    IntArray = npt.NDArray[np.int64]

DIRECTIONS = 64
"""Columns of V."""
PASSES = 5
"""Steps of the subspace iteration."""
SIGNS = 32
"""Random vectors for the diagonal."""
MAX_POWER, ENOUGH = 16, 0.01
"""The highest power of A in the diagonal, and the size, as a part of the third one's, at which a power is the last."""
CHECKED = 8
"""Rows that are compared with exact ones."""
REFINEMENTS = 4
TOLERANCE = 0.04
"""The most by which the variance of a difference may be wrong, as a part of it: 2 % of the standard error."""
STRIPE = 1024
"""Rows of A that are written out at a time."""


@dataclass(frozen=True, eq=False)
class SparseCovariance:
    """An (n, n) symmetric matrix: its diagonal; the numbers of the pairs that have met, without a part; that part."""

    variances: FloatArray
    """(n,) The whole diagonal."""
    starts: IntArray
    """(n + 1,) For each row the place of its first pair in the next two, and the end."""
    others: npt.NDArray[np.int32]
    """(2 m,) Columns, in order within a row; each pair is there twice."""
    linked: SingleArray
    """(2 m,)"""
    factors: FloatArray
    """(n, r) U."""
    inner: FloatArray
    """(r, r) K: the part beside the diagonal is U K U'."""

    def __len__(self) -> int:
        return len(self.variances)

    def diagonal(self) -> FloatArray:
        """Give the diagonal, (n,)."""
        return self.variances

    def item(self, row: int, column: int) -> float:
        """Compute one number."""
        if row == column:
            return float(self.variances[row])
        start, end = self.starts[row : row + 2]
        place = start + np.searchsorted(self.others[start:end], column)
        met = float(self.linked[place]) if place < end and self.others[place] == column else 0.0
        return met + float(self._turned[row] @ self.factors[column])

    def rows(self, places: IntArray) -> FloatArray:
        """Compute some rows, (k, n)."""
        found: FloatArray = self._turned[places] @ self.factors.T
        for number, place in enumerate(places.tolist()):
            mine = slice(self.starts[place], self.starts[place + 1])
            found[number, self.others[mine]] += self.linked[mine]
        found[np.arange(len(places)), places] = self.variances[places]
        return found

    def among(self, places: IntArray) -> Self:
        """Give the matrix of some, in that order, relative to the mean of them: each row adds up to 0."""
        part = self if np.array_equal(places, np.arange(len(self))) else self._part(places)
        count = max(1, len(places))
        diagonal = part.variances - np.einsum("ij,ij->i", part._turned, part.factors)
        met = np.bincount(part._own, part.linked, len(part))
        means = (diagonal + met + part._turned @ part.factors.sum(axis=0)) / count
        mean, rank = float(means.sum()) / count, len(part.inner)
        inner = np.zeros((rank + 2, rank + 2))
        inner[:rank, :rank] = part.inner
        inner[rank:, rank:] = [[mean, -1.0], [-1.0, 0.0]]
        factors = np.column_stack([part.factors, np.ones(len(part)), means])
        return type(self)(part.variances - 2 * means + mean, part.starts, part.others, part.linked, factors, inner)

    def times(self, factor: float) -> Self:
        """Multiply it."""
        linked = (factor * self.linked).astype(np.float32)
        return type(self)(factor * self.variances, self.starts, self.others, linked, self.factors, factor * self.inner)

    def less(self, amount: float) -> Self:
        """Take a number from the diagonal, and what is left of the mean of each row: a multiple of the identity."""
        part = type(self)(self.variances - amount, self.starts, self.others, self.linked, self.factors, self.inner)
        found = part.among(np.arange(len(self)))
        return type(self)(np.maximum(found.variances, 0.0), found.starts, found.others, found.linked, found.factors,
                          found.inner)  # fmt: skip

    def to_bytes(self) -> bytes:
        """Pack it into a blob, which `from_bytes` reads if it knows the number of rows."""
        sizes = np.array([len(self.others), len(self.inner)], dtype="<i8")
        parts = (sizes, self.variances.astype("<f8"), self.starts.astype("<i8"), self.inner.astype("<f8"),
                 self.factors.astype("<f8"), self.others.astype("<i4"), self.linked.astype("<f4"))  # fmt: skip
        return b"".join(part.tobytes() for part in parts)

    @classmethod
    def from_bytes(cls, blob: memoryview, count: int) -> Self:
        """
        Read what `to_bytes` wrote, of *count* rows, without copying it.

        Raises:
            ValueError: If the blob is not of the length that it states.
        """
        place = 0

        def read(kind: str, numbers: int) -> npt.NDArray[np.generic]:
            nonlocal place
            found: npt.NDArray[np.generic] = np.frombuffer(blob, kind, numbers, place) if numbers else np.zeros(0, kind)
            place += found.nbytes
            return found

        pairs, rank = read("<i8", 2).tolist()
        if min(pairs, rank) < 0:
            raise ValueError("A blob has parts of less than no length.")
        variances, starts, inner = read("<f8", count), read("<i8", count + 1), read("<f8", rank**2)
        factors, others, linked = read("<f8", count * rank), read("<i4", pairs), read("<f4", pairs)
        if place != len(blob):
            raise ValueError(f"A blob has {len(blob)} bytes instead of {place}.")
        return cls(variances, starts, others, linked, factors.reshape(count, rank), inner.reshape(rank, rank))  # type: ignore[arg-type]

    @cached_property
    def _turned(self) -> FloatArray:
        """(n, r) U K."""
        return self.factors @ self.inner

    @cached_property
    def _own(self) -> IntArray:
        """(2 m,) The row of each pair."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def _part(self, places: IntArray) -> Self:
        """Give the matrix of some, in that order."""
        new = np.full(len(self), -1)
        new[places] = np.arange(len(places))
        rows, columns = new[self._own], new[self.others]
        known = (rows >= 0) & (columns >= 0)
        starts, others, linked = _by_row(rows[known], columns[known], self.linked[known], len(places))
        return type(self)(self.variances[places], starts, others, linked, self.factors[places], self.inner)


def sparse_covariance(
    a: IntArray, b: IntArray, weights: FloatArray, ridge: float, count: int
) -> SparseCovariance | None:
    """
    Invert the Laplacian of a graph plus a ridge, nearly, and take from each row and column its mean.

    Args:
        a: (m,) For each pair that met, the place of one bot; a pair may come in several parts and in either order.
        b: (m,) That of the other.
        weights: (m,) What they have told of each other, above 0 or equal to it.
        ridge: Added to the diagonal, above 0.
        count: n.

    Returns:
        None if it is not as near as `TOLERANCE` says.
    """
    graph = _Graph.of(a, b, weights, ridge, count)
    vectors, values = graph.directions()
    added = 1 / (1 - values) - 1 - values
    diagonal = 1 - graph.lift**2 + vectors**2 @ added + graph.rest_of_diagonal(vectors, values)
    root = graph.root
    linked = (graph.values * root[graph.own] * root[graph.others]).astype(np.float32)
    factors = root[:, None] * np.column_stack([vectors, graph.lift])
    whole = SparseCovariance(root**2 * diagonal, graph.starts, graph.others, linked, factors, np.diag([*added, -1.0]))
    found = whole.among(np.arange(count))
    return found if graph.error(found, vectors, added) <= TOLERANCE else None


@dataclass(frozen=True, eq=False)
class _Graph:
    """A, from which a multiple of the mode of the mean is taken: H has it as an eigenvector, and it does not matter."""

    root: FloatArray
    """(n,) The diagonal of D^−½."""
    lift: FloatArray
    """(n,) What is taken from A is the product of this with itself, all rows with all columns."""
    starts: IntArray
    own: IntArray
    others: npt.NDArray[np.int32]
    values: SingleArray

    @classmethod
    def of(cls, a: IntArray, b: IntArray, weights: FloatArray, ridge: float, count: int) -> Self:
        keys, place = np.unique(np.minimum(a, b) * count + np.maximum(a, b), return_inverse=True)
        low, high = np.divmod(keys, max(1, count))
        sums = np.bincount(place, weights, len(keys))
        rows, columns = np.concatenate([low, high]), np.concatenate([high, low])
        twice = np.concatenate([sums, sums])
        degrees = np.bincount(rows, twice, count) + ridge
        root = 1 / np.sqrt(degrees)
        scaled = (twice * root[rows] * root[columns]).astype(np.float32)
        starts, others, values = _by_row(rows, columns, scaled, count)
        own = np.repeat(np.arange(count), np.diff(starts))
        return cls(root, np.sqrt(degrees.mean() / count) * root, starts, own, others, values)

    def times(self, vectors: npt.NDArray[np.floating]) -> SingleArray:
        """Multiply A with (n, k) vectors in single precision: a stripe of its rows at a time is written out."""
        count, single = len(self.root), vectors.astype(np.float32)
        found = np.empty_like(single)
        for first in range(0, count, STRIPE):
            last = min(count, first + STRIPE)
            mine = slice(self.starts[first], self.starts[last])
            stripe = np.zeros((last - first, count), dtype=np.float32)
            stripe[self.own[mine] - first, self.others[mine]] = self.values[mine]
            found[first:last] = stripe @ single
        lift = self.lift.astype(np.float32)
        found -= lift[:, None] * (lift @ single)
        return found

    def exactly_times(self, vectors: FloatArray) -> FloatArray:
        """Multiply A with a few vectors in double precision."""
        columns = [np.bincount(self.own, self.values * each[self.others], len(each)) for each in vectors.T]
        return np.column_stack(columns) - self.lift[:, None] * (self.lift @ vectors)

    def directions(self) -> tuple[FloatArray, FloatArray]:
        """Find the vectors (n, k) and values (k,) of A of the largest size."""
        count = len(self.root)
        vectors = np.random.default_rng(count).normal(size=(count, min(count, DIRECTIONS))).astype(np.float32)
        for _ in range(PASSES):
            vectors, _ = np.linalg.qr(self.times(vectors))
        basis = vectors.astype(np.float64)
        basis, _ = np.linalg.qr(basis)
        inner = basis.T @ self.times(basis)
        values, turn = np.linalg.eigh((inner + inner.T) / 2)
        return basis @ turn, np.minimum(values, 1 - 1e-6)

    def rest_of_diagonal(self, vectors: FloatArray, values: FloatArray) -> FloatArray:
        """Compute the diagonal of A² + A³ + …, (n,), without the part that the vectors have."""
        count = len(self.root)
        squares = np.bincount(self.own, self.values.astype(np.float64) ** 2, count)
        crossed = np.bincount(self.own, self.values * self.lift[self.others], count)
        second = squares - 2 * self.lift * crossed + self.lift**2 * float(self.lift @ self.lift)
        signs = np.random.default_rng(count + 1).choice((-1.0, 1.0), (count, SIGNS))
        term: npt.NDArray[np.floating] = signs - vectors @ (vectors.T @ signs)
        term = self.times(self.times(term))
        higher, size = np.zeros(count), np.inf
        for power in range(3, MAX_POWER + 1):
            term = self.times(term)
            higher += np.einsum("ij,ij->i", signs, term) / SIGNS
            size = float(np.linalg.norm(term)) if power == 3 else size
            if float(np.linalg.norm(term)) <= ENOUGH * size:
                break
        return np.asarray(second - vectors**2 @ values**2 + higher)

    def error(self, found: SparseCovariance, vectors: FloatArray, added: FloatArray) -> float:
        """Compare some rows with exact ones: the largest error of the variance of a difference, as a part of it."""
        count = len(self.root)
        chosen = np.random.default_rng(count + 2).choice(count, min(count, CHECKED), replace=False)
        some = np.unique([*chosen, np.argmin(self.root), np.argmax(self.root)])
        wanted = np.zeros((count, len(some)))
        wanted[some, np.arange(len(some))] = self.root[some]

        def nearly_inverted(right: FloatArray) -> FloatArray:
            return right + self.exactly_times(right) + vectors @ (added[:, None] * (vectors.T @ right))

        solved = nearly_inverted(wanted)
        for _ in range(REFINEMENTS):
            solved = solved + nearly_inverted(wanted - solved + self.exactly_times(solved))
        exact = self.root[:, None] * solved
        exact -= exact.mean(axis=0)  # as the ones are an eigenvector, these are all the same
        near, places = found.rows(some).T, np.arange(len(some))
        apart = found.variances[:, None] + found.variances[some] - 2 * near
        wrong = np.abs(near - exact)
        own = float(np.max(wrong[some, places] / exact[some, places]))
        wrong[some, places], apart[some, places] = 0.0, 1.0
        return own + float(np.max(2 * wrong / apart))


def _by_row(
    rows: IntArray, columns: IntArray, values: SingleArray, count: int
) -> tuple[IntArray, npt.NDArray[np.int32], SingleArray]:
    """Sort the numbers of a matrix by row and column; give the starts of the rows, the columns and the numbers."""
    order = np.lexsort((columns, rows))
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])
    return starts.astype(np.int64), columns[order].astype(np.int32), values[order]

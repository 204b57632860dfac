"""
Noise and interactions of single pairs: how much the results of each pair may count in a fit.

A fit that takes all pairs as alike is too sure of itself in two ways. Noise differs: copies of one program that play
among themselves have none, and hide the noise of all other boards in a common variance. And some bots do better
against one opponent than their strengths say: such an *interaction* stays, however often the two meet, so a pair that
meets again and again must not count for ever. With the difference d of a pair, from boards whose noise alone would
give it the precision P, the model is

    d = θ_a − θ_b + interaction + noise,    interaction ~ N(0, ω²),    so that its weight is 1 / (ω² + 1 / P)

ω² is found by moments (R. DerSimonian and N. Laird, 1986): with weights W and residuals r of the fit, Σ W r² is
compared with what noise makes of it, less what the fit takes.

The variance of a pair is drawn towards that of all. The less its boards are, and the more alike all pairs are, the
more: by the spread of the logarithms of the variances, beyond what chance gives them (G. Smyth, 2004).

A margin, and Elo, say how a bot does at tables that chance draws from the field. So the mean of its n interactions,
of variance ω² / n, belongs to it, and is no error (`of_field`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladder.ratings.sparse import SparseCovariance

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    import numpy.typing as npt

    from ladder.ratings.linear import AnyFloats

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]

ROUNDS = 2
"""Times that ω² is found, each with the weights that the one before gives."""
FREE = 3.0
"""Degrees of freedom from which on a pair's variance tells about those of others."""
MAX_FREE = 100.0
"""The most boards that the variance of all counts for beside a pair's own."""
NO_NOISE = 1e-9
"""Part of the largest variance that is rounding."""
UNTIED = 4.0
"""Boards without a tie that each pair is taken to have had besides."""


@dataclass(frozen=True)
class PairIndex:
    """Pairs of bots, each once, and the rows of sums that belong to each."""

    a: IntArray
    """(k,) Place of one bot of each pair, the lower one."""
    b: IntArray
    row_pair: IntArray
    """(m,) The pair of each row."""
    row_sign: FloatArray
    """(m,) 1, or −1 where the row has its bots in the other order."""
    count: int
    """Number of all bots."""

    @classmethod
    def of(cls, a: IntArray, b: IntArray, count: int) -> Self:
        """Sort rows, which may come in several parts and in either order; *count* is the number of bots."""
        keys, place = np.unique(np.minimum(a, b) * count + np.maximum(a, b), return_inverse=True)
        low, high = np.divmod(keys, max(1, count))
        return cls(low, high, place.reshape(-1), np.where(a < b, 1.0, -1.0), count)

    def summed(self, values: FloatArray) -> FloatArray:
        """Add up the rows of each pair, (k,)."""
        return np.asarray(np.bincount(self.row_pair, values, len(self.a)), dtype=np.float64)

    def summed_leads(self, values: FloatArray) -> FloatArray:
        """Do it with values that change their sign with the order of the bots."""
        return self.summed(self.row_sign * values)

    def at_ends(self, values: FloatArray) -> FloatArray:
        """Give each bot the sum of its pairs, (count,)."""
        ends = np.bincount(self.a, values, self.count) + np.bincount(self.b, values, self.count)
        return np.asarray(ends, dtype=np.float64)

    def apart(self, values: FloatArray) -> FloatArray:
        """Give the difference of the two bots of each pair, (k,)."""
        return np.asarray(values[self.a] - values[self.b], dtype=np.float64)


def interactions(
    pairs: PairIndex,
    precisions: FloatArray,
    share: float,
    residuals: Callable[[FloatArray], FloatArray],
    ridge: float = 0.0,
) -> float:
    """
    Find ω², the variance of what two bots have over each other beyond their strengths; 0 if noise explains all of it.

    Args:
        pairs: The pairs.
        precisions: (k,) What each adds to the precision of the fit without interactions.
        share: Variance of a pair's own difference, times its precision: less than 1, since the pairs of a table have
            noise in common.
        residuals: Fits with other precisions, and gives what is left of the difference of each pair, (k,).
        ridge: Added to the diagonal of the fit.
    """
    found = 0.0
    for _ in range(ROUNDS if len(precisions) else 0):
        weights = bounded(precisions, found)
        noise = weights / np.where(precisions > 0, precisions, 1.0)
        known = _known(pairs, weights, ridge)
        left = float(weights @ residuals(weights) ** 2) - share * float(noise.sum()) + float(weights * noise @ known)
        each = float(weights.sum()) - float(weights**2 @ known)
        found = max(0.0, left / each) if each > 1e-9 * float(weights.sum()) else 0.0
    return found


def _known(pairs: PairIndex, weights: FloatArray, ridge: float) -> FloatArray:
    """
    Estimate the variance of the difference of each pair in a fit with these weights, (k,).

    As the resistance between two nodes: of their own link, beside what links each of them with all others.
    """
    degrees = pairs.at_ends(weights) + ridge
    one, other = (np.maximum(degrees[ends] - weights, 0.0) for ends in (pairs.a, pairs.b))
    around = np.where(one + other > 0, one * other / np.where(one + other > 0, one + other, 1.0), 0.0)
    linked = weights + around
    return np.asarray(np.where(linked > 0, 1 / np.where(linked > 0, linked, 1.0), 0.0))


def bounded(precisions: FloatArray, spread: float) -> FloatArray:
    """Give the weights of pairs with interactions of variance *spread*: never more than 1 / spread."""
    return np.asarray(precisions / (1.0 + precisions * spread))


def own_variances(boards: FloatArray, points: FloatArray, squares: FloatArray, usual: float) -> FloatArray:
    """
    Estimate the variance of the difference of two bots on one board, for each pair, (k,).

    Args:
        boards: (k,) Their boards.
        points: (k,) Differences, added up.
        squares: (k,) Their squares, added up.
        usual: The variance of all boards.
    """
    free = np.maximum(boards - 1.0, 0.0)
    own = np.maximum(squares - points**2 / np.maximum(boards, 1.0), 0.0) / np.maximum(free, 1.0)
    own = np.where(free > 0, own, 0.0)
    telling = (free >= FREE) & (own > NO_NOISE * own.max(initial=0.0))
    if np.count_nonzero(telling) < 3:
        return np.full(len(boards), usual)
    centre, weight = _squeezed(own[telling], free[telling])
    return np.asarray((weight * centre + free * own) / (weight + free))


def _squeezed(variances: FloatArray, free: FloatArray) -> tuple[float, float]:
    """Find the variance towards which all are drawn, and the number of boards for which it counts."""
    half, parts = free / 2, free / free.sum()
    logs = np.log(variances) - _digamma(half) + np.log(half)
    mean = float(parts @ logs)
    apart = float(parts @ ((logs - mean) ** 2 - _trigamma(half))) / (1 - float(parts @ parts))
    if apart <= float(_trigamma(np.array([MAX_FREE / 2]))[0]):
        return math.exp(mean), MAX_FREE
    low, high = 1e-3, MAX_FREE / 2
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if float(_trigamma(np.array([middle]))[0]) > apart else (low, middle)
    return math.exp(mean + float(_digamma(np.array([low]))[0]) - math.log(low)), 2 * low


STEPS = 10
"""By which the argument of the two functions is raised, so that a few terms of their series are enough."""


def _digamma(values: FloatArray) -> FloatArray:
    x = values + STEPS
    lower = sum(1 / (values + step) for step in range(STEPS))
    return np.asarray(np.log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4) - lower)


def _trigamma(values: FloatArray) -> FloatArray:
    x = values + STEPS
    lower = sum(1 / (values + step) ** 2 for step in range(STEPS))
    return np.asarray(1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5) + lower)


def decisive(results: FloatArray, ties: FloatArray) -> FloatArray:
    """Estimate for each pair the share of results that are no ties, (k,): with it falls the variance of a score."""
    return np.asarray((results - ties + UNTIED) / (results + UNTIED))


def of_field(
    ratings: FloatArray, covariance: AnyFloats | SparseCovariance, spread: float, ridge: float
) -> tuple[FloatArray, AnyFloats | SparseCovariance]:
    """
    Turn strengths into how bots do at tables that chance draws: the mean of their interactions belongs to it.

    With ε = ridge · ω² / n that is (1 + ε) θ, with the covariance (1 + ε)² C − (1 + ε) ω² / n, relative to the mean.

    Args:
        ratings: (n,) Relative to their mean.
        covariance: (n, n) Of these, relative to their mean.
        spread: ω².
        ridge: Precision of a rating before anything is known.
    """
    if not spread or not len(ratings):
        return ratings, covariance
    own = spread / len(ratings)
    more = 1.0 + ridge * own
    if isinstance(covariance, SparseCovariance):
        return more * ratings, covariance.times(more**2).less(more * own)
    covariance = covariance * covariance.dtype.type(more**2)
    covariance += covariance.dtype.type(more * own / len(ratings))
    covariance[np.diag_indices(len(ratings))] -= covariance.dtype.type(more * own)
    return more * ratings, covariance

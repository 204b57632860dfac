"""
The batch estimate: the ratings that fit all matches of a variant best, and how sure they are.

R. Bradley and M. Terry (1952): a wins against b with the probability 1 / (1 + exp(g (θ_b − θ_a))); a draw is half a
win and half a loss. g is the steepness of the match, which grows with its boards (`elo.steepness`). The θ have the
prior N(0, 200² Elo²); Newton's method finds their most likely values, each step of it by conjugate gradients, and the
inverse of the Hessian there is their covariance (Laplace), of more than `MAX_DENSE` bots nearly (`sparse`). One unit of
θ is 400 / ln 10 Elo.

The pairs of one match are not independent: a side that plays well beats all others at once. Among n equal sides each
place is as likely as any other, so the number of opponents that a side beats has the variance (n² − 1) / 12, which is
(n + 1) / 3 times that of n − 1 fair coins. Each pair therefore counts with the weight 3 / (n + 1).

Where the ties are known, a pair that ties again and again has less noise than others, and no pair counts for more than
what two bots have over each other beyond their strengths lets it (`ladder.ratings.pairs`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from ladder.ratings.elo import SCALE, START
from ladder.ratings.linear import centred_inverse, solve
from ladder.ratings.pairs import PairIndex, bounded, decisive, interactions, of_field
from ladder.ratings.sparse import SparseCovariance, sparse_covariance

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ladder.ratings.linear import AnyFloats

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]

UNIT = SCALE / math.log(10)
"""Elo of one unit of θ."""
PRIOR = 200.0
"""The standard deviation of the ratings before anything is known, in Elo."""
CLOSE = 1e-4
"""Newton's method ends with the first step that moves no θ by more: what is left is of the order of its square."""
FINE = 1e-3
"""Precision of the solution of each of its steps: the next one makes good what is left."""
MAX_DENSE = 2000
"""Bots up to which all pairs have a place in a matrix, whose inverse takes time that grows with their cube."""
NORMAL = NormalDist()
WIDE = NORMAL.inv_cdf(0.975)
"""Standard errors in half of a 95 % interval."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """The strength of the bots, relative to each other: the mean of all of them is fixed, at 1500 for Elo."""

    versions: IntArray
    """Ids of the n bot versions, in the order in which they were handed in."""
    ratings: FloatArray
    """(n,) Elo, of mean 1500."""
    covariance: npt.NDArray[np.floating] | SparseCovariance
    """(n, n) Elo², of the ratings as they stand here, relative to their mean: each row adds up to 0."""
    mean: float = START
    """Of the ratings; 0 where they are margins in points (`ladder.ratings.points`)."""

    def value(self, version: int) -> float:
        """
        Give the rating of a version.

        Raises:
            KeyError: Here as in all methods, if the version is not part of the estimate.
        """
        return float(self.ratings[self._places[version]])

    def error(self, version: int) -> float:
        """Give half of the 95 % interval of a rating relative to the mean of all: the ± of the standings, in Elo."""
        place = self._places[version]
        return WIDE * math.sqrt(max(float(self.covariance.item(place, place)), 0.0))

    def los(self, a: int, b: int) -> float:
        """Compute the likelihood of superiority: how likely a is stronger than b, 0 to 1; ½ for a bot and itself."""
        one, other = self._places[a], self._places[b]
        variances = self.covariance.item(one, one), self.covariance.item(other, other)
        variance = sum(variances) - 2.0 * self.covariance.item(one, other)
        return NORMAL.cdf(float(self.ratings[one] - self.ratings[other]) / math.sqrt(variance)) if variance > 0 else 0.5

    def ranks(self, version: int) -> tuple[int, int]:
        """
        Give the best and the worst rank that a bot may deserve; 1 is the best.

        Above it are the bots that are better with a likelihood of superiority of 97.5 % or more, below it those that
        are worse likewise: the best rank is 1 + the bots surely better, the worst n − the bots surely worse. Each
        comparison is made for itself, so the interval errs more often than in 5 of 100 cases where there are many bots.
        """
        return ranks_by(self.leads(version))

    def among(self, versions: Sequence[int]) -> Estimate:
        """Give the estimate for some of the bots, relative to their mean: retired ones take no rank from the others."""
        places = np.array([self._places[version] for version in versions], dtype=np.int64)
        covariance: AnyFloats | SparseCovariance
        if isinstance(self.covariance, SparseCovariance):
            covariance = self.covariance.among(places)
        else:
            covariance = centred(centred(self.covariance[np.ix_(places, places)]).T)
        return Estimate(self.versions[places], self.mean + centred(self.ratings[places]), covariance, self.mean)

    def rows(self, places: IntArray) -> npt.NDArray[np.floating]:
        """Give the rows of the covariance of those in some places, (k, n)."""
        if isinstance(self.covariance, SparseCovariance):
            return self.covariance.rows(places)
        return self.covariance[places]

    def to_bytes(self) -> bytes:
        """
        Pack the estimate into one blob: 4.0 MB for 1,000 bots, with the covariance in single precision.

        Before a sparse covariance stands not n but −1 − n.
        """
        n, is_sparse = len(self.versions), isinstance(self.covariance, SparseCovariance)
        count = np.array([-1 - n if is_sparse else n], dtype="<i8")
        numbers = b"".join(part.tobytes() for part in (count, self.versions.astype("<i8"), self.ratings.astype("<f8")))
        if isinstance(self.covariance, SparseCovariance):
            return numbers + self.covariance.to_bytes()
        return numbers + self.covariance.astype("<f4").tobytes()

    @classmethod
    def from_bytes(cls, blob: bytes | memoryview, mean: float = START) -> Estimate:
        """
        Read what `to_bytes` wrote. Nothing is copied: what is asked of one bot touches its own row and the diagonal.

        Raises:
            ValueError: If the blob is not of the length that it states.
        """
        stated = int(np.frombuffer(blob, "<i8", 1)[0]) if len(blob) >= 8 else 0
        count = stated if stated >= 0 else -1 - stated
        if len(blob) < 8 + 16 * count or (stated >= 0 and len(blob) != 8 + 16 * count + 4 * count**2):
            raise ValueError(f"A blob of {len(blob)} bytes is no estimate.")
        versions = np.frombuffer(blob, "<i8", count, 8)
        ratings = np.frombuffer(blob, "<f8", count, 8 + 8 * count)
        if stated < 0:
            try:
                near = SparseCovariance.from_bytes(memoryview(blob)[8 + 16 * count :], count)
            except ValueError:
                raise ValueError(f"A blob of {len(blob)} bytes is no estimate.") from None
            return cls(versions, ratings, near, mean)
        covariance = np.frombuffer(blob, "<f4", count**2, 8 + 16 * count)
        return cls(versions, ratings, covariance.reshape(count, count), mean)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {version: place for place, version in enumerate(self.versions.tolist())}

    def leads(self, version: int) -> FloatArray:
        """Compute how far the bot is ahead of each, (n,), in standard errors of the difference; 0 for itself."""
        return np.asarray(self.leads_of([version])[0], dtype=np.float64)

    def leads_of(self, versions: Sequence[int]) -> FloatArray:
        """Do the same for several bots, (k, n)."""
        places = np.array([self._places[version] for version in versions], dtype=np.int64)
        diagonal = self.covariance.diagonal()
        variance = diagonal[places, None] + diagonal - 2.0 * self.rows(places)
        ahead = self.ratings[places, None] - self.ratings
        known = variance > 0
        return np.asarray(np.where(known, ahead / np.sqrt(np.where(known, variance, 1.0)), 0.0), dtype=np.float64)


def ranks_by(leads: FloatArray) -> tuple[int, int]:
    """Give the best and the worst rank of a bot with these leads: see `Estimate.ranks`."""
    return 1 + int(np.count_nonzero(leads <= -WIDE)), len(leads) - int(np.count_nonzero(leads >= WIDE))


def pair_weight(sides: int) -> float:
    """Give the weight of one pair of a match with that many sides; 1 where there are two."""
    return 3 / (sides + 1)


def fit(
    versions: Sequence[int],
    a: IntArray,
    b: IntArray,
    score: FloatArray,
    n: FloatArray,
    weight: float,
    steepness: FloatArray | float = 1.0,
    max_dense: int = MAX_DENSE,
    ties: FloatArray | None = None,
) -> Estimate:
    """
    Estimate the ratings of *versions* from their matches against each other.

    Bots without any match, and groups that never met, are fine: the prior holds them.

    Args:
        versions: Ids of all bot versions to rate, each once.
        a: (m,) For each pair that met, the id of one bot; a pair may come in several parts and in either order.
        b: (m,) The id of the other.
        score: (m,) The scores of a, summed over their matches: 0 … n.
        n: (m,) How many matches they had with each other.
        weight: What a pair of one match counts: `pair_weight`.
        steepness: (m,) Of those matches, or one for all: `elo.steepness`.
        max_dense: Bots up to which the covariance is a matrix.
        ties: (m,) Number of those matches that were ties; pairs differ then. None: all pairs are taken as alike.

    Raises:
        ValueError: If a pair names a version that is not to be rated.
    """
    ids = np.array(versions, dtype=np.int64)
    steep = np.broadcast_to(np.asarray(steepness, dtype=np.float64), n.shape)
    pairs = _Pairs(places_of(ids, a), places_of(ids, b), weight * score, weight * n, steep, len(ids))
    with threadpool_limits(1, "blas"):  # beside matches that fill all cores, more threads wait for each other
        theta = _most_likely(pairs, np.zeros(len(ids)))
        if ties is None:
            return Estimate(ids, START + centred(UNIT * theta), _covariance(pairs, theta, max_dense))
        theta, pairs, spread = _with_interactions(pairs, theta, n, ties, weight)
        covariance = _covariance(pairs, theta, max_dense)
        ratings, covariance = of_field(centred(UNIT * theta), covariance, UNIT**2 * spread, PRIOR**-2)
    return Estimate(ids, START + ratings, covariance)


def _with_interactions(
    pairs: _Pairs, theta: FloatArray, results: FloatArray, ties: FloatArray, weight: float
) -> tuple[FloatArray, _Pairs, float]:
    """
    Fit again, where a pair may have less noise than others, and what the two have over each other.

    Returns:
        (n,) θ; the pairs as they count; ω².
    """
    index = PairIndex.of(pairs.a, pairs.b, pairs.count)
    noise = decisive(index.summed(results), index.summed(ties))
    own = pairs.counting(1 / noise[index.row_pair])
    precisions = index.summed(own.information(theta))

    def fitted(weights: FloatArray) -> tuple[FloatArray, _Pairs]:
        counting = own.counting((weights / np.where(precisions > 0, precisions, 1.0))[index.row_pair])
        return _most_likely(counting, theta), counting

    def residuals(weights: FloatArray) -> FloatArray:
        found, _ = fitted(weights)
        known = index.summed(own.information(found))
        left = index.summed_leads(own.steep * (own.wins - own.matches * own.hopes(found)))
        return np.asarray(left / np.where(known > 0, known, 1.0))

    spread = interactions(index, precisions, weight, residuals, (UNIT / PRIOR) ** 2)
    return *fitted(bounded(precisions, spread)), spread


def _covariance(pairs: _Pairs, theta: FloatArray, max_dense: int) -> AnyFloats | SparseCovariance:
    """Compute the covariance, in Elo², relative to the mean."""
    if pairs.count > max_dense:
        ridge = (UNIT / PRIOR) ** 2
        found = sparse_covariance(pairs.a, pairs.b, pairs.information(theta), ridge, pairs.count)
        if found is not None:
            return found.times(UNIT**2)
    covariance = centred_inverse(pairs.hessian(theta))
    covariance *= UNIT**2
    return covariance


@dataclass(frozen=True)
class _Pairs:
    """The weighted matches, and the posterior that they make."""

    a: IntArray
    b: IntArray
    wins: FloatArray
    matches: FloatArray
    steep: FloatArray
    """(m,) How much a difference counts in those matches."""
    count: int

    def counting(self, shares: FloatArray) -> _Pairs:
        """Let each row count for a share, (m,), of what it counts for."""
        return replace(self, wins=shares * self.wins, matches=shares * self.matches)

    def hopes(self, theta: FloatArray) -> FloatArray:
        """Compute the score that a may expect in one match, (m,)."""
        return np.asarray(0.5 + 0.5 * np.tanh(self.steep * (theta[self.a] - theta[self.b]) / 2), dtype=np.float64)

    def loss(self, theta: FloatArray) -> float:
        """Compute minus the logarithm of the posterior, up to a constant."""
        gap = self.steep * (theta[self.a] - theta[self.b])
        likelihood = self.matches @ np.logaddexp(0.0, gap) - self.wins @ gap
        return float(likelihood + theta @ theta * (UNIT / PRIOR) ** 2 / 2)

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Compute the slope of `loss`, (n,)."""
        missing = self.steep * (self.matches * self.hopes(theta) - self.wins)
        slope = np.bincount(self.a, missing, self.count) - np.bincount(self.b, missing, self.count)
        return slope + theta * (UNIT / PRIOR) ** 2

    def information(self, theta: FloatArray) -> FloatArray:
        """Compute what each pair adds to the curvature of `loss`, (m,)."""
        hopes = self.hopes(theta)
        return self.steep**2 * self.matches * hopes * (1 - hopes)

    def newton_step(self, theta: FloatArray) -> FloatArray:
        """Compute the step downhill that the curvature asks for, (n,)."""
        information = self.information(theta)

        def summed(values: FloatArray) -> FloatArray:
            ends = np.bincount(self.a, values, self.count) - np.bincount(self.b, values, self.count)
            return np.asarray(ends, dtype=np.float64)

        def curved(step: FloatArray) -> FloatArray:
            return summed(information * (step[self.a] - step[self.b])) + step * (UNIT / PRIOR) ** 2

        diagonal = np.bincount(self.a, information, self.count) + np.bincount(self.b, information, self.count)
        return solve(curved, np.asarray(diagonal + (UNIT / PRIOR) ** 2), self.gradient(theta), FINE)

    def hessian(self, theta: FloatArray) -> FloatArray:
        """Compute the curvature of `loss`, (n, n)."""
        information = self.information(theta)
        off = np.bincount(self.a * self.count + self.b, information, self.count**2).reshape(self.count, self.count)
        off += off.T
        return np.diag(off.sum(axis=1) + (UNIT / PRIOR) ** 2) - off


def _most_likely(pairs: _Pairs, theta: FloatArray) -> FloatArray:
    """Find the minimum by Newton's method, from *theta*; a step that overshoots is halved until it leads downhill."""
    length = math.inf
    while length >= CLOSE:
        step = pairs.newton_step(theta)
        loss = pairs.loss(theta)
        while (length := float(np.max(np.abs(step), initial=0.0))) >= CLOSE and pairs.loss(theta - step) > loss:
            step = step / 2
        theta = theta - step
    return theta


def places_of(ids: IntArray, named: IntArray) -> IntArray:
    """Find the place of each named version in *ids*."""
    order = np.argsort(ids)
    found = np.searchsorted(ids, named, sorter=order)
    places = order[np.minimum(found, len(ids) - 1)] if len(ids) else np.zeros(0, dtype=np.int64)
    if len(places) != len(named) or np.any(ids[places] != named):
        unknown = sorted(set(named.tolist()) - set(ids.tolist()))
        raise ValueError(f"There are matches of versions that are not to be rated: {unknown}.")
    return places


def centred(values: npt.NDArray[np.floating]) -> FloatArray:
    """Give the values relative to the mean over the first axis."""
    return np.asarray(values - values.mean(axis=0), dtype=np.float64) if len(values) else values.astype(np.float64)

"""
Circles: A beats B, B beats C, and C beats A, each surely. No list of ratings can say the order of these three.

The boards of a pair decide, of which one bot was ahead on w, and the other on l; ties say nothing. If neither is
better, w has the binomial distribution with p = ½, so with the correction for whole numbers (A. Edwards, 1948)

    z = (|w − l| − 1) / √(w + l)

is at most as likely to be large as a standard normal number. The one beats the other if z is above L, where

    Φ(−L) = 0.05 / m

and m is the number of pairs with `MIN_DECIDED` boards or more that were no ties. Where all bots can be put in an order
in which no bot is ahead of a better one more often than not, as in every field where strengths add up, each circle has
a pair that is against that order. By chance that is found for one given pair with the probability 0.05 / m at most, so
for any of m with 0.05 at most (C. Bonferroni, 1936), whatever the pairs of a table have in common.

A circle of more than three bots that all have met often has one of three within it (M. Kendall and B. Babington Smith,
1940), so these are sought: a pair against the order of the ratings, and a bot that is beaten by the one and beats the
other.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ladder.ratings.batch import NORMAL
from ladder.ratings.pairs import PairIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from ladder.ratings.batch import Estimate

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]

FALSE = 0.05
"""The most probable that any circle is false."""
MIN_DECIDED = 20
"""Boards without a tie from which on a pair counts as one that may be found to be against the order."""
MAX_CIRCLES = 100
"""Those that are kept, the surest ones."""
MAX_AGAINST = 1000
"""Pairs against the order of the ratings from which circles are sought, the surest first: what a fit has time for."""


@dataclass(frozen=True, order=True)
class Step:
    """A bot that beats another."""

    version: int
    """The id of the one that beats."""
    ahead: int
    """Boards on which it was ahead."""
    behind: int


Circle = tuple[Step, Step, Step]
"""Each beats the next one, and the last one the first; the lowest id is first."""


@dataclass(frozen=True)
class _Beaten:
    """All pairs of which one surely beats the other."""

    winner: IntArray
    """(k,) Place."""
    loser: IntArray
    surety: FloatArray
    """(k,) z."""
    count: int

    def by(self, ends: IntArray) -> tuple[IntArray, IntArray]:
        """Sort the pairs by one end: (k,) their places, and (count + 1,) where those of each bot begin."""
        order = np.argsort(ends, kind="stable")
        return order, np.searchsorted(ends[order], np.arange(self.count + 1))

    def rounds(self, against: IntArray) -> Iterator[tuple[float, tuple[int, int, int]]]:
        """Yield each circle that one of these pairs begins: the least z, and its three pairs."""
        (by_winner, out), (by_loser, into) = self.by(self.winner), self.by(self.loser)
        for pair in against.tolist():
            first, second = self.winner[pair], self.loser[pair]
            beaten = by_winner[out[second] : out[second + 1]]
            beating = by_loser[into[first] : into[first + 1]]
            third = np.intersect1d(self.loser[beaten], self.winner[beating], assume_unique=True, return_indices=True)
            for there, back in zip(beaten[third[1]].tolist(), beating[third[2]].tolist(), strict=True):
                yield float(self.surety[[pair, there, back]].min()), (pair, there, back)


def limit(pairs: int) -> float:
    """
    Give L, the z above which one bot of a pair beats the other, where this number of pairs is looked at.

    >>> [round(limit(pairs), 2) for pairs in (1, 78, 1225)]
    [1.64, 3.22, 3.94]
    """
    return -NORMAL.inv_cdf(FALSE / max(1, pairs))


def find_circles(
    a: IntArray, b: IntArray, boards: FloatArray, score: FloatArray, ties: FloatArray, estimate: Estimate
) -> list[Circle]:
    """
    Find the circles of a variant, the surest first.

    Args:
        a: (m,) For each pair that met, the id of one bot; a pair may come in several parts and in either order.
        b: (m,) The id of the other.
        boards: (m,) Their boards.
        score: (m,) Boards on which a was ahead; a tie is one half.
        ties: (m,) Boards on which they tied.
        estimate: Tells where to begin. What is found does not depend on it, unless there are very many circles.
    """
    ids = np.unique(np.concatenate([a, b]))
    index = PairIndex.of(np.searchsorted(ids, a), np.searchsorted(ids, b), len(ids))
    leads, decided = index.summed_leads(2 * score - boards), index.summed(boards - ties)
    often = decided >= MIN_DECIDED
    surety = np.where(often, (np.abs(leads) - 1) / np.sqrt(np.maximum(decided, 1.0)), 0.0)
    sure = often & (surety > limit(int(np.count_nonzero(often))))
    wins = leads[sure] > 0
    low, high = index.a[sure], index.b[sure]
    beaten = _Beaten(np.where(wins, low, high), np.where(wins, high, low), surety[sure], len(ids))
    place = _places(ids, estimate)
    against = np.flatnonzero(place[beaten.winner] > place[beaten.loser])
    against = against[np.argsort(-beaten.surety[against], kind="stable")][:MAX_AGAINST]
    boards_of = np.stack([(decided[sure] + np.abs(leads[sure])) / 2, (decided[sure] - np.abs(leads[sure])) / 2], axis=1)

    def circle(pairs: tuple[int, int, int]) -> Circle:
        steps = [Step(int(ids[beaten.winner[pair]]), *map(round, boards_of[pair].tolist())) for pair in pairs]
        first = min(range(3), key=lambda number: steps[number].version)
        return steps[first], steps[first - 2], steps[first - 1]

    found = heapq.nlargest(3 * MAX_CIRCLES, beaten.rounds(against))  # each may begin at up to two of its pairs
    ordered = sorted((-surety, circle(pairs)) for surety, pairs in found)
    return [each for each, _ in itertools.groupby(each for _, each in ordered)][:MAX_CIRCLES]


def _places(ids: IntArray, estimate: Estimate) -> IntArray:
    """Give the place of each of these by rating, the best first; what the estimate lacks is behind."""
    known = dict(zip(estimate.versions.tolist(), estimate.ratings.tolist(), strict=True))
    order = sorted(range(len(ids)), key=lambda number: (-known.get(int(ids[number]), -np.inf), ids[number]))
    place = np.zeros(len(ids), dtype=np.int64)
    place[order] = np.arange(len(ids))
    return place

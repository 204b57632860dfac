"""
What a match is expected to teach about the order of the bots: from the posterior of the batch estimate.

Of two bots whose ratings differ by d, with a standard error of s, the order is open while z = d / s is small. A match
in which both sit tells of d with a variance of 2σ². It is expected to remove the share s² / (s² + 2σ²) of what is
unknown about d, so a pair has the gain

    g = exp(−z² / 2) · s² / (s² + 2σ²)

and a table has the sum of those of its pairs. A match that is planned counts at once: its bots are known as well as
they will be then, whatever its result. That takes rows of the covariance alone; what the match tells of bots that do
not sit in it is left to the next estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ladder.ratings.batch import PRIOR, UNIT, WIDE
from ladder.ratings.elo import START, steepness

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ladder.ratings.batch import Estimate

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]


class Information:
    """
    What is known about the bots that may play, and what pairs of them would gain by a match.

    Attributes:
        versions: Their ids.
        ratings: (n,) In Elo.
        gains: (n, n) g; 0 for a bot and itself.
        totals: (n,) Of each bot, the sum of its gains.
    """

    def __init__(self, versions: Sequence[int], ratings: FloatArray, covariance: FloatArray, weight: float) -> None:
        """
        Begin with what is known.

        Args:
            versions: Ids of n bots.
            ratings: (n,) In Elo.
            covariance: (n, n) Elo², relative to the mean of these bots.
            weight: What a pair of one match counts (`batch.pair_weight`).
        """
        self.versions = tuple(versions)
        self.ratings = ratings
        self._covariance = covariance
        self._weight = weight
        self._place = {version: place for place, version in enumerate(self.versions)}
        self.gains = self._gains(np.arange(len(versions)))
        self.totals = np.asarray(self.gains.sum(axis=1))

    @classmethod
    def of(cls, estimate: Estimate | None, versions: Sequence[int], weight: float) -> Information:
        """Take what an estimate says of *versions*; one that it lacks is known as the fit's prior knows it."""
        known = {} if estimate is None else {int(one): place for place, one in enumerate(estimate.versions)}
        here = np.array([place for place, version in enumerate(versions) if version in known], dtype=np.int64)
        there = np.array([known[version] for version in versions if version in known], dtype=np.int64)
        ratings, covariance = np.full(len(versions), START), np.diag(np.full(len(versions), PRIOR**2))
        if estimate is not None and len(here):
            ratings[here] = estimate.ratings[there]
            covariance[np.ix_(here, here)] = estimate.covariance[np.ix_(there, there)]
        covariance -= covariance.mean(axis=0)
        covariance -= covariance.mean(axis=1)[:, None]
        return cls(versions, ratings, covariance, weight)

    def copy(self) -> Information:
        """What is known now, to be changed apart."""
        twin = object.__new__(Information)
        twin.__dict__ = self.__dict__ | {
            "_covariance": self._covariance.copy(), "gains": self.gains.copy(), "totals": self.totals.copy()
        }  # fmt: skip
        return twin

    @property
    def variances(self) -> FloatArray:
        """(n,) Of each rating relative to the mean of all, in Elo²."""
        return np.maximum(self._covariance.diagonal(), 0.0)

    @property
    def errors(self) -> FloatArray:
        """(n,) The ± of each bot, in Elo."""
        return np.asarray(WIDE * np.sqrt(self.variances))

    def matches_until(self, error: float, sides: int) -> FloatArray:
        """(n,) About how many matches of four boards each bot needs until its ± is *error*; 0 if it is smaller."""
        noise = 4.0 * UNIT**2 / (self._weight * (sides - 1))  # of equal bots, in one match against all others
        return np.asarray(np.maximum(0.0, noise * ((WIDE / error) ** 2 - 1 / np.maximum(self.variances, 1e-9))))

    def expect(self, versions: Sequence[int], boards: int) -> None:
        """
        Count a match that will be played, or whose result the estimate does not know yet.

        Args:
            versions: The bots of its sides, each once; one that is not among these bots is left out.
            boards: Boards of the match.
        """
        table = np.array([self._place[version] for version in versions if version in self._place], dtype=np.int64)
        if len(table) < 2:
            return
        precision = self._precision(table, boards)
        rows = self._covariance[table]
        among = rows[:, table]
        rows = rows - among @ np.linalg.solve(np.eye(len(table)) + precision @ among, precision @ rows)
        self._covariance[table], self._covariance[:, table] = rows, rows.T
        gains = self._gains(table)
        self.totals += (gains - self.gains[table]).sum(axis=0)
        self.gains[table], self.gains[:, table] = gains, gains.T
        self.totals[table] = gains.sum(axis=1)

    def _precision(self, table: IntArray, boards: int) -> FloatArray:
        """(k, k) What a match of these bots adds to the inverse of their covariance."""
        steep, apart = steepness(boards) / UNIT, self.ratings[table, None] - self.ratings[table]
        pairs = self._weight * (steep / (2 * np.cosh(steep * apart / 2))) ** 2  # p (1 − p) is 1 / (2 cosh(x / 2))²
        np.fill_diagonal(pairs, 0.0)
        return np.asarray(np.diag(pairs.sum(axis=1)) - pairs)

    def _gains(self, rows: IntArray) -> FloatArray:
        """(k, n) g of the bots in these places with all."""
        variances = self._covariance.diagonal()
        open_ = np.maximum(variances[rows, None] + variances - 2.0 * self._covariance[rows], 1e-9)
        apart = self.ratings[rows, None] - self.ratings
        noise = 4.0 * UNIT**2 / self._weight  # 2σ²: of equal bots, in a match of four boards
        gains = np.exp(-(apart**2) / (2.0 * open_)) * open_ / (open_ + noise)
        gains[np.arange(len(rows)), rows] = 0.0
        return np.asarray(gains)

"""
The information that a match is expected to give about the order of the bots: from the posterior of the batch estimate.

Of two bots whose ratings differ by d, with a standard error of s, the order is open while z = d / s is small. A match
in which both sit tells of d with a variance of 2σ². It is expected to remove the share s² / (s² + 2σ²) of what is
unknown about d, so a pair has the gain

    g = exp(−z² / 2) · s² / (s² + 2σ²)

and a table has the sum of those of its pairs. A match that is planned counts at once: its bots are known as well as
they will be then, whatever its result. That takes rows of the covariance alone; what the match tells of bots that do
not sit in it is left to the next estimate. So the matrix is shared and stays, and the rows that changed are beside it:
a copy costs nothing.
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


class ChangedRows:
    """
    An (n, n) symmetric matrix of which c rows, and the same columns, were replaced.

    Reading or replacing k rows takes k (n + c) steps, whatever the matrix.
    """

    def __init__(self, matrix: FloatArray) -> None:
        """Begin with a matrix, which is kept as it is."""
        self._matrix = matrix
        self._places = np.zeros(0, dtype=np.int64)
        self._rows = np.zeros((0, len(matrix)))
        self._slots = np.full(len(matrix), -1)

    def copy(self) -> ChangedRows:
        """Copy the matrix, to be changed apart."""
        twin = ChangedRows(self._matrix)
        twin._places, twin._rows, twin._slots = self._places.copy(), self._rows.copy(), self._slots.copy()
        return twin

    def read(self, places: IntArray) -> FloatArray:
        """Read the rows in some places, (k, n)."""
        slots, changed = self._slots[places], self._rows[: len(self._places)]
        rows = np.asarray(self._matrix[places], dtype=np.float64)
        rows[:, self._places] = changed[:, places].T
        rows[slots >= 0] = changed[slots[slots >= 0]]
        return rows

    def replace(self, places: IntArray, rows: FloatArray) -> None:
        """Replace the (k, n) rows, and columns, in k different places."""
        self._make_room(places[self._slots[places] < 0])
        changed = self._rows[: len(self._places)]
        changed[:, places] = rows[:, self._places].T
        changed[self._slots[places]] = rows

    def _make_room(self, places: IntArray) -> None:
        """Keep more rows, as they are; twice as many fit whenever there is no room."""
        before = len(self._places)
        if before + len(places) > len(self._rows):
            wider = np.zeros((2 * (before + len(places)), self._rows.shape[1]))
            wider[:before] = self._rows[:before]
            self._rows = wider
        self._rows[before : before + len(places)] = self.read(places)
        self._slots[places] = np.arange(before, before + len(places))
        self._places = np.append(self._places, places)


ROWS = 256
"""For which gains are computed at once."""


class Information:
    """
    Knowledge about the bots that may play, and the gain of a match for pairs of them.

    Attributes:
        versions: Their ids.
        ratings: (n,) In Elo.
        variances: (n,) Of each rating relative to the mean of all, in Elo².
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
        self._covariance = ChangedRows(covariance)
        self.variances = np.maximum(covariance.diagonal(), 0.0)
        self._weight = weight
        self._place = {version: place for place, version in enumerate(self.versions)}
        self.totals = self._summed(np.ones(len(versions)))
        self._boundary: int | None = None
        self._near = self._near_totals = np.zeros(0)

    @classmethod
    def of(cls, estimate: Estimate | None, versions: Sequence[int], weight: float) -> Information:
        """Take what an estimate says of *versions*; one that it lacks is known as the fit's prior knows it."""
        known = {} if estimate is None else {int(one): place for place, one in enumerate(estimate.versions)}
        here = np.array([place for place, version in enumerate(versions) if version in known], dtype=np.int64)
        there = np.array([known[version] for version in versions if version in known], dtype=np.int64)
        ratings, covariance = np.full(len(versions), START), np.diag(np.full(len(versions), PRIOR**2))
        if estimate is not None and len(here):
            ratings[here] = estimate.ratings[there]
            covariance[np.ix_(here, here)] = estimate.rows(there)[:, there]
        covariance -= covariance.mean(axis=0)
        covariance -= covariance.mean(axis=1)[:, None]
        return cls(versions, ratings, covariance, weight)

    def copy(self) -> Information:
        """Copy what is known now, to be changed apart."""
        twin = object.__new__(Information)
        own = ("_covariance", "variances", "totals", "_near", "_near_totals")
        twin.__dict__ = self.__dict__ | {name: self.__dict__[name].copy() for name in own}
        return twin

    @property
    def errors(self) -> FloatArray:
        """(n,) The ± of each bot, in Elo."""
        return np.asarray(WIDE * np.sqrt(self.variances))

    def matches_until(self, error: float, sides: int) -> FloatArray:
        """Estimate how many matches of four boards each bot needs until its ± is *error*, (n,); 0 if it is smaller."""
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
        precision, before = self._precision(table, boards), self.gains(table)
        rows = self._covariance.read(table)
        among = rows[:, table]
        rows = rows - among @ np.linalg.solve(np.eye(len(table)) + precision @ among, precision @ rows)
        self._covariance.replace(table, rows)
        self.variances[table] = np.maximum(rows[np.arange(len(table)), table], 0.0)
        gains = self.gains(table)
        self.totals += (gains - before).sum(axis=0)
        self.totals[table] = gains.sum(axis=1)
        if self._boundary is not None:
            near = self._near[table]
            self._near[table] = self._nearness(table, self._boundary)
            self._near_totals += self._near[table] @ gains - near @ before
            self._near_totals[table] = gains @ self._near

    def near(self, boundary: int) -> tuple[FloatArray, FloatArray] | None:
        """
        Give how open it is on which side of the boundary each bot belongs, and the gains by that.

        What it takes n² steps to compute is kept, also by copies made after it.

        Args:
            boundary: The rank below which the boundary is; 0: there is none.

        Returns:
            (n,) nearness, up to 1, and for each bot the (n,) sum of its gains, each times the nearness of the other;
            None if there is no boundary.
        """
        if not 0 < boundary < len(self.ratings):
            return None
        if self._boundary != boundary:
            self._boundary, self._near = boundary, self._nearness(np.arange(len(self.ratings)), boundary)
            self._near_totals = self._summed(self._near)
        return self._near, np.maximum(self._near_totals, 0.0)

    def _nearness(self, places: IntArray, boundary: int) -> FloatArray:
        highest = -np.partition(-self.ratings, (boundary - 1, boundary))
        middle = (highest[boundary - 1] + highest[boundary]) / 2
        return np.asarray(np.exp(-((self.ratings[places] - middle) ** 2) / (2 * self.variances[places] + 1e-9)))

    def _summed(self, values: FloatArray) -> FloatArray:
        """Sum gain times value over all, for each bot: (n,)."""
        places = np.arange(len(self.versions))
        parts = [self.gains(places[start : start + ROWS]) @ values for start in range(0, len(places), ROWS)]
        return np.concatenate([np.zeros(0), *parts])

    def _precision(self, table: IntArray, boards: int) -> FloatArray:
        """Compute what a match of these bots adds to the inverse of their covariance, (k, k)."""
        steep, apart = steepness(boards) / UNIT, self.ratings[table, None] - self.ratings[table]
        pairs = self._weight * (steep / (2 * np.cosh(steep * apart / 2))) ** 2  # p (1 − p) is 1 / (2 cosh(x / 2))²
        np.fill_diagonal(pairs, 0.0)
        return np.asarray(np.diag(pairs.sum(axis=1)) - pairs)

    def gains(self, rows: IntArray) -> FloatArray:
        """Compute g of the bots in these places with all, (k, n); 0 for a bot and itself."""
        open_ = self.variances[rows, None] + self.variances - 2.0 * self._covariance.read(rows)
        open_ = np.maximum(open_, 1e-9)
        apart = self.ratings[rows, None] - self.ratings
        noise = 4.0 * UNIT**2 / self._weight  # 2σ²: of equal bots, in a match of four boards
        gains = np.exp(-(apart**2) / (2.0 * open_)) * open_ / (open_ + noise)
        gains[np.arange(len(rows)), rows] = 0.0
        return np.asarray(gains)

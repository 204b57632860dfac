"""A symmetric matrix that is shared and stays, and beside it the rows that changed: a copy costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

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

"""States of tables, saved at one moment and restored later."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from pigpen.learn.native_tables import NativeTables
    from pigpen.learn.python_tables import PythonTables
    from pigpen.rules import Rules


class SavedTables:
    """
    States of tables, made by `Tables.save`: a sequence that numpy's ways of indexing take states from.

    >>> from pigpen.learn import Tables
    >>> tables = Tables("hearts", games=100, seed=7)
    >>> saved = tables.save()
    >>> tables.step(tables.random_actions())
    >>> tables.restore(saved)
    >>> len(saved), len(saved[3]), len(saved[[5, 5, 5]]), len(saved[:10])
    (100, 1, 3, 10)

    A state holds all hands, and the random numbers of the deals that follow at its table. It can be pickled, as
    `Tables` can.
    """

    def __init__(self, rules: Rules, tables: NativeTables | PythonTables, count: int) -> None:
        """
        Keep states.

        Args:
            rules: The variant.
            tables: The tables that hold them; they are never stepped.
            count: Number of them.
        """
        self.rules: Rules = rules
        """The variant."""
        self._tables, self._count = tables, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, numbers: slice) -> SavedTables: ...

    @overload
    def __getitem__(self, numbers: ArrayLike) -> SavedTables: ...

    def __getitem__(self, numbers: slice | ArrayLike) -> SavedTables:
        chosen = numbers_of(numbers, self._count)
        return SavedTables(self.rules, self._tables.chosen(chosen), len(chosen))

    def _put_into(self, tables: NativeTables | PythonTables, chosen: NDArray[np.int64]) -> None:
        """Let the chosen tables of others have these states."""
        tables.replace(chosen, self._tables)


def numbers_of(numbers: Any, count: int) -> NDArray[np.int64]:
    """
    List the numbers of tables that an index of numpy's names; None: all *count*.

    Raises:
        IndexError: If there is no such table.
    """
    import numpy as np

    every = np.arange(count, dtype=np.int64)
    return every if numbers is None else every[numbers].reshape(-1)

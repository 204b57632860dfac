"""Tables that leave columns out until they fit the terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from rich import box
from rich.cells import cell_len
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ladder.terminal.ladder_words import cell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console, JustifyMethod

Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table."""

    heading: str
    of: Callable[[Row], str]
    justify: JustifyMethod = "right"
    goes: int = 0
    """Columns that do not fit go by this number, the lowest first; 0 stays."""
    is_cut: bool = False
    """Its contents are of any length, such as names; of a full terminal it takes only a part of the width."""


def fitting(
    rows: Sequence[Row],
    columns: Sequence[Column[Row]],
    console: Console,
    style: Callable[[Row], str],
) -> tuple[Table, Sequence[Column[Row]]]:
    """
    Make a table with as many columns as there is room for.

    Args:
        rows: A row for each.
        columns: All that there might be.
        console: Where it is to fit.
        style: How a row looks, as rich writes it.

    Returns:
        The table, and the columns that it has.
    """
    while True:
        table = _table(rows, columns, console, style)
        goes = min((column.goes for column in columns if column.goes), default=0)
        wide = Measurement.get(console, console.options.update(max_width=1000), table).maximum
        if wide <= console.width or not goes:
            _widen(table, columns, console.width - wide)
            return table, columns
        columns = [column for column in columns if column.goes != goes]


def _widen(table: Table, columns: Sequence[Column[Row]], room: int) -> None:
    """Give columns whose contents are cut the room that is left, the first one first."""
    for column, made in zip(columns, table.columns, strict=True):
        if column.is_cut and made.max_width is not None:
            more = min(room, max(map(_width, made.cells), default=0) - made.max_width)
            made.max_width += max(0, more)
            room -= max(0, more)


def _width(text: object) -> int:
    return cell_len(str(text))


def _table(rows: Sequence[Row], columns: Sequence[Column[Row]], console: Console, style: Callable[[Row], str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for column in columns:
        widest = max(12, console.width // 5) if column.is_cut else None
        table.add_column(Text(column.heading), justify=column.justify, no_wrap=True, max_width=widest)
    for row in rows:
        table.add_row(*(cell(console, column.of(row), style(row)) for column in columns))
    return table

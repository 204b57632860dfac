"""
Wording and tables of the ladder's commands.

Figures and names are put alike by all commands. Tables leave columns out until they fit the terminal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from rich import box
from rich.cells import cell_len
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ladder.terminal.sanitize import folded
from ladder.values.names import label as label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from rich.console import Console, JustifyMethod

LEVELS = "▁▂▃▄▅▆▇█"
NOTHING = "–"
"""Stands where nothing is known yet."""


def when(moment: datetime | None) -> str:
    """Give a time to the minute, as clocks here show it."""
    return NOTHING if moment is None else moment.astimezone().strftime("%Y-%m-%d %H:%M")


def percent(share: float | None, digits: int = 0) -> str:
    """
    Give a share of 0 to 1 in percent; what is not quite none or all does not look like it.

    >>> percent(0.4), percent(0.0), percent(0.0001, 2), percent(0.00001, 2), percent(0.999)
    ('40', '0', '0.01', '<0.01', '>99')
    """
    if share is None:
        return NOTHING
    if share in (0, 1):
        return f"{share * 100:.0f}"
    least = 10**-digits
    if share * 100 < least / 2:
        return f"<{least:g}"
    if share * 100 > 100 - least / 2:
        return f">{100 - least:g}"
    return f"{share * 100:.{digits}f}"


def moved(change: float | None, digits: int = 0) -> str:
    """Give a change of Elo with its sign."""
    if change is None:
        return NOTHING
    text = f"{change:+.{digits}f}"
    return text if float(text) else f"{0:.{digits}f}"


def sparkline(values: Sequence[float], least: float = 20.0) -> str:
    """
    Draw numbers as bars, the lowest first level, the highest last.

    Args:
        values: One bar for each.
        least: The smallest range that fills the height. Values that lie closer together get lower bars, so that
            small changes do not look large.
    """
    if not values:
        return ""
    low, span = min(values), max(least, max(values) - min(values))
    return "".join(LEVELS[round((value - low) / span * (len(LEVELS) - 1))] for value in values)


def thinned(values: Sequence[float], max_values: int) -> Sequence[float]:
    """Choose at most *max_values* of the numbers, evenly spread, with the first and the last."""
    if len(values) <= max_values:
        return values
    return [values[round(place * (len(values) - 1) / (max_values - 1))] for place in range(max_values)]


def head(console: Console, text: str) -> None:
    """Print a heading, with room before it."""
    console.print()
    say(console, text, "bold")


def say(console: Console, text: str, style: str | None = None) -> None:
    """Print a line whatever is in it: strangers' words do nothing, and long lines are not cut."""
    console.print(folded(text, console.encoding), markup=False, highlight=False, soft_wrap=True, style=style)


def cell(console: Console, text: str, style: str = "") -> Text:
    """Make strangers' words fit for a table."""
    return Text(folded(text, console.encoding), style=style)


def plain_table(*headings: str, right: Iterable[str] = (), wrapped: Iterable[str] = ()) -> Table:
    """
    Make a table of the look that all tables of the ladder have.

    Args:
        headings: One for each column.
        right: The columns that hold numbers.
        wrapped: The columns that may continue in a second line.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for heading in headings:
        justify: JustifyMethod = "right" if heading in right else "left"
        table.add_column(heading, justify=justify, no_wrap=heading not in wrapped)
    return table


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

"""Tables as CSV, with a comma, a semicolon or a tab between the cells, as programs for tables save them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.values.text import csv_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DELIMITERS = ",;\t"
NO_CSV = (
    "this is not CSV: a cell that begins with a quotation mark ends with one, and has two for each one within; and no "
    "cell is longer than 131,072 characters"
)


@dataclass(frozen=True)
class CsvRow:
    """A row of a table."""

    line: int
    """The last line of it in the file, from 1."""
    cells: dict[str, str]
    """By the columns' names."""


def csv_rows(text: str) -> tuple[Sequence[str], list[CsvRow]]:
    """
    Read a table whose first line names its columns; names are lower case then, and cells without space around them.

    Lines end with LF, CR LF, or CR alone.

    Returns:
        The columns, and the rows; those without any text are left out.

    Raises:
        UserError: If it is no such table, or two columns have one name; it names the line.
    """
    text = io.StringIO(text, newline=None).getvalue()
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text), strict=True, delimiter=max(DELIMITERS, key=first.count))
    try:
        lines = [(reader.line_num, [cell.strip() for cell in line]) for line in reader]
    except csv.Error:
        raise UserError(f"line {reader.line_num}: {NO_CSV}") from None
    columns = [name.lower() for name in lines[0][1]] if lines else []
    if twice := next((each for each in columns if each and columns.count(each) > 1), None):
        raise UserError(f"the first line names the column {twice!r} twice: leave out or rename one")
    rows = []
    for number, line in lines[1:]:
        if any(line[len(columns) :]):
            raise UserError(f"line {number} has {len(line)} cells, and the first line names {len(columns)} columns")
        if any(line):
            rows.append(CsvRow(number, dict(zip(columns, line + [""] * len(columns), strict=False))))
    return columns, rows


def csv_text(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Write a table; what people have written in its cells is no formula to programs for tables."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(each) for each in row] for row in rows)
    return text.getvalue()

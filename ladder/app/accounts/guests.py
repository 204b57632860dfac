"""Persons who are to be invited, and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.text_file import text_of
from ladder.entry.claims import skeleton
from ladder.errors import UserError
from ladder.values.csv_rows import csv_rows
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ladder.values.csv_rows import CsvRow

MAX_GUESTS = 1000
"""Persons whom one list invites."""
MAX_LIST_BYTES = 1 << 20
COLUMNS = ("name", "note", "group")


@dataclass(frozen=True)
class Guest:
    """A person to be invited."""

    name: str | None
    """The account's, which may be that of an owner who has bots already; None: the person chooses it."""
    note: str
    group: str | None = None
    """Into which the account comes; None: into none."""
    place: str = ""
    """File and line of the list in which the person stands; empty: in none."""


def read_guests(path: Path) -> list[Guest]:
    """
    Read a list of persons from a CSV file, with the columns *name*, *note* and *group*; *name* or *note* is there.

    Raises:
        UserError: If it is no such list, has another column, no person or more than `MAX_GUESTS`, or names of two
            persons or two groups are the same to a reader.
    """
    text = text_of(path, MAX_LIST_BYTES)
    try:
        rows = _rows(text)
    except UserError as error:
        raise UserError(f"{path}: {error}.") from None
    return [
        Guest(cells.get("name") or None, cells.get("note", ""), cells.get("group") or None, f"{path}: line {row.line}")
        for row in rows
        for cells in (row.cells,)
    ]


def _rows(text: str) -> list[CsvRow]:
    columns, rows = csv_rows(text)
    if not {"name", "note"} & set(columns):
        raise UserError("the first line must name the columns: name,note,group (not all are needed, but name or note)")
    for each in columns:
        if each not in COLUMNS and (each or any(row.cells[each] for row in rows)):
            raise UserError(
                f"there is no column {each!r}: the columns are name, note and group. Rename it or leave it out"
            )
    if not 1 <= len(rows) <= MAX_GUESTS:
        raise UserError(f"it has {counted(len(rows), 'person', 'persons')}; a list has 1 to {MAX_GUESTS}")
    _check_names(rows)
    return rows


def _check_names(rows: Sequence[CsvRow]) -> None:
    """Make sure that no two names of persons, and no two of groups, are the same to a reader."""
    for column in ("name", "group"):
        known: dict[str, CsvRow] = {}
        for row in rows:
            name = row.cells.get(column, "")
            there = known.setdefault(skeleton(name), row) if name else row
            other = there.cells.get(column, "")
            if other != name:
                raise UserError(f"line {row.line}: {name!r} looks like {other!r} in line {there.line}")
            if column == "name" and there is not row:
                raise UserError(f"line {row.line}: {name!r} stands in line {there.line}, too")

"""Persons who are to be invited, and lists of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app.text_file import text_of
from ladder.errors import UserError
from ladder.values.csv_rows import csv_rows
from ladder.values.text import counted

if TYPE_CHECKING:
    from pathlib import Path

MAX_GUESTS = 1000
"""Persons whom one list invites."""
MAX_LIST_BYTES = 1 << 20


@dataclass(frozen=True)
class Guest:
    """A person to be invited."""

    line: int
    """Of the list in which the person stands; 0: of none."""
    name: str | None
    """The account's, which may be that of an owner who has bots already; None: the person chooses it."""
    note: str
    group: str | None = None
    """Into which the account comes; None: into none."""


def read_guests(path: Path) -> list[Guest]:
    """
    Read a list of persons from a CSV file, with the columns *name*, *note* and *group*; *name* or *note* is there.

    Raises:
        UserError: If it is no such list, has no person or more than `MAX_GUESTS`, or two have one name.
    """
    text = text_of(path, MAX_LIST_BYTES)
    try:
        return _guests(text)
    except UserError as error:
        raise UserError(f"{path}: {error}.") from None


def _guests(text: str) -> list[Guest]:
    columns, rows = csv_rows(text)
    if not {"name", "note"} & set(columns):
        raise UserError("the first line must name the columns: name,note,group (not all are needed, but name or note)")
    guests = [
        Guest(row.line, row.cells.get("name") or None, row.cells.get("note", ""), row.cells.get("group") or None)
        for row in rows
    ]
    if not 1 <= len(guests) <= MAX_GUESTS:
        raise UserError(f"it has {counted(len(guests), 'person', 'persons')}; a list has 1 to {MAX_GUESTS}")
    names: dict[str, int] = {}
    for guest in guests:
        if guest.name and names.setdefault(guest.name, guest.line) != guest.line:
            raise UserError(f"line {guest.line}: {guest.name!r} stands in line {names[guest.name]}, too")
    return guests

"""The standings and the tables of an event as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from ladder.values.text import csv_cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.held_events import EventPage

TABLES = ("round", "stage", "kind", "table", "match", "bot", "entrant", "board_points", "boards", "deals", "status")
"""The columns of the tables."""


def standings_csv(page: EventPage) -> str:
    """Write a line for each place: the bot, what decides in order, and why it is before the next one."""
    entrants = {one.name: one for one in page.entrant_list}
    criteria = [(place, word) for place, word in enumerate(page.criteria) if word != "lot"]
    columns = ("place", "bot", "version", "owner", *(word.replace(" ", "_") for _, word in criteria), "why", "stage")
    return _text(
        columns,
        (
            (
                one.place, one.name, entrants[one.name].version, entrants[one.name].owner,
                *(one.values[place] for place, _ in criteria), one.why, one.stage,
            )
            for one in page.standings
        ),
    )  # fmt: skip


def tables_csv(page: EventPage) -> str:
    """Write a line for each bot at each table, as far as it is public."""
    return _text(
        TABLES,
        (
            (
                one.number, one.stage, one.kind, table.number, table.match, bot, table.entrants[seat],
                table.points[seat] if table.points else None, len(table.boards) if table.boards else None,
                table.deals, table.status,
            )
            for one in page.round_list
            for table in one.tables
            for seat, bot in enumerate(table.bots)
        ),
    )  # fmt: skip


def _text(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([csv_cell(each) for each in row] for row in rows)
    return text.getvalue()

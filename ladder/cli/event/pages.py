"""Events on a ladder, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import typer
from rich.console import Console

from ladder.cli.event.tables import standing_columns
from ladder.terminal.fitting_table import Column, fitting
from ladder.terminal.sanitize import sanitize
from ladder.values.held_events import EventEntrant, EventRow, EventTableRow
from ladder.values.names import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.held_events import EventPage, EventRoundPage

Row = TypeVar("Row")
STATUSES = {"queued": "waits", "leased": "is played", "done": ""}
EVENTS = (
    Column[EventRow]("event", lambda row: row.name, "left"),
    Column[EventRow]("title", lambda row: row.title, "left", is_cut=True),
    Column[EventRow]("variant", lambda row: row.variant, "left"),
    Column[EventRow]("state", lambda row: row.state, "left"),
    Column[EventRow]("entrants", lambda row: f"{row.entrants} of {row.most}"),
    Column[EventRow]("rounds", lambda row: str(row.rounds)),
)
ENTRANTS = (
    Column[EventEntrant]("number", lambda row: str(row.number)),
    Column[EventEntrant]("bot", lambda row: label(row.name, row.version), "left", is_cut=True),
    Column[EventEntrant]("owner", lambda row: row.owner, "left", is_cut=True),
    Column[EventEntrant]("rating", lambda row: "" if row.rating is None else f"{row.rating:.0f}"),
    Column[EventEntrant]("", lambda row: "" if row.left_after is None else f"left after {row.left_after}", "left"),
)
TABLES = (
    Column[EventTableRow]("table", lambda row: str(row.number)),
    Column[EventTableRow]("bots", lambda row: _bots(row), "left", is_cut=True),
    Column[EventTableRow]("match", lambda row: "" if row.match is None else str(row.match)),
    Column[EventTableRow]("", lambda row: _status(row), "left"),
)


def print_events(events: Sequence[EventRow]) -> None:
    """Print a list of events."""
    if not events:
        typer.echo("There is no event on this ladder yet. An organiser opens one with: pigpen event open FILE")
        return
    _print(events, EVENTS)


def print_page(page: EventPage) -> None:
    """Print one event."""
    reason = f" ({page.reason})" if page.reason else ""
    typer.echo(sanitize(f"{page.title}, {page.variant}: {page.state}{reason}"))
    typer.echo(sanitize(f"Commitment: SHA-256 {page.commitment}"))
    if page.entrants_hash:
        typer.echo(sanitize(f"Entrants: SHA-256 {page.entrants_hash}"))
    if page.seed:
        typer.echo(sanitize(f"Seed: {page.seed}"))
    wanted = str(page.most) if page.fewest == page.most else f"{page.fewest} to {page.most}"
    typer.echo(sanitize(f"{page.entrants} of {wanted} bots have entered."))
    if page.entrant_list and not page.standings:
        _print(page.entrant_list, ENTRANTS)
    for each in page.round_list[-2:]:
        _print_round(each)
    if page.standings:
        typer.echo(sanitize(f"\n{page.stage}", spared="\n"))
        _print(page.standings, standing_columns(page.criteria))


def _print_round(page: EventRoundPage) -> None:
    what = "play-off" if page.kind == "play-off" else "round"
    typer.echo(sanitize(f"\nRound {page.number}: {page.stage}, {what} {page.round}, {page.format}", spared="\n"))
    _print(page.tables, TABLES)
    for table in page.tables:
        for ruling in table.rulings:
            typer.echo(sanitize(f"Ruling, table {table.number}: {', '.join(ruling.last)} last. {ruling.reason}"))


def _print(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> None:
    console = Console()
    table, _ = fitting(rows, columns, console, lambda _: "")
    console.print(table)


def _bots(row: EventTableRow) -> str:
    if row.points is None:
        return ", ".join(row.bots)
    ranked = sorted(zip(row.points, row.bots, strict=True), key=lambda each: -each[0])
    return ", ".join(f"{bot} {points:g}" for points, bot in ranked)


def _status(row: EventTableRow) -> str:
    again = f", played {row.turn + 1} times" if row.turn else ""
    return STATUSES.get(row.status, row.status) + again

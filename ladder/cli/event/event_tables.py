"""Events on a ladder as terminal output: their lists and pages, plans, draws and simulations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

import typer
from rich.console import Console

from ladder.events.scoring import figure
from ladder.terminal.ladder_words import Column, fitting
from ladder.terminal.sanitize import sanitize
from ladder.values.events import EventPlace
from ladder.values.held_events import EventEntrant, EventRow, EventState, EventTableRow
from ladder.values.names import label
from ladder.values.text import counted
from ladder.values.value import in_utc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ladder.values.events import (
        Chances,
        DrawnTable,
        EntrantChance,
        EventCheck,
        EventDraw,
        EventSimulation,
        Plan,
        PlannedStage,
    )
    from ladder.values.held_events import EventPage, EventRoundPage

METHODS = {
    "design": "a design in which every two meet equally often, or at most once",
    "order": "the order by seeding, lot or places, with bots of one owner and those who have met kept apart",
    "optimum": "no other tables cost as little",
    "search": "a search; the bound says how much cheaper others might be",
}
STAGES: tuple[Column[PlannedStage], ...] = (
    Column("stage", lambda row: row.stage, "left", is_cut=True),
    Column("kind", lambda row: row.kind, "left"),
    Column("bots", lambda row: str(row.entrants)),
    Column("rounds", lambda row: str(row.rounds)),
    Column("tables", lambda row: str(row.tables), goes=2),
    Column("matches", lambda row: str(row.matches), goes=3),
    Column("deals", lambda row: f"{row.deals:,}"),
    Column("share", lambda row: f"{row.share:.0%}"),
    Column("two meet", lambda row: "" if row.meetings is None else f"{row.meetings[0]}×", goes=1),
)
TABLES: tuple[Column[DrawnTable], ...] = (
    Column("table", lambda row: str(row.number)),
    Column("bots", lambda row: ", ".join(row.bots), "left"),
    Column("seed", lambda row: row.seed[:16] + "…", "left", goes=1),
)

CHANCES: tuple[Column[Chances], ...] = (
    Column("format", lambda row: row.name, "left", is_cut=True),
    Column("deals", lambda row: f"{row.deals:,}", goes=5),
    Column("best wins", lambda row: f"{row.best_wins:.3f} ± {row.best_wins_error:.3f}"),
    Column("one of 3 best", lambda row: f"{row.best_three_win:.3f}"),
    Column("best in top 3", lambda row: f"{row.best_in_three:.3f}", goes=4),
    Column("τ", lambda row: f"{row.tau:.2f}", goes=2),
    Column("Elo lost", lambda row: f"{row.elo_lost:.1f}", goes=3),
    Column("hours", lambda row: f"{row.hours[0]:.2f}"),
    Column("95 %", lambda row: f"{row.hours[1]:.2f}", goes=6),
    Column("last stage", lambda row: f"{row.last_table:.0%}", goes=1),
)
EACH: tuple[Column[EntrantChance], ...] = (
    Column("bot", lambda row: row.name, "left", is_cut=True),
    Column("rating", lambda row: f"{row.rating:.0f}"),
    Column("wins", lambda row: f"{row.wins:.3f}"),
    Column("first three", lambda row: f"{row.first_three:.3f}"),
)


def print_check(found: EventCheck) -> None:
    """Print what is wrong, what is unwise, and the plans."""
    console = Console()
    for sentence in found.wrong:
        typer.echo(sanitize(f"Wrong: {sentence}"))
    for sentence in found.unwise:
        typer.echo(sanitize(f"Unwise: {sentence}"))
    for sentence in found.exceptions:
        typer.echo(sanitize(f"Note: {sentence}"))
    if not found.wrong and not found.unwise:
        typer.echo(sanitize(f"{found.name}: nothing is wrong or unwise."))
    for plan in found.plans:
        _print_plan(plan, console)


def _print_plan(plan: Plan, console: Console) -> None:
    typer.echo(
        sanitize(f"\nWith {plan.entrants} entrants: {plan.deals:,} deals, about {_hours(plan.hours)}", spared="\n")
    )
    table, _ = fitting(plan.stages, STAGES, console, lambda _: "")
    console.print(table)


def print_draw(found: EventDraw) -> None:
    """Print a round, or the places at the end; and the standings so far."""
    console = Console()
    if found.kind == "over":
        typer.echo(sanitize(f"{found.event} is over."))
    else:
        what = "Play-off" if found.kind == "play-off" else "Round"
        typer.echo(sanitize(f"{found.event}, {found.stage}: {what} {found.round}, {found.format}"))
        table, _ = fitting(found.tables, TABLES, console, lambda _: "")
        console.print(table)
        typer.echo(sanitize(f"Drawn by: {METHODS[found.method]}."))
        if found.method in ("order", "optimum", "search"):
            typer.echo(sanitize(f"Cost {_cost(found.cost)}; no tables cost less than {_cost(found.bound)}."))
    if found.standings:
        typer.echo("")
        table, _ = fitting(found.standings, standing_columns(found.criteria, found.standings), console, lambda _: "")
        console.print(table)
        for line in margin_lines(found.standings, found.criteria):
            typer.echo(sanitize(line))
    typer.echo(sanitize(f"Entrants: SHA-256 {found.entrants_hash}"))


def print_simulation(found: EventSimulation) -> None:
    """Print the chances of each format, what is recommended, and the chances of each entrant."""
    console = Console()
    typer.echo(sanitize(f"{found.entrants} entrants, {found.formats[0].events:,} simulated events of each format"))
    table, _ = fitting([*found.formats, found.recommended], CHANCES, console, lambda _: "")
    console.print(table)
    typer.echo(sanitize(found.recommendation))
    if found.each:
        typer.echo("")
        table, _ = fitting(found.each, EACH, console, lambda _: "")
        console.print(table)


def standing_columns(criteria: Sequence[str], standings: Sequence[EventPlace]) -> list[Column[EventPlace]]:
    """Give the columns of standings: what decides, in order, why each is before the next, and where it went out."""

    def value(row: EventPlace, place: int) -> str:
        return "" if (found := row.values[place]) is None else figure(found)

    columns = [
        Column[EventPlace]("place", lambda row: str(row.place)),
        Column[EventPlace]("bot", lambda row: row.name, "left", is_cut=True),
    ]
    for place, name in enumerate(criteria):
        if name not in ("lot", "head to head"):
            columns.append(Column(name, lambda row, place=place: value(row, place), goes=2 * (len(criteria) - place)))  # type: ignore[misc]
    out = Column[EventPlace]("went out in", _went_out, "left", goes=2 * len(criteria) - 1)
    return [
        *columns,
        *([out] if any(row.out_after is not None for row in standings) else []),
        Column("why before the next", lambda row: row.why, "left"),
        Column("better with", lambda row: _better(row), goes=2 * len(criteria) + 1),
    ]


def _went_out(row: EventPlace) -> str:
    return "" if row.out_after is None else f"{row.stage}, round {row.out_after}"


def _better(row: EventPlace) -> str:
    if row.margin is None:
        return ""
    return f"{'≈ ' if row.margin.is_tied else ''}{row.margin.superiority:.1%}"


def margin_lines(standings: Sequence[EventPlace], criteria: Sequence[str]) -> Iterator[str]:
    """Say how sure the first place is, and what the mark of places that are statistically level means."""
    if len(standings) > 1 and (margin := standings[0].margin):
        one, other = standings[0], standings[1]
        own, following = one.values[0], other.values[0]
        scores = "" if own is None or following is None else f" {figure(own)} to {figure(following)}"
        shared = "" if margin.together == margin.boards else f", {margin.together} of them at one table"
        boards = counted(margin.boards, f"board{shared}", f"boards{shared}")
        by = f" Before by: {one.why}." if not margin.difference else ""
        level = " Statistically they are level." if margin.is_tied else ""
        yield (
            f"Places 1 and 2, {one.name} and {other.name}: {criteria[0]}{scores} on {boards}, a difference of "
            f"{figure(margin.difference)} ± {figure(margin.plus_minus)}. {one.name} is the better one with a "
            f"likelihood of {margin.superiority:.1%}.{by}{level}"
        )
    if any(row.margin and row.margin.is_tied for row in standings):
        yield "≈: statistically level with the next place (docs/events.md)."


def _cost(cost: tuple[int, int, int]) -> str:
    return f"{cost[0]} pairs of one owner, {cost[1]} for meetings, {cost[2] / 100_000:g} for places and lots"


def _hours(hours: float) -> str:
    minutes = math.ceil(hours * 60)
    return f"{hours:.1f} hours" if hours >= 1.05 else counted(minutes, "minute")


Row = TypeVar("Row")
STATUSES = {"queued": "waits", "leased": "is played", "done": ""}
LEFT = {
    "withdrawal": "it was withdrawn",
    "nonce": "it has revealed no nonce",
    "takeovers": "the default policy took it over at {tables}",
}
"""Reasons for which a bot leaves an event."""
UNLISTED = {
    "check-in": "it did not check in",
    "full": "all places were taken",
    "withdrawn": "an organiser withdrew it",
}
"""Reasons for which a bot that had entered is not on the list of entrants."""
EVENTS = (
    Column[EventRow]("event", lambda row: row.name, "left"),
    Column[EventRow]("title", lambda row: row.title, "left", is_cut=True),
    Column[EventRow]("variant", lambda row: row.variant, "left"),
    Column[EventRow]("state", lambda row: row.state, "left"),
    Column[EventRow]("entrants", lambda row: f"{row.entrants - row.waiting} of {row.most}"),
    Column[EventRow]("rounds", lambda row: str(row.rounds)),
)
ENTRANTS = (
    Column[EventEntrant]("number", lambda row: str(row.number)),
    Column[EventEntrant]("bot", lambda row: label(row.name, row.version), "left", is_cut=True),
    Column[EventEntrant]("owner", lambda row: row.owner, "left", is_cut=True),
    Column[EventEntrant]("rating", lambda row: "" if row.rating is None else f"{row.rating:.0f}"),
    Column[EventEntrant]("", lambda row: _entry_state(row), "left"),
)
RESULT_TABLES = (
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
    held = ", on hold" if page.on_hold else ""
    typer.echo(sanitize(f"{page.title}, {page.variant}: {page.state}{held}{reason}"))
    typer.echo(sanitize(f"Commitment: SHA-256 {page.commitment}"))
    if page.entrants_hash:
        typer.echo(sanitize(f"Entrants: SHA-256 {page.entrants_hash}"))
    if page.stamp:
        typer.echo(sanitize(f"Chain: {page.stamp}"))
    if page.official:
        typer.echo(sanitize(f"The results are official since {in_utc(page.official)}."))
    elif page.appeals_until:
        typer.echo(sanitize(f"The results will be official from {in_utc(page.appeals_until)} on."))
    own = sum(one.has_own_nonce for one in page.entrant_list)
    if own:
        typer.echo(sanitize(f"{counted(own, 'entrant has a nonce', 'entrants have nonces')} of their own."))
    if page.state is EventState.FROZEN and (missing := [one.name for one in page.entrant_list if one.nonce is None]):
        until = f" until {in_utc(page.reveals_until)}" if page.reveals_until else ""
        typer.echo(sanitize(f"To be revealed{until}, with pigpen event reveal {page.name}: {', '.join(missing)}"))
    if page.beacon:
        value = "not known yet" if page.beacon_value is None else "known"
        typer.echo(sanitize(f"Beacon: {page.beacon} ({value})"))
    if page.contributions:
        typer.echo(sanitize(f"Contributions: SHA-256 {page.contributions}"))
    if page.seed:
        typer.echo(sanitize(f"Seed: {page.seed}"))
    wanted = str(page.most) if page.fewest == page.most else f"{page.fewest} to {page.most}"
    waiting = f"; {page.waiting} more on the waiting list" if page.waiting else ""
    typer.echo(sanitize(f"{page.entrants - page.waiting} of {wanted} bots have entered{waiting}."))
    if page.check_in and page.freezes and page.state is EventState.OPEN:
        present = sum(one.checked_in is not None for one in page.entrant_list)
        when = f"Check-in from {in_utc(page.check_in)} to {in_utc(page.freezes)}"
        typer.echo(sanitize(f"{when}, with pigpen event check-in {page.name} BOT: {present} of {page.entrants} have."))
    if page.entrant_list and not page.standings:
        _print(page.entrant_list, ENTRANTS)
    for one in page.entrant_list:
        if one.left_after is not None:
            tables = " and ".join(f"table {table} of round {number}" for number, table in one.taken_over)
            why = LEFT[one.left_by or "withdrawal"].format(tables=tables)
            typer.echo(sanitize(f"{one.name} has left after {counted(one.left_after, 'round')}: {why}."))
    for out in page.unlisted:
        by = f" ({out.by})" if out.by else ""
        typer.echo(sanitize(f"{label(out.name, out.version)} is not on the list: {UNLISTED[out.reason]}{by}."))
    for each in page.round_list[-2:]:
        _print_round(each)
    if page.standings:
        typer.echo(sanitize(f"\n{page.stage}", spared="\n"))
        _print(page.standings, standing_columns(page.criteria, page.standings))
        for line in margin_lines(page.standings, page.criteria):
            typer.echo(sanitize(line))


def _entry_state(row: EventEntrant) -> str:
    """Say what is particular about an entry, in a few words."""
    found = [f"waits, number {row.waiting}"] if row.waiting else []
    if row.checked_in:
        found.append("checked in" if row.checked_in_by == row.owner else "checked in by an organiser")
    return ", ".join([*found, *([] if row.left_after is None else [f"left after {row.left_after}"])])


def _print_round(page: EventRoundPage) -> None:
    what = "play-off" if page.kind == "play-off" else "round"
    typer.echo(sanitize(f"\nRound {page.number}: {page.stage}, {what} {page.round}, {page.format}", spared="\n"))
    _print(page.tables, RESULT_TABLES)
    for table in page.tables:
        for redo in table.redos:
            before = "" if redo.points is None else f", after {', '.join(f'{each:g}' for each in redo.points)}"
            typer.echo(sanitize(f"Played again, table {table.number}{before}: {redo.reason}"))
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
    again = f"played {row.turn + 1} times" if row.turn else ""
    over = f"{', '.join(row.taken_over)} taken over" if row.taken_over else ""
    return ", ".join(filter(None, (STATUSES.get(row.status, row.status), again, over)))

"""
`pigpen matches` and `pigpen explain`: matches as a table, one match in detail, and its rating changes.

`pigpen matches` shows what is played, and what has been; `pigpen explain` how a match moved the ratings, and why.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.results.standings import VariantOption
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.ladder_words import NOTHING, cell, head, label, moved, plain_table, say, when
from ladder.values.text import counted
from referee.records.framing import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.table import Table

    from ladder.values.matches import Explanation, MatchPage, MatchRow, MoveExplained, SeatRow

STATUS = {"leased": "running"}


def print_matches(found: Sequence[MatchRow], console: Console) -> None:
    """Print a row for each match; below, the commitments of those to come, and what went wrong."""
    if not found:
        say(console, "There are no such matches.")
        return
    table = plain_table("match", "variant", "when", "bots", "faults", right=("match", "faults"), wrapped=("bots",))
    for match in found:
        done = match.finished is not None
        texts = (
            str(match.id),
            match.variant,
            when(match.finished) if done else STATUS.get(match.status, match.status),
            ", ".join(_bots(match)),
            str(sum(seat.faults or 0 for seat in match.seats)) if done else "",
        )
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)
    for match in found:
        if match.finished is None:
            say(console, f"match {match.id}: SHA-256 of the seed {match.commitment}", "dim")
            if match.reason:
                say(console, f"match {match.id}: {match.reason}")


def print_match(match: MatchPage, console: Console) -> None:
    """Print one match: how far it has come, its seats, its seed, its record."""
    state = STATUS.get(match.status, match.status)
    say(console, f"Match {match.id}: {match.variant}, {match.format}, {state}", "bold")
    for what, value in _facts(match):
        say(console, f"  {what:<12}{value}")
    numbers = ("seat", "place", "points/deal", "Elo ±", "faults", "median ms", "worst ms")
    table = plain_table("seat", "bot", *numbers[1:], right=numbers, wrapped=("faults",))
    for seat in match.seats:
        table.add_row(*(cell(console, text) for text in _seat(seat)))
    console.print()
    console.print(table)


def _bots(match: MatchRow) -> Iterator[str]:
    """Yield each version once: place, name and move where there is a result, in order of places."""
    seats = {seat.version_id: seat for seat in reversed(match.seats)}
    for seat in sorted(seats.values(), key=lambda seat: (seat.place or 0, seat.seat)):
        name = label(seat.bot, seat.version)
        overs = " (taken over)" if seat.taken_over else ""
        yield name if seat.place is None else f"{seat.place} {name} {moved(seat.move)}{overs}"


def _facts(match: MatchPage) -> Iterable[tuple[str, str]]:
    yield "scheduled", when(match.added)
    if match.started is not None:
        yield "started", f"{when(match.started)}, attempt {match.attempt}"
    if match.finished is not None:
        result = "of an event" if match.ordinal is None else f"result number {match.ordinal}"
        yield "finished", f"{when(match.finished)}, {result}, {counted(match.deals or 0, 'deal')}"
    if match.starting_seconds is not None and match.playing_seconds is not None:
        yield "took", f"{match.starting_seconds:.1f} s to start and clean up, {match.playing_seconds:.1f} s to play"
    if match.reason:
        failed = f" ({counted(match.failures, 'failure')})" if match.failures else ""
        yield "went wrong", f"{match.reason}{failed}"
    yield "commitment", match.commitment
    if match.seed is not None:
        yield "seed", match.seed
        yield "record", str(match.record) if match.record else "removed, because of the setting records"


def _seat(seat: SeatRow) -> tuple[str, ...]:
    if seat.place is None:
        return str(seat.seat), label(seat.bot, seat.version), *[NOTHING] * 6
    error = "" if seat.standard_error is None else f" ± {seat.standard_error:.2f}"
    return (
        str(seat.seat),
        label(seat.bot, seat.version),
        str(seat.place),
        f"{seat.points_per_deal:z.2f}{error}",
        moved(seat.move, 1),
        f"{seat.faults}{' (taken over)' if seat.taken_over else ''}",
        f"{seat.median_ms:.2f}",
        f"{seat.worst_ms:.2f}",
    )


def match_number(text: str) -> int:
    """
    Read the number of a match.

    Raises:
        UserError: If it is none.
    """
    if not re.fullmatch("[0-9]{1,100}", text):
        raise UserError(f"{shortened(text)!r} is not the number of a match (see: pigpen matches).")
    return int(text)


MatchArgument = Annotated[
    int, typer.Argument(metavar="MATCH", parser=match_number, help="Its number (see: pigpen matches).")
]


def explain(match: MatchArgument, as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    Explain the rating changes of a match: the expected and the actual score of each bot against each other.

    A score is 1 for a better place, ½ for the same, 0 for a worse one: the mean over the boards of the match.

    The changes are computed again from the places and the ratings before the match, and compared with those that the
    ladder has stored; the exit code is 1 if they differ.

    Examples:
        pigpen explain 17
    """
    with asked(local) as ladder:
        found = ladder.explanation(match)
    if as_json:
        print_json(found)
    else:
        print_explained(found, Console())
    raise typer.Exit(0 if all(move.agrees for move in found.moves) else 1)


def print_explained(found: Explanation, console: Console) -> None:
    """Print a table for each bot: what each opponent brought; ratings are shown as they were then."""
    say(console, f"Match {found.match}: {found.variant}, {found.format}, {when(found.finished)}", "bold")
    for move in found.moves:
        head(console, _title(move, found.shift))
        console.print(_table(move, found.shift, console))
        if not move.agrees:
            there = "nothing" if move.stored is None else f"{move.stored + found.shift:.2f}"
            say(console, f"✗ The ladder has stored {there} instead: the places or ratings were changed afterwards.")


def _title(move: MoveExplained, shift: float) -> str:
    overs = ", taken over" if move.taken_over else ""
    change = f"{move.before + shift:.1f} → {move.after + shift:.1f} ({moved(move.after - move.before, 1)})"
    return f"{move.bot}: place {move.place}{overs}, {change}"


def _table(move: MoveExplained, shift: float, console: Console) -> Table:
    numbers = ("Elo", "expected", "score", "brought")
    table = plain_table("against", *numbers, right=numbers)
    for other in move.against:
        figures = (f"{other.rating + shift:.1f}", f"{other.expected:.3f}", f"{other.score:.4g}", moved(other.change, 2))
        table.add_row(cell(console, " and ".join(other.bots)), *figures)
    table.add_section()
    expected, score = (sum(getattr(other, name) for other in move.against) for name in ("expected", "score"))
    k = f"K {move.k:.1f} after {counted(move.boards_before, 'board')}"
    table.add_row(k, "", f"{expected:.3f}", f"{score:.4g}", moved(move.after - move.before, 2))
    return table


class StatusName(enum.StrEnum):
    """Filters of matches by status: the names of `ladder.app.matches.MatchStatus`."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    QUARANTINED = "quarantined"


def matches(
    context: typer.Context,
    match: Annotated[
        int | None, typer.Argument(parser=match_number, help="Only this match, with all that is known about it.")
    ] = None,
    variant: VariantOption = None,
    bot: Annotated[
        str | None, typer.Option(help="Only matches with this bot: Trotter, or its version Trotter@2.")
    ] = None,
    status: Annotated[
        StatusName | None, typer.Option(help="Only those of one status. By default: running and done ones.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most N of each status.")] = 20,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    List matches: those that are being played, and the newest results with places and rating changes.

    The seed of a match is shown when the match is done; before that, only its SHA-256. If matches wait and no runner
    plays them, a message on stderr says so.

    Examples:
        pigpen matches --bot Trotter --limit 5

        pigpen matches --status queued

        pigpen matches 17
    """
    if match is not None:
        _leave_out_the_search(context)
    with asked(local) as ladder:
        if match is not None:
            one = ladder.match(match)
            if as_json:
                print_json(one)
            else:
                print_match(one, Console())
            return
        statuses = [StatusName.RUNNING, StatusName.DONE] if status is None else [status]
        found = ladder.matches(variant, bot, statuses, limit)
        why_nothing_plays = ladder.why_nothing_plays()
    if why_nothing_plays:
        typer.secho(why_nothing_plays, err=True, fg=typer.colors.YELLOW)
    if as_json:
        print_json(found)
    else:
        print_matches(found, Console())


def _leave_out_the_search(context: typer.Context) -> None:
    """Refuse the options that choose matches of a list."""
    for name in ("variant", "bot", "status", "limit"):
        source = context.get_parameter_source(name)
        if source and source.name != "DEFAULT":
            raise UserError(f"A match and --{name} exclude each other: leave one out.")

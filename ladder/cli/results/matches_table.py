"""Matches as a table, and one match in detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.terminal.ladder_words import NOTHING, cell, label, moved, plain_table, say, when
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

    from ladder.values.matches import MatchPage, MatchRow, SeatRow

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
        f"{seat.points_per_deal:+.2f}{error}",
        moved(seat.move, 1),
        f"{seat.faults}{' (taken over)' if seat.taken_over else ''}",
        f"{seat.median_ms:.2f}",
        f"{seat.worst_ms:.2f}",
    )

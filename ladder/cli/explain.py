"""`pigpen explain`: how a match moved the ratings, and why."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from ladder.cli.ladder import opened
from ladder.cli.ladder_words import cell, head, label, moved, plain_table, say, when
from ladder.cli.sanitize import json_line
from ladder.cli.standings import JsonOption
from ladder.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rich.table import Table

    from ladder.store.queries.explanation import Explained
    from ladder.store.queries.matches import MatchRow

MatchArgument = Annotated[int, typer.Argument(metavar="MATCH", help="Its number (see: pigpen matches).")]


def explain(match: MatchArgument, as_json: JsonOption = False) -> None:
    """
    Tell how each rating moved in a match, and why: what each bot was expected to score against each other, and did.

    The moves are computed again from the places and the ratings before the match, and held against those that the
    ladder has stored; the exit code is 1 if they differ.

    Examples:
        pigpen explain 17
    """
    from ladder.store import names
    from ladder.store.models import Status
    from ladder.store.queries.explanation import explain as work_out
    from ladder.store.queries.matches import match_row
    from ladder.store.queries.standings import VariantStandings

    with opened() as database, database.read() as session:
        row = match_row(session, names.find_match(session, match))
        if row.status != Status.DONE:
            raise UserError(f"Match {match} is {row.status}: it has moved no rating yet.")
        variant = names.find_variant(session, row.variant)
        found, shift = work_out(row, variant), VariantStandings.of(session, variant).shift
    if as_json:
        typer.echo(json_line(_plain(row, found)))
    else:
        print_explained(row, found, shift, Console())
    raise typer.Exit(0 if all(one.agrees for one in found) else 1)


def print_explained(match: MatchRow, found: Iterable[Explained], shift: float, console: Console) -> None:
    """Print a table for each bot: what each opponent brought; ratings are shown as in today's standings."""
    say(console, f"Match {match.id}: {match.variant}, {match.format}, {when(match.finished)}", "bold")
    names = _names(match)
    for one in found:
        head(console, _title(one, names, shift))
        console.print(_table(one, names, shift, console))
        if not one.agrees:
            stored = one.seat.rating_after
            there = "nothing" if stored is None else f"{stored + shift:.2f}"
            say(console, f"✗ The ladder has stored {there} instead: the places or ratings were changed afterwards.")


def _names(match: MatchRow) -> Mapping[int, str]:
    return {seat.version_id: label(seat.bot, seat.version) for seat in match.seats}


def _title(one: Explained, names: Mapping[int, str], shift: float) -> str:
    move, seat = one.move, one.seat
    overs = ", taken over" if seat.taken_over else ""
    change = f"{move.before + shift:.1f} → {move.after + shift:.1f} ({moved(move.after - move.before, 1)})"
    return f"{names[move.version]}: place {seat.place}{overs}, {change}"


def _table(one: Explained, names: Mapping[int, str], shift: float, console: Console) -> Table:
    move, seat = one.move, one.seat
    numbers = ("Elo", "expected", "score", "brought")
    table = plain_table("against", *numbers, right=numbers)
    for other in move.against:
        who = " and ".join(names[version] for version in other.versions)
        figures = (f"{other.rating + shift:.1f}", f"{other.expected:.3f}", f"{other.score:g}", moved(other.change, 2))
        table.add_row(cell(console, who), *figures)
    table.add_section()
    expected, score = (sum(getattr(other, name) for other in move.against) for name in ("expected", "score"))
    k = f"K {move.k:.1f} after {seat.matches_before} matches"
    table.add_row(k, "", f"{expected:.3f}", f"{score:g}", moved(move.after - move.before, 2))
    return table


def _plain(match: MatchRow, found: Iterable[Explained]) -> dict[str, Any]:
    """Make it JSON; ratings as they are stored, not shifted."""
    names = _names(match)
    moves = []
    for one in found:
        against = [asdict(other) | {"bots": [names[each] for each in other.versions]} for other in one.move.against]
        moves.append(
            {
                "bot": names[one.move.version],
                "place": one.seat.place,
                "matches_before": one.seat.matches_before,
                "k": one.move.k,
                "before": one.move.before,
                "after": one.move.after,
                "stored": one.seat.rating_after,
                "agrees": one.agrees,
                "against": against,
            }
        )
    return {"match": match.id, "variant": match.variant, "moves": moves}

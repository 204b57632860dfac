"""`pigpen explain`: how a match moved the ratings, and why."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.ladder_words import cell, head, moved, plain_table, say, when
from ladder.values.text import counted
from referee.records.framing import shortened

if TYPE_CHECKING:
    from rich.table import Table

    from ladder.values.matches import Explanation, MoveExplained


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

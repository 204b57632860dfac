"""`pigpen submissions`: what was handed in, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.cli.submit.remote import print_result, words_for
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.ladder_words import cell, plain_table, say, when

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.submission import SubmissionRow


def submissions(
    number: Annotated[
        int | None, typer.Argument(metavar="[ID]", help="Show only this submission, with its result.")
    ] = None,
    withdraw: Annotated[
        bool, typer.Option("--withdraw", help="Withdraw this submission, if it has not ended.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Show at most the N newest.")] = 20,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    List your submissions, with their progress and results.

    Examples:
        pigpen submissions

        pigpen submissions 17

        pigpen submissions 17 --withdraw
    """
    if number is None and withdraw:
        raise UserError("Name the submission to withdraw: pigpen submissions ID --withdraw")
    with asked(local) as ladder:
        if number is None:
            found = ladder.submissions(None, limit)
            if as_json:
                print_json(found)
            else:
                print_submissions(found.submissions, Console())
            return
        row = ladder.withdraw(number) if withdraw else ladder.submission(number)
    if as_json:
        print_json(row)
    else:
        print_submission(row, Console())


def print_submissions(found: Sequence[SubmissionRow], console: Console) -> None:
    """Print a row for each."""
    if not found:
        say(console, "There are no submissions.")
        return
    table = plain_table("submission", "bot", "owner", "when", "state", right=("submission",), wrapped=("state",))
    for row in found:
        texts = (str(row.id), row.bot, row.owner, when(row.added), _state(row))
        table.add_row(*(cell(console, text) for text in texts))
    console.print(table)


def print_submission(row: SubmissionRow, console: Console) -> None:
    """Print one, and what became of it in the words of pigpen submit."""
    say(console, f"Submission {row.id}: {row.bot} of {row.owner}, from {row.source}, {when(row.added)}", "bold")
    say(console, f"  {_state(row)}")
    if row.result is not None:
        print_result(row.result, row.source)


def _state(row: SubmissionRow) -> str:
    state = words_for(row).partition(": ")[2]
    return f"{state}: {row.reason}" if row.reason else state

"""`pigpen why`: what the choices of a decision were worth, and the costliest decisions of a bot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.replay.why_table import print_costliest, print_why
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption
from ladder.terminal.progress import progress
from ladder.terminal.records import BoardOption, DealOption, RotationOption, source_of


def why(
    record: Annotated[
        Path,
        typer.Argument(
            help="The record of a match, finished or not; the number of a match of the ladder; or - for stdin."
        ),
    ],
    bot: Annotated[str | None, typer.Argument(metavar="[BOT]", help="The bot in it, by its name or number.")] = None,
    deal: DealOption = None,
    board: BoardOption = None,
    rotation: RotationOption = None,
    step: Annotated[int | None, typer.Option(min=1, help="Step N of the deal, counted from 1.")] = None,
    worst: Annotated[
        int, typer.Option(min=1, max=50, help="Without --step: list the N costliest decisions of BOT.")
    ] = 5,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Estimate the value of each choice of a decision, or list the costliest decisions of a bot.

    The estimate is a model's opinion: it samples deals that fit what the seat knew. Cards are judged by a tree search,
    passes and exposures by playing the deals to their end with a simple policy. The same question gives the same
    answer. docs/why.md says how far you can trust it.

    Examples:
        pigpen why 17 Trotter

        pigpen why 17 --board 3 --rotation 1 --step 25

        pigpen why match.jsonl mybot --worst 10 --json
    """
    from ladder.app.local.reading import Where
    from ladder.app.local.why import costliest_in_record, why_in_record  # what simulates takes time to import

    source, where = source_of(record, local), Where(deal, board, rotation)
    if step is not None:
        found = why_in_record(source, step, where, bot)
        if as_json:
            print_json(found)
        else:
            print_why(found, Console())
        return
    if bot is None:
        raise UserError("Name a bot to see its costliest decisions, or one decision with --step.")
    with progress("deals", None) as advance:
        costliest = costliest_in_record(source, bot, worst, where, advance)
    if as_json:
        print_json(costliest)
    else:
        print_costliest(costliest, Console())

"""`pigpen logs`: what a bot printed in a match of the ladder."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.results.logs_text import print_logs
from ladder.cli.results.matches import MatchArgument
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, RotationOption, asked


def logs(
    match: MatchArgument,
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="The bot's number in the match, or its name.")],
    rotation: RotationOption = None,
    lines: Annotated[int, typer.Option(min=1, help="At most the last N lines of each rotation.")] = 50,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Show the end of what a bot printed in a match, rotation by rotation, and its faults there.

    [12] before a line is the number of the decision at which it was printed; ✗ marks decisions with a fault.

    Examples:
        pigpen logs 17 Trotter

        pigpen logs 17 2 --rotation 1
    """
    with asked(local) as ladder:
        found = ladder.logs(match, seat, rotation)
    if as_json:
        print_json(found)
    else:
        for log in found:
            print_logs(match, log, lines, Console())

"""`pigpen show`: all there is to know of a bot."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.results.show_text import print_page
from ladder.cli.results.standings import VariantOption
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked


def show(
    bot: Annotated[str, typer.Argument(help="Its name: Trotter is its newest version, Trotter@2 its version 2.")],
    variant: VariantOption = None,
    opponents: Annotated[int, typer.Option(min=0, help="At most N opponents in each variant.")] = 10,
    as_json: JsonOption = False,
    local: LocalOption = False,
) -> None:
    """
    Show a bot: its versions, its standings, its results against each opponent, its think times, its faults.

    LOS (likelihood of superiority) is the probability that the bot is stronger than that opponent, by all matches.

    Examples:
        pigpen show Trotter

        pigpen show Trotter@2 --variant gongzhu --opponents 50
    """
    with asked(local) as ladder:
        page = ladder.bot_page(bot, variant, opponents)
    if as_json:
        print_json(page)
    else:
        print_page(page, Console())

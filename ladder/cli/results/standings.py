"""`pigpen standings`: who is best."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console

from ladder.cli.results.standings_table import print_standings
from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.values.order import Order

VariantOption = Annotated[str | None, typer.Option(help="Only this variant. By default: all variants of the ladder.")]


def standings(
    variant: VariantOption = None,
    everyone: Annotated[
        bool, typer.Option("--all", help="Also list suspended and retired bots, with the reasons.")
    ] = False,
    first: Annotated[int | None, typer.Option(min=1, max=1_000_000, help="Only the first N of each variant.")] = None,
    by: Annotated[
        Order | None,
        typer.Option(
            help="Order by Elo (places) or by points a deal against the field. Default: the setting standings_by."
        ),
    ] = None,
    season: Annotated[
        str | None, typer.Option(help="Standings of a finished season, as they were at its end, by its name.")
    ] = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print it as CSV.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Show the standings: for each variant a table of its bots in the order of their ratings.

    Elo follows from places. The margin follows from points: how many points a deal a bot wins more than the mean of the
    field, whatever opponents it has had. A line below the table names bots that surely win more points, and surely have
    worse places, than another.

    Columns that do not fit the terminal are left out; --json and --csv have all of them.

    Examples:
        pigpen standings

        pigpen standings --variant gongzhu --all

        pigpen standings --by points

        pigpen standings --season 2026-spring

        pigpen standings --csv > standings.csv
    """
    from ladder.app.standings_csv import write_csv

    if as_json and as_csv:
        raise UserError("Choose one of --json and --csv.")
    with asked(local) as ladder:
        found = ladder.standings(variant, everyone, first, by, season)
    if as_json:
        print_json(found)
    elif as_csv:
        write_csv(found, sys.stdout)
    else:
        console = Console()
        for place, each in enumerate(found):
            console.print(*[""] * bool(place), end="\n" * bool(place))
            print_standings(each, console)
        if not found:
            console.print("This ladder has no bots yet; enter one with: pigpen submit FOLDER", highlight=False)

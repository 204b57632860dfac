"""`pigpen ladder season`: freeze the standings, and start anew with another clock or other rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.errors import UserError
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.ladder_words import when
from ladder.terminal.sanitize import sanitize
from ladder.values.accounts import LOCAL
from ladder.values.text import counted

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.values.standings import SeasonRow

season = typer.Typer(
    name="season",
    help="Freeze the standings, and start anew with another clock or other rules.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
VariantOption = Annotated[str | None, typer.Option(help="Only this variant. By default: all variants of the ladder.")]


@season.callback()
def _season() -> None:
    """Freeze the standings, and start anew with another clock or other rules."""


@season.command("list")
def list_seasons(variant: VariantOption = None, as_json: JsonOption = False) -> None:
    """
    List the seasons of each variant, with clock, limit and number of results; standings --season NAME shows one.

    Examples:
        pigpen ladder season list

        pigpen ladder season list --variant hearts --json
    """
    from ladder.app.seasons import seasons

    with opened() as ladder:
        found = seasons(ladder, variant)
    if as_json:
        print_json(found)
        return
    for row in found:
        typer.echo(sanitize(_line(row)))
    if not found:
        typer.echo("This ladder has no bots yet; enter one with: pigpen submit FOLDER")


@season.command("new")
def new(
    variant: VariantOption = None,
    name: Annotated[
        str | None, typer.Option(help="The name of the new season, such as 2026-autumn. By default: its number.")
    ] = None,
    rules: Annotated[
        str | None, typer.Option(metavar="FILE", help="A TOML file with new rules of the variant that --variant names.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: JsonOption = False,
) -> None:
    """
    End the season and begin the next one, with the clock and the limit of the settings.

    The standings are frozen as they are. All bots that play start anew, with the first rating and no results. Matches
    without a result are withdrawn, also those that are played now. Records stay.

    Examples:
        pigpen ladder season new --name 2026-autumn

        pigpen ladder season new --variant hearts --rules hearts.toml --yes
    """
    from ladder.app.seasons import new_season
    from referee.records.rules_file import load_rules

    if rules is not None and variant is None:
        raise UserError("--rules needs --variant: it names the variant that gets these rules.")
    changed = None if rules is None else load_rules(rules)
    with opened() as ladder:
        if not yes:
            _confirm(variant, ladder.settings)
        found = new_season(ladder, LOCAL, variant, name, changed)
    if as_json:
        print_json(found)
        return
    for row in found:
        typer.echo(sanitize(f"The season {row.name} of {row.variant} has begun{_clock(row)}."))


def _confirm(variant: str | None, settings: Settings) -> None:
    if not sys.stdin.isatty():
        raise UserError("A new season cannot be undone. Add --yes to begin it.")
    what = variant or "all variants"
    question = (
        f"End the season of {what}, and begin one with clock {settings.clock}, limit {settings.clock_setting.limit:g}? "
        "All ratings start anew, and matches that are played now are withdrawn."
    )
    if not typer.confirm(sanitize(question), err=True):
        raise UserError("Nothing was changed.")


def _clock(row: SeasonRow) -> str:
    return "" if row.clock is None else f", clock {row.clock}, limit {row.limit:g}"


def _line(row: SeasonRow) -> str:
    ended = "now" if row.ended is None else when(row.ended)
    return f"{row.variant} {row.name}: {counted(row.matches, 'result')}{_clock(row)}, from {when(row.began)} to {ended}"

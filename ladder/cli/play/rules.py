"""`pigpen rules`: a variant in words and as TOML."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from ladder.errors import UserError
from ladder.terminal.sanitize import json_line, print_utf8, sanitize, toml_text
from ladder.values.text import counted, write_utf8
from pigpen.rules import PRESETS, Rules
from pigpen.rules.words import describe
from referee.records.rules_file import load_rules, to_toml


def rules(
    name: Annotated[str | None, typer.Argument(help="A preset, or a TOML file of your own.")] = None,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print only the TOML, as a start for rules of your own.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the variant, or all presets, as JSON.")] = False,
) -> None:
    """
    Show a variant in words and as TOML; without a name, list the presets.

    Examples:
        pigpen rules gongzhu

        pigpen rules hearts --toml > mine.toml
    """
    if toml and as_json:
        raise UserError("Choose one of --toml and --json.")
    if name is None and toml:
        raise UserError("--toml needs a name: pigpen rules gongzhu --toml")
    if name is None and as_json:
        print_utf8(json_line([variant.to_plain() for variant in PRESETS.values()]))
        return
    if name is None:
        Console().print(_overview())
        return
    variant = load_rules(name)
    if as_json:
        print_utf8(json_line(variant.to_plain()))
    elif toml:
        write_utf8(toml_text(to_toml(variant)).decode(), sys.stdout)
    else:
        typer.echo(sanitize(f"{variant.title} ({variant.name})"))
        typer.echo(sanitize(f"\n{describe(variant)}\n", spared="\n"))
        typer.echo(sanitize(toml_text(to_toml(variant)).decode(), spared="\n"), nl=False)


def _overview() -> Table:
    table = Table(title="Variants", title_justify="left")
    for heading in ("name", "players", "passing", "exposing", "better", "ends at"):
        table.add_column(heading, no_wrap=True)
    for variant in PRESETS.values():
        table.add_row(*_row(variant))
    return table


def _row(variant: Rules) -> tuple[str, ...]:
    passing = counted(variant.passing.cards, "card") if variant.passing else "–"
    exposing = "–"
    if variant.exposing:
        exposing = "up or down" if variant.exposing.face_down else "face up"
    players = "2×2" if variant.partners else str(variant.players)
    return (variant.name, players, passing, exposing, variant.scoring.better, str(variant.end.limit))

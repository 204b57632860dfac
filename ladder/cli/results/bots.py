"""`pigpen bots` and `pigpen retire`: the list of the bots on the ladder, and their removal from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.ladder_words import NOTHING, cell, label, plain_table, say, when
from ladder.terminal.sanitize import sanitize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.bots import BotEntry, BotRow


def bots(as_json: JsonOption = False, local: LocalOption = False) -> None:
    """
    List every bot of the ladder: its owner, its newest version, and where it plays.

    Examples:
        pigpen bots

        pigpen bots --json
    """
    with asked(local) as ladder:
        found = ladder.bots()
    if as_json:
        print_json(found)
    else:
        print_bots(found, Console())


def print_bots(found: Iterable[BotRow], console: Console) -> None:
    """Print a row for each bot; below, why one does not play."""
    table, reasons = (
        plain_table("bot", "owner", "version", "plays", "added", right=("version",), wrapped=("plays",)),
        [],
    )
    for bot in found:
        plays = ", ".join(_plays(entry, bot.newest) for entry in bot.entries) or NOTHING
        texts = (bot.bot, bot.owner, str(bot.newest), plays, when(bot.added))
        table.add_row(*(cell(console, text) for text in texts))
        reasons += [_why(bot.bot, entry) for entry in bot.entries if entry.state != "active"]
    console.print(table)
    for reason in reasons:
        say(console, reason)


def _plays(entry: BotEntry, newest: int) -> str:
    version = "" if entry.version == newest else f" with version {entry.version}"
    return f"{entry.variant}{version}{'' if entry.state == 'active' else f' ({entry.state})'}"


def _why(bot: str, entry: BotEntry) -> str:
    reason = f": {entry.reason}" if entry.reason else ""
    return f"{label(bot, entry.version)} is {entry.state} in {entry.variant} since {when(entry.since)}{reason}"


def retire(
    bot: Annotated[str, typer.Argument(help="The bot: Trotter, or one of its versions: Trotter@2.")],
    variant: Annotated[
        list[str] | None,
        typer.Option(help="Only in this variant; may be given several times. By default: in all its variants."),
    ] = None,
    reason: Annotated[
        str, typer.Option(help="The reason, for people who look at the bot later.")
    ] = "taken out by its owner",
    as_json: Annotated[bool, typer.Option("--json", help="Print what has retired as JSON.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Schedule no more matches for a bot. Its ratings and matches stay; submit it again to bring it back.

    On this machine's ladder no password is needed: anyone who can write its files can do this.

    Examples:
        pigpen retire Trotter

        pigpen retire Trotter@1 --variant hearts --reason "version 2 is better"
    """
    with asked(local) as ladder:
        retired = ladder.retire(bot, variant or [], reason)
    if as_json:
        print_json(retired)
        return
    for entry in retired:
        typer.echo(sanitize(f"{entry.version} has retired from {entry.variant}."))

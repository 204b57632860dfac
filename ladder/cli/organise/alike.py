"""`pigpen ladder alike`: the bots that resemble each other, for the organiser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import opened
from ladder.terminal.ladder_words import cell, label, percent, plain_table, say
from ladder.values.accounts import LOCAL
from ladder.values.alike import LEAST_CHANCE, one_in
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.alike import AlikeBots, LikeBot

NO_VERDICT = "To resemble is no offence: look into it before you judge. Nothing was done to these bots."
NOT_SERVED = "The lists are not the newest ones: what makes them is not running. Start it with: pigpen ladder compute"
TOO_FEW = "too few pairs of bots have met on the same boards"
BEING_COMPUTED = "A newer list is being computed; ask again in a moment."


def alike(
    variant: Annotated[
        str | None, typer.Option(help="Compare answers in this variant. By default: in the oldest one of the ladder.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """
    List bots that resemble each other: equal programs, equal answers to the same decisions, sources that share much.

    It changes nothing. Answers and sources are compared by pigpen ladder compute. docs/ladder.md explains the
    figures, and the cases in which bots are alike without a copy.

    Examples:
        pigpen ladder alike

        pigpen ladder alike --variant hearts --json
    """
    from ladder.app.computing.alike import alike_bots

    with opened() as ladder:
        found = alike_bots(ladder, LOCAL, variant)
    if as_json:
        print_json(found)
    else:
        print_alike(found, Console())


def print_alike(found: AlikeBots, console: Console) -> None:
    """Print a list for each kind of resemblance, and below each how much was compared."""
    _print_equal(found, console)
    _print_answers(found, console)
    _print_sources(found, console)
    for computing in filter(None, (found.answers_computing, found.sources_computing)):
        say(console, BEING_COMPUTED if computing.is_served else NOT_SERVED)
        break
    for reason in filter(None, (found.answers_refused, found.sources_refused)):
        say(console, reason)
    say(console, NO_VERDICT)


def _print_equal(found: AlikeBots, console: Console) -> None:
    say(console, f"Equal programs: {len(found.equal) or 'none'}")
    if found.equal:
        table = plain_table("bots", "identity", wrapped=("bots",))
        for each in found.equal:
            table.add_row(cell(console, _names(each.bots)), each.identity[:19])
        console.print(table)


def _print_answers(found: AlikeBots, console: Console) -> None:
    listed = f"{len(found.answers) or 'none'}, of {counted(found.pairs, 'pair')}" if found.pairs else TOO_FEW
    if found.variant is not None:
        matches = counted(found.matches, "match", "matches")
        say(console, f"Equal answers in {found.variant}: {listed} in the newest {matches}")
    if found.answers:
        table = plain_table(
            "bot", "other", "decisions", "equal", "others", "chance", right=("decisions", "equal", "others")
        )
        for each in found.answers:
            shares = f"{percent(each.equal / each.decisions)} %", f"{percent(each.chance)} %"
            bots = (cell(console, _names([bot])) for bot in (each.one, each.other))
            table.add_row(*bots, str(each.decisions), *shares, _chance(each.p))
        console.print(table)


def _print_sources(found: AlikeBots, console: Console) -> None:
    compared = f"{counted(found.programs, 'program')}; {found.waiting} wait, {found.unknown} without sources"
    say(console, f"Sources that resemble each other: {len(found.sources) or 'none'}, of {compared}")
    if found.sources:
        table = plain_table("bots", "others", "shared", "of", "and of", right=("shared", "of", "and of"))
        for each in found.sources:
            bots = (cell(console, _names(bots)) for bots in (each.one, each.other))
            table.add_row(*bots, str(each.shared), str(each.one_prints), str(each.other_prints))
        console.print(table)


def _chance(p: float) -> str:
    number = one_in(p)
    return f"{'below ' if number == LEAST_CHANCE else ''}1 in {number:,}"


def _names(bots: Iterable[LikeBot]) -> str:
    return ", ".join(f"{label(each.bot, each.version)} ({each.owner})" for each in bots)

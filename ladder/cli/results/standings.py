"""`pigpen standings`: the bots in the order of their ratings, as a table that fits the terminal."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from ladder.app.standings_csv import ORDINALS
from ladder.errors import UserError
from ladder.pairing.missing import waits_for
from ladder.ratings.elo import PROVISIONAL
from ladder.terminal.json_output import JsonOption, print_json
from ladder.terminal.ladder import LocalOption, asked
from ladder.terminal.ladder_words import (
    NOTHING,
    Column,
    cell,
    fitting,
    label,
    moved,
    percent,
    say,
    sparkline,
    thinned,
    when,
)
from ladder.values.order import Order
from ladder.values.standings import percents
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.table import Table

    from ladder.values.standings import Circle, StandingRow, Standings

BARS = 10
"""The most bars in a trend."""
COLUMNS: tuple[Column[StandingRow], ...] = (
    Column("bot", lambda one: label(one.bot, one.version), "left", is_cut=True),
    Column("owner", lambda one: one.owner, "left", 4, is_cut=True),
    Column("Elo", lambda one: f"{one.elo:.0f}{'?' if one.provisional else ' '}"),
    Column("±", lambda one: NOTHING if one.error is None or not one.matches else f"{one.error:.0f}", "right", 9),
    Column("margin", lambda one: margin(one) or NOTHING, "right", 8),
    Column("matches", lambda one: str(one.matches), "right", 10),
    Column("points", lambda one: NOTHING if one.points_per_deal is None else f"{one.points_per_deal:z.2f}", "right", 1),
    Column("places", lambda one: " ".join(f"{part:>2}" for part in percents(one.shares)) or NOTHING, "left", 7),
    Column("faults", lambda one: percent(one.fault_rate, 2), "right", 5),
    Column("trend", lambda one: sparkline(thinned(one.history, BARS)), "left", 2),
    Column("moved", lambda one: moved(one.change), "right", 6),
)
"""Those of every order; in front of them are the rank and its range by the order that is shown."""
BY_ELO: tuple[Column[StandingRow], ...] = (
    Column("rank", lambda one: str(one.rank or NOTHING)),
    Column("ranks", lambda one: _between(one.rank_low, one.rank_high), "right", 3),
)
BY_POINTS: tuple[Column[StandingRow], ...] = (
    Column("rank", lambda one: str(one.margin_rank or NOTHING)),
    Column("ranks", lambda one: _between(one.margin_rank_low, one.margin_rank_high), "right", 3),
)


def print_standings(found: Standings, console: Console) -> None:
    """Print one variant's table, as many columns of it as there is room for, and why some do not play."""
    if not found.standings:
        say(console, f"{found.title} ({found.variant}): no bot plays it now.")
        return
    table, columns = _fitting(found, console)
    say(console, f"{found.title} ({found.variant}): {counted(found.matches, 'match', 'matches')}", "bold")
    console.print(table)
    for line in _legend(found, columns):
        console.print(cell(console, line, "dim"))
    if found.missing_owners:
        say(console, f"No match can be played: the variant {waits_for(found.missing_owners)}.")
    for circle in found.circles:
        say(console, f"Not transitive: {not_transitive(circle)}.")
    for one in found.standings:
        if one.outplaced_by:
            say(console, f"{label(one.bot, one.version)} wins more points, fewer places than {one.outplaced_by}.")
    for one in found.standings:
        if one.rank is None:
            reason = f": {one.reason}" if one.reason else ""
            say(console, f"{label(one.bot, one.version)} is {one.state} since {when(one.since)}{reason}")


def margin(one: StandingRow) -> str:
    """Give its points a deal against the field, with their ±; empty if they are not known."""
    if one.margin is None:
        return ""
    return f"{one.margin:+.2f}" if one.margin_error is None else f"{one.margin:+.2f} ± {one.margin_error:.2f}"


def not_transitive(circle: Circle) -> str:
    """Say which bot beats which, on how many boards."""
    bots = [step.bot for step in circle.steps]
    return ", ".join(
        f"{step.bot} beats {other} ({step.ahead} boards to {step.behind})"
        for step, other in zip(circle.steps, [*bots[1:], bots[0]], strict=True)
    )


def _fitting(found: Standings, console: Console) -> tuple[Table, Sequence[Column[StandingRow]]]:
    """Make the table without a trend where its bars cannot be shown."""
    by_points = found.by == Order.POINTS
    shown = [column for column in COLUMNS if column.heading != "trend" or console.encoding.startswith("utf")]
    if by_points:
        shown = [replace(column, goes=0) if column.heading == "margin" else column for column in shown]
    columns = [*(BY_POINTS if by_points else BY_ELO), *shown]
    return fitting(found.standings, columns, console, lambda one: "" if one.rank else "dim")


def _legend(found: Standings, columns: Sequence[Column[StandingRow]]) -> Iterable[str]:
    headings = [column.heading for column in columns]
    better = "lower" if found.low_is_better else "higher"
    meanings = {
        "±": "±: 95 % interval",
        "ranks": f"ranks: the range of its true rank by {'margin' if found.by == Order.POINTS else 'Elo'}",
        "margin": "margin: points a deal better than the mean of the field, with its ±",
        "points": f"points: per deal, {better} is better",
        "places": f"places: 1st to {ORDINALS[found.sides - 1]} in %",
        "faults": "faults: in % of its decisions",
        "moved": "moved: in Elo, over its 20 newest ratings",
    }
    if any(one.provisional for one in found.standings):
        yield f"?: fewer than {PROVISIONAL} matches, so the rating is provisional"
    yield "; ".join(meaning for heading, meaning in meanings.items() if heading in headings)


def _between(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return NOTHING
    return str(low) if low == high else f"{low}–{high}"


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
    group: Annotated[
        str | None, typer.Option(help="Only bots of accounts in this group, with their ranks among all.")
    ] = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print it as CSV.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Show the standings: for each variant a table of its bots in the order of their ratings.

    Elo follows from places. The margin follows from points: how many points a deal a bot wins more than the mean of the
    field, whatever opponents it has had. A line below the table names bots that surely win more points, and surely have
    worse places, than another. Another line names three bots of which each surely beats the next, and the last the
    first.

    Columns that do not fit the terminal are left out; --json and --csv have all of them.

    Examples:
        pigpen standings

        pigpen standings --variant gongzhu --all

        pigpen standings --by points

        pigpen standings --season 2026-spring

        pigpen standings --group course-a

        pigpen standings --csv > standings.csv
    """
    from ladder.app.standings_csv import write_csv

    if as_json and as_csv:
        raise UserError("Choose one of --json and --csv.")
    with asked(local) as ladder:
        found = ladder.standings(variant, everyone, first, by, season, group)
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

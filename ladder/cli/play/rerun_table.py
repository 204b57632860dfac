"""Decisions in which a bot differs from a recorded one, as a table."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladder.cli.play.result_table import print_log
from ladder.terminal.card_text import cards, compact, points, spelled
from ladder.terminal.sanitize import folded
from ladder.values.text import counted
from pigpen.rules import Card
from referee.records.steps import BY_BOT, DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.rerun import Difference, RerunResult

HEADINGS = ("deal", "at", "on the table", "may choose", "then", "now", "points", "ms")
RIGHT = ("points", "ms")
WRAPPED = ("deal", "on the table", "may choose")


def print_rerun(found: RerunResult, console: Console | None = None) -> None:
    """Print a row for each difference, then what went wrong, then how many there are."""
    console = console or Console()
    shown = found.differences
    if shown:
        title = folded(f"Decisions in which {found.bot} differs from {found.recorded}", console.encoding)
        console.print(_table(title, shown, console.encoding))
        console.print("points: of the trick, in the record; ms: time of the decision now", style="dim")
    if len(shown) < found.differ:
        console.print(f"… and {found.differ - len(shown)} more: see them with a higher --limit-list.")
    for one in shown:
        if one.verdict:
            reason = f"✗ {one.place}, {one.at}: {one.verdict}: {one.why}"
            console.print(folded(reason, console.encoding), markup=False, highlight=False, soft_wrap=True)
    print_log(console, found.output)
    console.print(_summary(found), highlight=False, soft_wrap=True)


def _table(title: str, differences: Sequence[Difference], encoding: str) -> Table:
    table = Table(title=Text(title), title_justify="left")
    for heading in HEADINGS:
        table.add_column(
            heading,
            justify="right" if heading in RIGHT else "left",
            min_width=8 if heading == "deal" else None,
            no_wrap=heading not in WRAPPED,
        )
    for name, group in groupby(differences, key=lambda one: one.place):
        for place, one in enumerate(group):
            cells = ("" if place else name, *_cells(one))
            table.add_row(*(Text(folded(cell, encoding)) for cell in cells))
        table.add_section()
    return table


def _cells(one: Difference) -> tuple[str, ...]:
    by = "" if one.by == BY_BOT else f" ({one.by.removeprefix(DEFAULT)})"
    return (
        one.at,
        cards(map(Card.parse, one.on_the_table)),
        compact([Card.parse(name) for name in one.may_choose]),
        f"{spelled(one.then)}{by}",
        f"{spelled(one.now)} ({one.verdict})" if one.verdict else spelled(one.now),
        "" if one.trick_points is None else points(one.trick_points),
        f"{one.now_ms:.2f}",
    )


def _summary(found: RerunResult) -> str:
    differ = counted(found.differ, "differs", "differ")
    text = f"{counted(found.decisions, 'decision')}, {differ}"
    text += f", {found.at_fault} of them at fault." if found.at_fault else "."
    if found.untried:
        text += f" {counted(found.untried, 'was', 'were')} not asked: the bot had ended too often."
    if found.forced:
        text += f" {counted(found.forced, 'forced action was', 'forced actions were')} not asked."
    return text

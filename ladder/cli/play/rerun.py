"""
`pigpen rerun`: put the questions of a recorded bot to another version of it, and see what it does otherwise.

The decisions in which the two differ are printed as a table.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ladder.cli.play.play import print_log
from ladder.sandbox.bots.bot_source import find_bot
from ladder.terminal.card_text import cards, compact, spelled
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import BoardOption, DealOption, LocalOption, RotationOption, source_of
from ladder.terminal.options import LimitOption, RuntimeOption, SandboxOption, opened_sandbox
from ladder.terminal.progress_bar import progress
from ladder.terminal.running import run
from ladder.terminal.sanitize import folded
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from ladder.values.text import counted
from pigpen.rules import Card
from referee.records.steps import BY_BOT, DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.local_results import Difference, RerunResult
    from referee.replay.rerun import TableRerun

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
        "" if one.trick_points is None else str(one.trick_points),
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


def rerun(
    record: Annotated[
        Path,
        typer.Argument(help="The record of a finished match; the number of a match of the ladder; or - for stdin."),
    ],
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="The bot in the record, by its name or number.")],
    bot: Annotated[str, typer.Argument(help="The bot to ask now: a sample bot's name, a folder or an image.")],
    deal: DealOption = None,
    board: BoardOption = None,
    rotation: RotationOption = None,
    limit_list: Annotated[int, typer.Option(min=0, help="List at most N decisions.")] = 50,
    sandbox: SandboxOption = SandboxKind.DOCKER,
    limit: LimitOption = 10.0,
    runtime: RuntimeOption = "runc",
    as_json: Annotated[bool, typer.Option("--json", help="Print the decisions that differ as JSON.")] = False,
    local: LocalOption = False,
) -> None:
    """
    Ask another bot the questions that a recorded bot was asked, and list the decisions that differ.

    Each question shows the deal as it really went, with the same random numbers; the other bot's choices have no
    effect on later questions. Its faults are listed, too.

    Examples:
        pigpen rerun match.jsonl mybot ./mybot

        pigpen rerun match.jsonl 0 ./mybot --board 3 --sandbox process
    """
    # What reads records takes long to import.
    from ladder.app.local.why import Where, bot_in, deals_in, read_match, understanding
    from referee.replay.rerun import table_reruns

    source = source_of(record, local)
    recorded = read_match(source)
    number = bot_in(recorded, seat, source)
    lines = deals_in(recorded, source, Where(deal, board, rotation))
    asked, name = find_bot(bot), recorded.first.bots[number]
    with understanding(source):
        tables = table_reruns(recorded, number, lines, limit)
        with progress("decisions", sum(table.questions for table in tables)) as advance:
            work = _rerun(name, tables, asked, sandbox, runtime, limit_list, advance)
            found = run(work, blocks=sandbox is SandboxKind.INLINE)
    if as_json:
        print_json(found)
    else:
        print_rerun(found)


async def _rerun(
    name: str,
    tables: Sequence[TableRerun],
    source: BotSource,
    kind: SandboxKind,
    runtime: str,
    max_differences: int,
    advance: Callable[[], None],
) -> RerunResult:
    from ladder.app.local.rerun import rerun_bot

    async with opened_sandbox(SandboxSetup(kind, runtime)) as sandbox:
        return await rerun_bot(name, tables, source, sandbox, max_differences, advance)

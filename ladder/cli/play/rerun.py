"""`pigpen rerun`: put the questions of a recorded bot to another version of it, and see what it does otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.play.rerun_table import print_rerun
from ladder.sandbox.bots.bot_source import find_bot
from ladder.terminal.json_output import print_json
from ladder.terminal.ladder import LocalOption
from ladder.terminal.options import LimitOption, RuntimeOption, SandboxOption
from ladder.terminal.progress import progress
from ladder.terminal.records import BoardOption, DealOption, RotationOption, source_of
from ladder.terminal.running import run
from ladder.terminal.sandboxes import opened_sandbox
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.sandbox.bots.bot_source import BotSource
    from ladder.values.rerun import RerunResult
    from referee.replay.rerun import TableRerun


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
    from ladder.app.local.reading import Where, bot_in, deals_in, read_match, understanding
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

"""Putting the questions of a recorded bot to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.matches.bots import load_bots
from ladder.matches.rerun import rerun
from ladder.values.local_results import Difference, RerunResult
from referee.replay.deal_replay import PHASES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.matches.rerun import Rerun
    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource
    from referee.replay.rerun import RerunAnswer, TableRerun


async def rerun_bot(
    recorded: str,
    tables: Sequence[TableRerun],
    source: BotSource,
    sandbox: Sandbox | None,
    max_differences: int,
    advance: Callable[[], None] = lambda: None,
) -> RerunResult:
    """
    Ask another bot what a recorded one was asked.

    Args:
        recorded: The name of the recorded bot.
        tables: The questions.
        source: The other bot.
        sandbox: Where it runs; None: in this process.
        max_differences: How many differences the result lists at most.
        advance: Called after each answer.

    Raises:
        BadRecord: If a recorded deal makes no sense.
        BotRejected: If the bot cannot be made.
        SandboxError: If the sandbox failed.
    """
    bots = await load_bots([source], sandbox)
    done = await rerun(tables, bots.table, advance)
    return rerun_result(recorded, source.name, done, max_differences)


def rerun_result(recorded: str, bot: str, done: Rerun, max_differences: int) -> RerunResult:
    """Make the value; times in milliseconds."""
    return RerunResult(
        recorded=recorded,
        bot=bot,
        decisions=len(done.answers),
        forced=done.forced,
        differ=len(done.different),
        at_fault=sum(bool(answer.verdict) for answer in done.answers),
        untried=done.untried,
        differences=tuple(_difference(answer) for answer in done.different[:max_differences]),
        output=done.output,
    )


def _difference(answer: RerunAnswer) -> Difference:
    line, view = answer.line, answer.view
    return Difference(
        place=line.name,
        deal=line.deal + 1,
        board=None if line.board is None else line.board + 1,
        rotation=None if line.rotation is None else line.rotation + 1,
        seat=view.seat,
        decision=view.decision,
        at=PHASES.get(view.phase) or f"trick {len(view.tricks) + 1}",
        hand=tuple(map(str, view.hand)),
        on_the_table=tuple(str(play.card) for play in view.trick),
        may_choose=tuple(map(str, view.legal)),
        then=answer.then,
        by=answer.step.by,
        now=answer.now,
        verdict=answer.verdict,
        why=answer.why,
        trick_points=answer.trick_points,
        then_ms=round(answer.took * 1000, 3),
        now_ms=round(answer.took_now * 1000, 3),
    )

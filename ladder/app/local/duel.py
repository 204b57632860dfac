"""Duels of two bots, and of each of them with anchors."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ladder.app.local.compare import loaded
from ladder.app.local.match_plan import LocalRequest
from ladder.errors import UserError
from ladder.matches.duel import DuelPlan, duel
from ladder.sandbox.bots.bot_source import BotSource, FindBot, find_bot
from ladder.values.local_results import DuelResult, DuelRow
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from ladder.matches.duel import Duel
    from ladder.sandbox.base import Sandbox


class DuelRequest(LocalRequest):
    """The two bots, and how much to play."""

    one: str
    """A sample bot's name, a folder or an image."""
    other: str
    anchors: str = ""
    """Bots that both of them play against as well, with commas between them."""
    boards: Annotated[int, Field(ge=2)] = 100
    """The most boards to play in a duel."""
    alone: bool = False
    """True if the first bot of a duel has a single seat."""
    until_decided: bool = False
    """True if a duel ends as soon as one bot is shown to be better."""


def plan_duels(asked: DuelRequest, find: FindBot = find_bot) -> tuple[DuelPlan, list[BotSource]]:
    """
    Read what is to be played.

    Args:
        asked: Which bots, and how much.
        find: Finds the bots that it names.

    Returns:
        The plan, and the bots by their numbers.

    Raises:
        UserError: If something that was asked for is not there, or makes no sense.
    """
    rules = load_rules(asked.rules)
    if asked.alone and rules.partners:
        raise UserError(f"--alone does not go with {rules.name}, where partners make a team. Leave it out.")
    words = [asked.one, asked.other, *filter(None, asked.anchors.split(","))]
    sources = [find(word) for word in words]
    pairs = {(words[one], words[other]): (one, other) for other in range(len(words)) for one in range(min(other, 2))}
    different = tuple(pair for named, pair in pairs.items() if pair == (0, 1) or len({*named}) == 2)
    plan = DuelPlan(
        rules, tuple(source.name for source in sources), different, asked.boards, asked.seed_bytes(),
        asked.clock_setting(), asked.alone, asked.until_decided,
    )  # fmt: skip
    return plan, sources


async def play_duels(
    plan: DuelPlan,
    sources: Sequence[BotSource],
    sandbox: AbstractAsyncContextManager[Sandbox | None],
    look: Callable[[DuelResult], None],
    concurrency: int | None = None,
) -> DuelResult:
    """
    Play one duel after the other.

    Args:
        plan: What is played.
        sources: The bots.
        sandbox: Opens where they run; it gives None for bots in this process.
        look: Called with what has come out so far, after each batch of boards.
        concurrency: How many tables to play at once; None: one for each core that bots may use.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the sandbox failed.
    """
    rows: list[DuelRow] = []

    def result(*last: DuelRow) -> DuelResult:
        return DuelResult(rules=plan.rules.name, alone=plan.alone, duels=(*rows, *last), seed=plan.seed.hex())

    async with loaded(sources, sandbox, concurrency) as play:
        for pair in plan.pairs:
            found = await duel(plan, pair, play, lambda so_far: look(result(duel_row(plan, so_far))))
            rows.append(duel_row(plan, found))
    return result()


def duel_row(plan: DuelPlan, found: Duel) -> DuelRow:
    """Make the value."""
    one, other = found.pair
    estimate, elo = found.estimate, found.elo
    return DuelRow(
        one=plan.names[one],
        other=plan.names[other],
        boards=found.boards,
        deals=found.deals,
        difference=estimate.mean,
        standard_error=estimate.error,
        interval=estimate.interval,
        won=statistics.fmean(found.shares),
        elo=elo.difference if elo else None,
        elo_error=elo.error if elo else None,
        faults={"one": found.faults[0], "other": found.faults[1]},
    )

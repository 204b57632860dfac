"""Comparing two versions of a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.matches.bots import load_bots
from ladder.matches.compare import compare
from ladder.ratings.sprt import ELO
from ladder.values.compare import CompareResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.matches.compare import Comparison, ComparisonPlan
    from ladder.sandbox.base import Sandbox
    from ladder.sandbox.bots.bot_source import BotSource
    from referee.match.spec import MatchSpec
    from referee.records.lines import AnyLine


async def compare_bots(
    plan: ComparisonPlan,
    sources: Sequence[BotSource],
    sandbox: Sandbox | None,
    look: Callable[[CompareResult], None],
    concurrency: int = 1,
) -> CompareResult:
    """
    Play until the test decides, or the most boards are played.

    Args:
        plan: What is compared.
        sources: The old bot, the new one, the opponents.
        sandbox: Where they run; None: in this process.
        look: Called with what has come out so far, after each batch of boards.
        concurrency: How many tables to play at once.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the sandbox failed.
    """
    bots = await load_bots(sources, sandbox)

    async def play(spec: MatchSpec, numbers: Sequence[int], write: Callable[[AnyLine], None]) -> object:
        return await bots.only(numbers).play(spec, write, concurrency=concurrency)

    return compare_result(plan, await compare(plan, play, lambda found: look(compare_result(plan, found))))


def compare_result(plan: ComparisonPlan, found: Comparison) -> CompareResult:
    """Make the value."""
    estimate, hypotheses = found.estimate, found.test.hypotheses
    old, new, field = found.faults
    deviation = estimate.error * found.boards**0.5
    return CompareResult(
        rules=plan.rules.name,
        old=plan.names[0],
        new=plan.names[1],
        field=plan.names[2:],
        decision=found.decision.value,
        boards=found.boards,
        deals=found.deals,
        differing_boards=found.differing,
        difference=estimate.mean,
        standard_error=estimate.error,
        interval=estimate.interval,
        superiority=estimate.superiority,
        normalised_elo=ELO * estimate.mean / deviation if deviation else 0.0,
        llr=found.test.llr,
        bounds=hypotheses.bounds,
        elo0=hypotheses.elo0,
        elo1=hypotheses.elo1,
        alpha=hypotheses.alpha,
        beta=hypotheses.beta,
        faults={"old": old, "new": new, "field": field},
        seed=plan.seed.hex(),
    )

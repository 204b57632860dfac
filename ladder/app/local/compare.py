"""Comparing two versions of a bot."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ladder.app.local.match_plan import LocalRequest
from ladder.errors import UserError
from ladder.matches.bots import load_bots
from ladder.matches.compare import ComparisonPlan, compare
from ladder.ratings.sprt import ELO, Hypotheses
from ladder.sandbox.bots.bot_source import BotSource, FindBot, find_bot
from ladder.sandbox.host.machine import bot_cores
from ladder.values.local_results import CompareResult
from referee.records.rules_file import load_rules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from ladder.matches.compare import Comparison, PlayMatch
    from ladder.sandbox.base import Sandbox
    from pigpen.rules import Rules
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine


MAX_ELO = 2000
"""Nearly six standard deviations: no two bots are further apart on a board."""


class ComparisonRequest(LocalRequest):
    """The bots to compare, and the test's bounds and probabilities of error."""

    old: str
    """A sample bot's name, a folder or an image."""
    new: str
    field: str = "counting"
    """The opponents, with commas between them; fewer than there are seats are repeated."""
    boards: Annotated[int, Field(ge=2)] = 2000
    """The most boards to play."""
    elo0: float = 0.0
    """Normalised Elo of the new bot by the one hypothesis, from -2000 to 2000."""
    elo1: float = 50.0
    """The same by the other one, more than `elo0`; 0 or less: the test asks whether the new bot is worse."""
    alpha: float = 0.05
    """Probability, between 0 and 0.5, of accepting `elo1` for a bot of `elo0`."""
    beta: float = 0.05
    """Probability, between 0 and 0.5, of accepting `elo0` for a bot of `elo1`."""


def plan_comparison(asked: ComparisonRequest, find: FindBot = find_bot) -> tuple[ComparisonPlan, list[BotSource]]:
    """
    Read what is to be compared.

    Args:
        asked: Which bots, and how sure to be.
        find: Finds the bots that it names.

    Returns:
        The plan; and the old bot, the new one, the opponents.

    Raises:
        UserError: If something that was asked for is not there, or makes no sense.
    """
    rules = load_rules(asked.rules)
    sources = [find(asked.old), find(asked.new), *_opponents(asked.field, rules, find)]
    names = tuple(source.name for source in sources)
    hypotheses = _hypotheses(asked)
    return ComparisonPlan(rules, names, hypotheses, asked.boards, asked.seed_bytes(), asked.clock_setting()), sources


async def play_comparison(
    plan: ComparisonPlan,
    sources: Sequence[BotSource],
    sandbox: AbstractAsyncContextManager[Sandbox | None],
    look: Callable[[CompareResult], None],
    concurrency: int | None = None,
) -> CompareResult:
    """
    Play until the test decides, or the most boards are played.

    Args:
        plan: What is compared.
        sources: The old bot, the new one, the opponents.
        sandbox: Opens where they run; it gives None for bots in this process.
        look: Called with what has come out so far, after each batch of boards.
        concurrency: How many tables to play at once; None: one for each core that bots may use.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the sandbox failed.
    """
    async with loaded(sources, sandbox, concurrency) as play:
        return compare_result(plan, await compare(plan, play, lambda found: look(compare_result(plan, found))))


@asynccontextmanager
async def loaded(
    sources: Sequence[BotSource], sandbox: AbstractAsyncContextManager[Sandbox | None], concurrency: int | None
) -> AsyncIterator[PlayMatch]:
    """Make bots ready, and give the function that plays matches of some of them; see `play_comparison`."""
    tables = concurrency or len(bot_cores())
    async with sandbox as opened:
        bots = await load_bots(sources, opened)

        async def play(spec: MatchSpec, numbers: Sequence[int], write: Callable[[AnyLine], None]) -> object:
            return await bots.only(numbers).play(spec, write, concurrency=tables)

        yield play


def _opponents(field: str, rules: Rules, find: FindBot) -> list[BotSource]:
    words = [word for word in field.split(",") if word]
    seats = 2 if rules.partners else rules.players - 1
    if not words or len(words) > seats:
        raise UserError(f"--field {field!r}: name 1 to {seats} opponents for {rules.name}, with commas between them.")
    return [find(words[seat % len(words)]) for seat in range(seats)]


def _hypotheses(asked: ComparisonRequest) -> Hypotheses:
    for name, elo in (("elo0", asked.elo0), ("elo1", asked.elo1)):
        if not -MAX_ELO <= elo <= MAX_ELO:
            raise UserError(f"--{name} {elo:g} is out of range; write a number from -{MAX_ELO} to {MAX_ELO}.")
    if not asked.elo0 < asked.elo1:
        raise UserError(f"--elo0 {asked.elo0:g} must be less than --elo1 {asked.elo1:g}.")
    for name, value in (("alpha", asked.alpha), ("beta", asked.beta)):
        if not 0 < value < 0.5:
            raise UserError(f"--{name} {value:g} is not an error rate; write a number between 0 and 0.5.")
    return Hypotheses(asked.elo0, asked.elo1, asked.alpha, asked.beta)


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
        accepted=found.decision.accepted,
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

"""A match on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.matches.bots import load_bots
from ladder.results.faults import Faults
from ladder.sandbox.host.cores import bot_cores
from ladder.values.local_results import PlayedBot, PlayedMatch, RotationLog
from referee.records.lines import DealLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from ladder.app.local.match_plan import MatchPlan
    from ladder.matches.bots import BotSeats
    from ladder.matches.inline import Played
    from ladder.sandbox.base import Sandbox
    from ladder.values.local_results import FaultReport
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine, BotResult

    PlayWith = Callable[[BotSeats, Callable[[AnyLine], None], Sequence[DealLine] | None], Awaitable[Played]]
    """Plays the match: is given the bots, what takes the record's lines, and the deals recorded before."""


async def play_match(
    plan: MatchPlan,
    sandbox: AbstractAsyncContextManager[Sandbox | None],
    progress: AbstractContextManager[Callable[[], None]],
    say: Callable[[str], None],
    concurrency: int | None = None,
    play_with: PlayWith | None = None,
) -> PlayedMatch:
    """
    Let bots play a match, and record it.

    Args:
        plan: What is to be played, and by whom.
        sandbox: Opens where the bots run; it gives None for bots in this process.
        progress: Begins to show how far the match is; it gives what to call after each deal.
        say: Takes a sentence if the match is interrupted: how to resume it.
        concurrency: How many tables to play at once; None: one for each core that bots may use.
        play_with: Plays the match if it is not for bots alone.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the sandbox failed, or there is no room for the record; the match is void.
        UserError: If the record is there already, cannot be written, or is not of this match.
    """
    faults = Faults()
    recorded = plan.begun.deals if plan.begun else None
    for line in recorded or ():
        faults.take(line)

    with plan.recorded(say) as write, progress as advance:

        def take(line: AnyLine) -> None:
            write(line)
            if isinstance(line, DealLine):
                faults.take(line)
                advance()

        async with sandbox as opened:
            bots = await load_bots(plan.sources, opened)
            if play_with is None:
                played = await bots.play(plan.spec, take, recorded, concurrency or len(bot_cores()))
            else:
                played = await play_with(bots, take, recorded)
    return match_result(plan.spec, played, faults)


def match_result(spec: MatchSpec, played: Played, faults: Faults) -> PlayedMatch:
    """Make the value."""
    return PlayedMatch(
        rules=spec.rules.name,
        format=str(spec.format),
        seed=played.result.seed,
        deals=played.result.deals,
        results=tuple(_bot(row, faults.of(row.seat), played.logs) for row in played.result.results),
    )


def _bot(row: BotResult, faults: Sequence[FaultReport], logs: Mapping[int, tuple[str, ...]]) -> PlayedBot:
    return PlayedBot(
        **dict(row),
        why=tuple(fault.why for fault in faults),
        rotations=tuple(_rotations(row.seat, faults, logs)),
    )


def _rotations(seat: int, faults: Sequence[FaultReport], logs: Mapping[int, tuple[str, ...]]) -> Iterator[RotationLog]:
    printed = {table + 1: tails[seat] for table, tails in logs.items() if tails[seat]}
    for rotation in sorted({*printed, *(fault.rotation for fault in faults)}):
        there = tuple(fault for fault in faults if fault.rotation == rotation)
        yield RotationLog(rotation=rotation, printed=printed.get(rotation, ""), faults=there)

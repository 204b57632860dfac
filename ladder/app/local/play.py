"""
A match on this machine, played from its plan to its result.

Where the containers' engine does not see this machine's files, the referee plays in a container beside the bots.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.matches.bots import load_bots
from ladder.results.match_decisions import Faults
from ladder.sandbox.host.machine import bot_cores
from ladder.values.local_results import PlayedBot, PlayedMatch, RotationLog
from pigpen.rules import PRESETS
from referee.records.file import read_record
from referee.records.lines import DealLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from ladder.app.local.match_plan import MatchPlan
    from ladder.matches.bots import BotSeats
    from ladder.matches.inline_match import Played
    from ladder.sandbox.base import Sandbox
    from ladder.values.local_results import FaultReport
    from referee.match.formats import MatchSpec
    from referee.records.lines import AnyLine, BotResult

    PlayWith = Callable[[BotSeats, Callable[[AnyLine], None], Sequence[DealLine] | None], Awaitable[Played]]
    """Plays the match: is given the bots, what takes the record's lines, and the deals recorded before."""

WHAT_HAPPENS = (
    "The Docker engine does not see this machine's files and sockets, so the referee plays in a container beside the "
    "bots; the record is written here at the end."
)
RECORD, RULES = "match.jsonl", "rules.toml"


async def play_apart(plan: MatchPlan, rules: str, options: tuple[str, ...], say: Callable[[str], None]) -> PlayedMatch:
    """
    Let bots play a new match there, and record it here.

    Args:
        plan: What is to be played.
        rules: What `load_rules` was given for it: a preset, or the path of a file.
        options: Further options of `pigpen play`, as words.
        say: Takes sentences about steps.

    Raises:
        BotRejected: If a bot cannot be made.
        SandboxError: If the engine fails.
        UserError: If a match is to be resumed, or the record cannot be written.
    """
    from ladder.sandbox.docker.referee_container import Errand, path_of, run_beside_bots

    if any(source.command is not None for source in plan.sources):
        raise UserError(
            "A program of this machine can play only beside a Docker engine that sees this machine's files and "
            "sockets, and this one does not. Add --sandbox process, or use an engine on this machine (DOCKER_HOST "
            "names one)."
        )
    if plan.begun:
        raise UserError(
            "--resume needs a Docker engine that sees this machine's files and sockets, and this one does not. Play a "
            "new match, or use an engine on this machine (DOCKER_HOST names one)."
        )
    say(WHAT_HAPPENS)
    files = _files(rules)
    words = ["play", *options, "--rules", path_of(RULES) if files else rules, "--seed", plan.spec.seed.hex(), "--json"]
    with plan.recorded(say) as write:
        errand = Errand((*words, "--record", path_of(RECORD), "--"), plan.sources, files, RECORD)
        brought = await run_beside_bots(errand, say)
        with tempfile.TemporaryDirectory(prefix="pigpen-") as folder:
            made = Path(folder) / RECORD
            made.write_bytes(brought.made)
            for line in read_record(made):
                write(line)
    return PlayedMatch.model_validate_json(brought.printed)


def _files(rules: str) -> dict[str, bytes]:
    return {} if rules in PRESETS else {RULES: Path(rules).read_bytes()}


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
        say: Takes a sentence if the match is interrupted: how to resume it; and one each time that a seat waits for a
            program that the user starts.
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
            bots = await load_bots(plan.sources, opened, say)
            if play_with is None:
                tables = 1 if plan.is_awaited else concurrency or len(bot_cores())
                played = await bots.play(plan.spec, take, recorded, tables)
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

"""
Speed of a ladder on this machine, in deals an hour.

A ladder that has played says it by its last matches. Before the first one, it is measured by matches of sample bots, in
the processes and the sandbox in which the ladder's bots will play.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import asdict, replace
from statistics import fmean
from typing import TYPE_CHECKING

from ladder.app.ladder_run import matches_at_once
from ladder.errors import SandboxError
from ladder.matches.kinds import open_sandbox
from ladder.pairing.match_length import FEWEST, MatchTime, choose_boards
from ladder.runner.run_log import log_to
from ladder.sandbox.bots.bot_source import find_bot, seat_names
from ladder.sandbox.host.machine import all_cores, bot_cores
from ladder.sandbox.host.scratch import scratch_folder
from ladder.store.queries.matches import recent_times
from ladder.values.reports import Finding
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from ladder.worker.match_tasks import MatchOutcome, MatchTask, TaskBot
from ladder.worker.worker_pool import WorkerPool
from pigpen.rules import PRESETS, new_seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder
    from ladder.settings.settings import Settings

RECENT = 20
"""Number of a ladder's last matches that are looked at."""
BOT = "cautious"
"""A sample bot that answers at once."""
RULES = PRESETS["gongzhu"]
BOARDS = 2
"""Boards of each match that is measured."""
CARDS = 52
"""Cards that are played in a deal."""
THINKING = 0.01
"""Seconds of CPU time for a card, for the second figure."""
SECONDS = 120.0
"""Limit, in seconds, of a match that is measured."""
HOUR = 3600.0
HOW_TO_MEASURE = "To measure how many deals an hour this machine plays, run: pigpen doctor"


def ladder_speed(ladder: Ladder) -> str:
    """
    Say how many deals an hour to expect here by the last matches.

    Where there are too few, say how to find out; empty for bots in processes, whose speed nothing else measures.
    """
    with ladder.database.read() as session:
        times = recent_times(session, RECENT)
    if len(times) < FEWEST:
        return HOW_TO_MEASURE if ladder.settings.sandbox == SandboxKind.DOCKER else ""
    deals, seconds = (sum(column) for column in zip(*times, strict=True))
    slots = matches_at_once(ladder.settings)
    speed = _rounded(deals / seconds * slots * HOUR)
    return f"By the last {len(times)} matches, expect about {speed} deals an hour, {_at_once(slots)}."


def speed_finding(settings: Settings, report: Callable[[str], None]) -> Finding:
    """
    Play as a ladder with these settings would, for some seconds, and say how many deals an hour to expect.

    Args:
        settings: Of the ladder; its bots play in containers.
        report: Called with one line before each step that takes seconds.
    """
    slots = matches_at_once(settings)
    try:
        time = asyncio.run(_measured(settings, slots, report))
    except SandboxError as error:
        return Finding("Speed", False, "could not be measured", str(error))
    thinking = BOARDS * RULES.players * CARDS * THINKING * max(1.0, slots / len(bot_cores()))
    at_once = _rounded(_deals_an_hour(time, slots))
    slower = _rounded(_deals_an_hour(replace(time, playing=time.playing + thinking), slots))
    found = f"about {at_once} deals an hour, {_at_once(slots)}; {slower} with bots that think 10 ms a card"
    return Finding("Speed", True, found)


def _deals_an_hour(time: MatchTime, slots: int) -> float:
    """Give the speed of matches as long as a ladder chooses by itself."""
    boards = choose_boards([time] * FEWEST)
    return boards * RULES.players / (time.starting + boards * time.playing / time.boards) * slots * HOUR


def _rounded(deals: float) -> str:
    """Give two digits: it is an estimate."""
    unit = 10 ** max(0, math.floor(math.log10(deals)) - 1)
    return f"{round(deals / unit) * unit:,}"


def _at_once(slots: int) -> str:
    return f"{slots} matches at once" if slots > 1 else "one match at a time"


async def _measured(settings: Settings, slots: int, report: Callable[[str], None]) -> MatchTime:
    """
    Measure matches that are played at once, after others have started the warm containers.

    Raises:
        SandboxError: If one could not be played.
    """
    setup = SandboxSetup(
        SandboxKind.DOCKER, settings.runtime, settings.locked_bytes, settings.instances, settings.warm_bytes
    )
    sandbox = open_sandbox(setup, report)
    try:
        program = await sandbox.load(find_bot(BOT))
    finally:
        await sandbox.close()
    report(f"Measuring how many deals this machine plays, {_at_once(slots)} …")
    task = _task(settings, program.identity, can_fork=settings.instances == "warm")
    with scratch_folder() as folder:
        stop_log = log_to(folder / "events.jsonl", to_stderr=False)
        pool = WorkerPool(min(settings.workers or len(all_cores()), slots))
        try:
            await _played(pool, task, 1, slots)
            outcomes = await _played(pool, task, BOARDS, slots)
        finally:
            await pool.close()
            stop_log()
    return MatchTime(
        BOARDS,
        fmean(outcome.starting_seconds or 0.0 for outcome in outcomes),
        fmean(outcome.playing_seconds or 0.0 for outcome in outcomes),
    )


def _task(settings: Settings, identity: str, *, can_fork: bool) -> MatchTask:
    bots = (
        TaskBot(name=name, identity=identity, sandbox=SandboxKind.DOCKER, can_fork=can_fork)
        for name in seat_names([BOT] * RULES.players)
    )
    return MatchTask(
        match=0,
        attempt=0,
        rules=RULES.to_plain(),
        format="boards:1",
        clock=asdict(settings.clock_setting),
        seed=new_seed().hex(),
        bots=tuple(bots),
        runtime=settings.runtime,
        locked_bytes=settings.locked_bytes,
        instances=settings.instances,
        warm_bytes=settings.warm_bytes,
        seconds=SECONDS,
    )


async def _played(pool: WorkerPool, task: MatchTask, boards: int, count: int) -> list[MatchOutcome]:
    words = task.model_copy(update={"format": f"boards:{boards}"}).model_dump_json()
    answers = await asyncio.gather(*(pool.play(words) for _ in range(count)))
    outcomes = [MatchOutcome.model_validate_json(answer) for answer in answers]
    if void := next((outcome.void for outcome in outcomes if outcome.void), None):
        raise SandboxError(void)
    return outcomes

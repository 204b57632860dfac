"""
Deals a minute that a ladder rates: bots that play at once and bots that think, in fresh and in warm containers.

A ladder of eight bots from folders, matches of four boards, as many at once as a ladder plays by itself.
Two shares of all CPU time that the machine spends meanwhile (nothing else may run): what the bots were set to think,
and what their programs used for their decisions by their clocks, which counts reading the view and sending the card.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.ladder_overhead import patient
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, ratio, spread
from benchmarks.runtimes import containers, in_each
from benchmarks.start import busy_seconds
from benchmarks.thinking import working
from ladder.results.files import RECORD_END, MatchFiles
from ladder.runner.coordinator import Coordinator
from ladder.runner.executor import LocalExecutor
from ladder.runner.run_log import log_to
from ladder.runner.runner import Runner, StopCondition
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.host.cores import bot_cores
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.worker.match_tasks import load_version
from ladder.worker.worker import Worker
from pigpen.rules import PRESETS
from referee.records.file import read_record
from referee.records.lines import DealLine
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from referee.records.lines import Instances

BOTS = 8
BOARDS = 4
RULES = PRESETS["hearts"]
THINKS_MS = (0, 1, 10)
INSTANT = Path(__file__).resolve().parent / "instant"
THINKING = """
import pigpen


class Thinking(pigpen.Bot):
    def play(self, view):
        {work}
        return view.legal[0]


pigpen.run(Thinking())
"""


@dataclass(frozen=True)
class Rated:
    """Work of a ladder in a period."""

    deals_a_minute: float
    thinking: float
    """The share of the machine's CPU time in which bots thought, by the time that they were set to think; 0 to 1."""
    own: float
    """The share of it that the bots' clocks have counted; 0 to 1."""


def rated(millis: int, instances: Instances, matches: int) -> Rated:
    """Rate *matches* matches of bots that think *millis* milliseconds over each card, after a first one."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        settings = load_settings(data_dir=root / "ladder", instances=instances, boards=BOARDS, **patient())
        database = open_ladder(settings, create=True)
        asyncio.run(enter_folders(database, [folder_of(root / f"bot{n}", millis, n) for n in range(BOTS)]))
        stop = log_to(settings.data_dir / "logs" / "ladder.jsonl", to_stderr=False)
        executor = LocalExecutor(Worker(load_version), slots=len(bot_cores()) + 1)
        try:
            _run(
                database, settings, executor, BOTS if instances == "warm" and millis <= 1 else 2
            )  # programs are loaded
            before = clocked(settings)
            began, busy = time.perf_counter(), busy_seconds()
            _run(database, settings, executor, matches)
            wall, busy = time.perf_counter() - began, busy_seconds() - busy
            own = clocked(settings) - before
        finally:
            executor.close()
            database.close()
            stop()
    deals = matches * BOARDS * RULES.players
    asked = deals * RULES.players * RULES.hand_size * NOT_FORCED
    return Rated(deals * 60 / wall, asked * millis / 1000 / busy, own / busy)


NOT_FORCED = 0.77
"""The share of the cards that a bot is asked for, about (`python -m benchmarks.forced`)."""


def clocked(settings: Settings) -> float:
    """Sum the seconds of CPU time that all decisions of all matches took by the clocks of the bots."""
    records = MatchFiles(settings.data_dir).root.rglob(f"*{RECORD_END}")
    lines = (line for record in records for line in read_record(record))
    return sum(cpu or 0.0 for line in lines if isinstance(line, DealLine) for cpu in line.cpu_ms or ()) / 1000


def folder_of(folder: Path, millis: int, number: int) -> Path:
    """Write a bot of its own that thinks *millis* milliseconds over each card, and give its folder."""
    shutil.copytree(INSTANT, folder)
    text = THINKING.format(work=working(millis)) if millis else (folder / "bot.py").read_text()
    (folder / "bot.py").write_text(f"{text}\n# {number}\n")
    return folder


async def enter_folders(database: Database, folders: Sequence[Path]) -> None:
    """Enter bots of as many owners, untried."""
    sandbox = containers()
    try:
        for folder in folders:
            program = await sandbox.load(BotSource(folder.name, folder=folder))
            entry = Fit(folder.name, f"of-{folder.name}", program.identity, "docker", folder.name, 1000)
            with database.write() as session:
                entry.enter(session, [RULES], time.time())
    finally:
        await sandbox.close()


def _run(database: Database, settings: Settings, executor: LocalExecutor, matches: int) -> None:
    coordinator = Coordinator(database, settings, random.Random(7), time.time)
    Runner(coordinator, executor, StopCondition(matches=matches)).run()


def measure(rounds: int, thinks: Sequence[int] = THINKS_MS, matches: int = 4) -> list[Row]:
    """Measure ladders in turn: fresh and warm, in each runtime."""
    return in_each(lambda: _measured(rounds, thinks, matches))


def _measured(rounds: int, thinks: Sequence[int], matches: int) -> list[Row]:
    rows = []
    for millis in thinks:
        found: dict[Instances, list[Rated]] = {"fresh": [], "warm": []}
        for _ in range(rounds):
            for instances, results in found.items():
                results.append(rated(millis, instances, matches if instances == "fresh" or millis > 1 else 4 * matches))
        fresh, warm = ([each.deals_a_minute for each in results] for results in found.values())
        thinking = [100 * each.thinking for each in found["warm"]]
        own = [100 * each.own for each in found["warm"]]
        who = f"bots that think {millis} ms" if millis else "bots that play at once"
        rows += [
            Row(f"rated deals a minute, {who}, fresh", spread(fresh)),
            Row(f"rated deals a minute, {who}, warm", spread(warm), "fresh", ratio(warm, fresh)),
        ]
        if millis:
            rows.append(Row(f"CPU time that is thinking, {millis} ms, warm", spread(thinking, " %"), "the machine's"))
            rows.append(Row(f"CPU time on the bots' clocks, {millis} ms, warm", spread(own, " %"), "the machine's"))
    return rows


PART = Part("rated", __doc__, measure, rounds=1)

if __name__ == "__main__":
    run(__doc__, PART)

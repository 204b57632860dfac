"""
Cost of a ladder beside its matches, and matches by more than one process.

*ladder*: the time that slots stand empty while the coordinator records and schedules, and its CPU time, which the
matches on the same machine lack.

*workers*: matches of a ladder with two worker processes against one, in turn in one run, with as many matches at once.
Two pay as far as one process of Python is what holds up the matches; bots of one machine share its cores with the
workers.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import threading
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, counted, in_turn
from benchmarks.runtimes import containers, in_each, measured_runtime
from ladder.errors import SandboxError
from ladder.runner.coordinator import Coordinator
from ladder.runner.executor import LocalExecutor
from ladder.runner.run_log import log_to
from ladder.runner.runner import Runner, StopCondition
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.bots.content import Content, keep_folder
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.settings.settings import Settings, load_settings
from ladder.store.commands.opening import open_ladder
from ladder.worker.match_tasks import load_version
from ladder.worker.worker import Worker
from ladder.worker.worker_pool import WorkerPool
from pigpen.rules import PRESETS
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from ladder.pairing.suspension import Reporter
    from ladder.runner.executor import Judgement
    from ladder.sandbox.base import Sandbox
    from ladder.store.database import Database


BOTS = {"Trotter": "cautious", "Snout": "random", "Truffle": "counting", "Sty": "random", "Boar": "cautious"}

BOTS |= {"Acorn": "counting", "Mud": "random", "Bristle": "cautious"}
"""Two matches at once in containers, where no owner may have bots in both."""

LADDERS = (("process", 1), ("docker", 1), ("docker", 4))
"""The sandbox of each ladder that is measured, and how many boards its matches have."""

SLOTS = 2


def patient() -> dict[str, Any]:
    """Give settings under which no bot is suspended on a busy machine, with the runtime that is measured."""
    return {"clock": "6000+1", "limit": 60.0, "runtime": measured_runtime()}


class Slots:
    """Passes tasks on, and adds up how long its slots are empty until the last one begins."""

    def __init__(self, inner: LocalExecutor) -> None:
        self.slots = inner.slots
        self._inner = inner
        self._lock = threading.Lock()
        self._busy = 0
        self.begin()

    def begin(self) -> None:
        """Count from now."""
        self._began = self._changed = self._last = time.perf_counter()
        self._empty = self._empty_at_last = 0.0

    @property
    def empty(self) -> float:
        """The share of the slots' time in which they were empty."""
        return self._empty_at_last / (self.slots * (self._last - self._began))

    def machines(self) -> None:
        """Give None: all is played on one machine."""

    def submit(self, task: str, key: str) -> Future[str]:
        """Pass on a task."""
        self._change(1)
        future = self._inner.submit(task, key)
        future.add_done_callback(lambda done: self._change(-1))
        return future

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> bool:
        """Pass it on."""
        return self._inner.judge(key, judgement, reason)

    def reporter(self, key: str) -> Reporter | None:
        """Ask the inner one."""
        return self._inner.reporter(key)

    def ready(self) -> Future[None]:
        """Ask the inner one."""
        return self._inner.ready()

    def close(self) -> None:
        """Close the inner one."""
        self._inner.close()

    def _change(self, by: int) -> None:
        with self._lock:
            now = time.perf_counter()
            self._empty += (self.slots - self._busy) * (now - self._changed)
            self._busy, self._changed = self._busy + by, now
            if by > 0:
                self._last, self._empty_at_last = now, self._empty


def overhead(kind: str, boards: int, matches: int, places: int = SLOTS) -> tuple[float, float, float]:
    """Measure seconds a match, the share of time in which the places were empty, and the coordinator's CPU share."""
    with tempfile.TemporaryDirectory() as name:
        settings = load_settings(data_dir=Path(name), sandbox=kind, boards=boards, **patient())
        database = open_ladder(settings, create=True)
        asyncio.run(enter(database, settings, containers() if kind == "docker" else ProcessSandbox()))
        stop = log_to(Path(name) / "logs" / "ladder.jsonl", to_stderr=False)
        slots = Slots(LocalExecutor(Worker(load_version), places))
        try:
            _run(database, settings, slots, places)  # programs are loaded, and caches are warm
            slots.begin()
            began, cpu = time.perf_counter(), time.thread_time()
            _run(database, settings, slots, matches)
            wall, cpu = time.perf_counter() - began, time.thread_time() - cpu
        finally:
            slots.close()
            database.close()
            stop()
        return wall / matches, slots.empty, cpu / wall


def _run(database: Database, settings: Settings, slots: Slots, matches: int) -> None:
    coordinator = Coordinator(database, settings, random.Random(7), time.time)
    asyncio.run(Runner(coordinator, slots, StopCondition(matches=matches)).run())


async def enter(database: Database, settings: Settings, sandbox: Sandbox) -> None:
    """Enter all `BOTS`, and close the sandbox that has loaded them."""
    try:
        for name, sample in BOTS.items():
            source = find_bot(sample)
            assert source.folder is not None
            identity = (await sandbox.load(source)).identity
            content = Content.read(source.folder)
            if sandbox.name == "process":
                keep_folder(content, settings.data_dir)
            entry = Fit(name, f"owner-of-{name}", identity, sandbox.name, sample, content.size)
            with database.write() as session:
                entry.enter(session, [PRESETS["gongzhu"]], time.time())
    finally:
        await sandbox.close()


def measure(rounds: int, ladders: Sequence[tuple[str, int]] = LADDERS, places: int = SLOTS) -> list[Row]:
    """Measure ladders of quick and of longer matches, of which each slot plays the given number after a first one."""
    rows = []
    for kind, boards in ladders:
        where = f"{kind}, {counted(boards, 'board')}"
        ladder = partial(_ladder, kind, boards, where, places * (1 + rounds), places)
        try:
            rows += in_each(ladder) if kind == "docker" else ladder()
        except SandboxError as error:
            rows.append(Row.left_out(f"a match, {where}", error))
    return rows


def _ladder(kind: str, boards: int, where: str, matches: int, places: int) -> list[Row]:
    seconds, empty, cpu = overhead(kind, boards, matches, places)
    return [
        Row(f"a match, {where}", f"{seconds:.2f} s"),
        Row(f"slots empty, {where}", f"{100 * empty:.1f} %", "the slots' time"),
        Row(f"coordinator's CPU, {where}", f"{100 * cpu:.1f} %", "one core"),
    ]


WORKERS_BOARDS = (4, 16)
"""Of the matches of each ladder that is measured: most of a short match is the start of its bots."""

WORKERS_SLOTS = 4

WORKERS_MATCHES = 4
"""Of each measurement."""


class Workers:
    """A ladder that is played by worker processes, which stay between measurements."""

    def __init__(self, boards: int, workers: int) -> None:
        self._left = ExitStack()
        folder = Path(self._left.enter_context(tempfile.TemporaryDirectory()))
        self._settings = load_settings(data_dir=folder, sandbox="process", boards=boards, **patient())
        self._database = open_ladder(self._settings, create=True)
        self._left.callback(self._database.close)
        asyncio.run(enter(self._database, self._settings, ProcessSandbox()))
        self._executor = LocalExecutor(WorkerPool(workers), WORKERS_SLOTS)
        self._left.callback(self._executor.close)
        self.measure()  # programs are loaded, and caches are warm

    def measure(self) -> float:
        """Measure the seconds a match."""
        coordinator = Coordinator(self._database, self._settings, random.Random(7), time.time)
        began = time.perf_counter()
        asyncio.run(Runner(coordinator, self._executor, StopCondition(matches=WORKERS_MATCHES)).run())
        return (time.perf_counter() - began) / WORKERS_MATCHES

    def close(self) -> None:
        """End the workers and remove the ladder."""
        self._left.close()


def measure_workers(rounds: int) -> list[Row]:
    """Measure each ladder with one worker and with two, in turn."""
    rows: list[Row] = []
    for boards in WORKERS_BOARDS:
        where = counted(boards, "board")
        with ExitStack() as stack:
            stack.callback(
                log_to(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "log.jsonl", to_stderr=False)
            )
            ladders = [Workers(boards, workers) for workers in (1, 2)]
            for ladder in ladders:
                stack.callback(ladder.close)
            seconds = in_turn(rounds, *(ladder.measure for ladder in ladders))
        names = [f"a match, {where}, {counted(workers, 'worker')}" for workers in (1, 2)]
        rows += compared(names, seconds, "s", "1 worker")
    return rows


PARTS = (Part("ladder", __doc__, measure, rounds=3), Part("workers", __doc__, measure_workers, rounds=3))

if __name__ == "__main__":
    run(__doc__, *PARTS)

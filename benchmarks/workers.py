"""
Matches of a ladder with two worker processes against one, in turn in one run, with as many matches at once. Two pay as
far as one process of Python is what holds up the matches; bots of one machine share its cores with the workers.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.ladder_overhead import enter, patient
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, counted, in_turn
from ladder.runner.coordinator import Coordinator
from ladder.runner.executor import LocalExecutor
from ladder.runner.run_log import log_to
from ladder.runner.runner import Runner, StopCondition
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.worker.worker_pool import WorkerPool

BOARDS = (4, 16)
"""Of the matches of each ladder that is measured: most of a short match is the start of its bots."""
SLOTS = 4
MATCHES = 4
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
        self._executor = LocalExecutor(WorkerPool(workers), SLOTS)
        self._left.callback(self._executor.close)
        self.measure()  # programs are loaded, and caches are warm

    def measure(self) -> float:
        """Measure the seconds a match."""
        coordinator = Coordinator(self._database, self._settings, random.Random(7), time.time)
        began = time.perf_counter()
        Runner(coordinator, self._executor, StopCondition(matches=MATCHES)).run()
        return (time.perf_counter() - began) / MATCHES

    def close(self) -> None:
        """End the workers and remove the ladder."""
        self._left.close()


def measure(rounds: int) -> list[Row]:
    """Measure each ladder with one worker and with two, in turn."""
    rows: list[Row] = []
    for boards in BOARDS:
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


PART = Part("workers", __doc__, measure, rounds=3)

if __name__ == "__main__":
    run(__doc__, PART)

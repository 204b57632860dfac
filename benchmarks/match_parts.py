"""
CPU time of a ladder's match by its parts: the coordinator by step, the worker, the fork servers, bots, the engine.

A ladder of four bots that play at once, in warm containers (runc), one match of four boards after the other; per match.
The worker is a thread of this process here, and has the referee; what the coordinator does is in the main thread. The
bots' time is that of their decisions, by their clocks. A fork server's is that of its process; one whose container is
removed meanwhile, as happens on a busy machine, is not counted. Under gVisor, what runs in a container is no process of
the host and cannot be told from its kernel, so these are containers of runc. The engine (dockerd, containerd and the
shims) serves the whole machine: its figure is right only where nothing else uses containers.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.ladder_overhead import patient
from benchmarks.part_runner import run
from benchmarks.rated import BOARDS, clocked, enter_folders, folder_of
from benchmarks.report import Part, Row, spread
from ladder.results.files import MatchFiles
from ladder.runner import coordinator as steps
from ladder.runner.executor import LocalExecutor
from ladder.runner.run_log import log_to
from ladder.runner.runner import Runner, StopCondition
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.values.sandbox_kind import SHARED
from ladder.worker.match_tasks import load_version
from ladder.worker.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BOTS = 4
WARM_UP = 3
"""Matches."""
TICKS = os.sysconf("SC_CLK_TCK")
ENGINE = {"dockerd", "containerd", "containerd-shim"}
STEPS: dict[str, tuple[Any, str]] = {
    "coordinator: match scheduled and leased": (steps.Coordinator, "take"),
    "coordinator: record and logs written": (MatchFiles, "keep"),
    "coordinator: record read, verified, summarised": (steps, "summary_of"),
    "coordinator: result stored": (steps.Coordinator, "_record"),
    "coordinator: estimates": (steps.Coordinator, "refresh_estimates"),
}
"""Steps of the coordinator, each with the object and the name of its function."""
REST = "coordinator: the rest (events, log, live)"
WORKER = "worker: referee, starts and ends of bots"
SERVERS, PROGRAMS, CONTAINERS = "fork servers", "bots, by their clocks", "dockerd, containerd, shims"


@contextmanager
def timed_steps() -> Iterator[dict[str, float]]:
    """Add up the CPU time of this thread in each of `STEPS`, in seconds."""
    found: dict[str, float] = defaultdict(float)
    originals = {name: getattr(place, method) for name, (place, method) in STEPS.items()}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                found[name] += time.thread_time() - began

        return call

    for name, (place, method) in STEPS.items():
        setattr(place, method, timed(name, originals[name]))
    try:
        yield found
    finally:
        for name, (place, method) in STEPS.items():
            setattr(place, method, originals[name])


def others(scratch: Path) -> dict[str, float]:
    """Read the seconds of CPU time of the containers whose folders are below *scratch*, and of the engine."""
    found = dict.fromkeys((SERVERS, CONTAINERS), 0.0)
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal():
            continue
        with suppress(OSError):
            head, _, tail = (process / "stat").read_text().rpartition(")")
            used = sum(map(int, tail.split()[11:13])) / TICKS
            if head.partition("(")[2] in ENGINE:
                found[CONTAINERS] += used
            elif _parent(tail) == "containerd-shim" and str(scratch) in (process / "mountinfo").read_text():
                found[SERVERS] += used
    return found


def _parent(fields: str) -> str:
    return Path(f"/proc/{fields.split()[1]}/comm").read_text().strip()


def parts(rounds: int, matches: int, boards: int = BOARDS) -> list[dict[str, float]]:
    """Measure milliseconds of CPU time of a match, by part, of *rounds* times *matches* matches."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        root, before = Path(name), tempfile.tempdir
        tempfile.tempdir = name  # so that folders of containers can be told from those of others
        settings = load_settings(
            data_dir=root / "ladder", instances="warm", boards=boards, **patient() | {"runtime": SHARED}
        )
        database = open_ladder(settings, create=True)
        asyncio.run(enter_folders(database, [folder_of(root / f"bot{n}", 0, n) for n in range(BOTS)]))
        stop = log_to(settings.data_dir / "logs" / "ladder.jsonl", to_stderr=False)
        executor = LocalExecutor(Worker(load_version), slots=1)

        def play(count: int) -> None:
            coordinator = steps.Coordinator(database, settings, random.Random(7), time.time)
            Runner(coordinator, executor, StopCondition(matches=count)).run()

        def all_others() -> dict[str, float]:
            return others(root) | {PROGRAMS: clocked(settings)}

        try:
            play(WARM_UP)
            return [_round(play, all_others, matches) for _ in range(rounds)]
        finally:
            executor.close()
            database.close()
            stop()
            tempfile.tempdir = before


def _round(play: Callable[[int], None], measured: Callable[[], dict[str, float]], matches: int) -> dict[str, float]:
    with timed_steps() as found:
        outside, main, all_threads = measured(), time.thread_time(), time.process_time()
        play(matches)
        main, all_threads = time.thread_time() - main, time.process_time() - all_threads
        after = measured()
    by_part = {name: found[name] for name in STEPS}
    by_part[REST] = main - sum(by_part.values())
    by_part[WORKER] = all_threads - main
    by_part |= {name: after[name] - outside[name] for name in outside}
    return {name: seconds * 1000 / matches for name, seconds in by_part.items()}


def measure(rounds: int, matches: int = 10, boards: int = BOARDS) -> list[Row]:
    """Measure the CPU time of each part of a match, and its share of all of it."""
    found = parts(rounds, matches, boards)
    totals = [sum(each.values()) for each in found]
    rows = []
    for name in found[0]:
        values = [each[name] for each in found]
        shares = [100 * value / total for value, total in zip(values, totals, strict=True)]
        rows.append(Row(f"{name} ({SHARED})", spread(values, " ms"), "the match", spread(shares, " %")))
    return [*rows, Row(f"a match, all of it ({SHARED})", spread(totals, " ms"))]


PART = Part("match_parts", __doc__, measure, rounds=5)

if __name__ == "__main__":
    run(__doc__, PART)

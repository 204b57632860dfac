"""Growth of a match's cost with its deals, and the memory of a bot and of the referee."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bots import INSTANT, instant_spec
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, counted
from benchmarks.runtimes import containers, in_each
from ladder.matches.play import play_sandboxed
from ladder.sandbox.host.machine import MIB
from referee.records.file import RecordWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.sandbox.base import Exit, Instance, Program, SeatMount
    from referee.records.lines import AnyLine, ImageFiles, Instances

DEALS = (1, 10, 100, 1000)


@dataclass
class Watched:
    """A program whose instances are remembered."""

    program: Program
    instances: list[Instance]

    @property
    def identity(self) -> str:
        """The program's own."""
        return self.program.identity

    @property
    def image_files(self) -> ImageFiles | None:
        """The program's own."""
        return self.program.image_files

    @property
    def instance_kind(self) -> Instances | None:
        """The program's own."""
        return self.program.instance_kind

    @property
    def runtime(self) -> str | None:
        """The program's own."""
        return self.program.runtime

    @property
    def witness(self) -> Program | None:
        """The program's own."""
        return self.program.witness

    def never_fork(self, end: Exit) -> None:
        """Pass it on to the program."""
        self.program.never_fork(end)

    async def start(self, mount: SeatMount) -> Instance:
        """Start one."""
        self.instances.append(await self.program.start(mount))
        return self.instances[-1]


@dataclass
class Grown:
    """Costs of one match."""

    whole: float
    """Seconds from the start of the containers to their end."""
    deal: float
    """Milliseconds of a deal after the first one."""
    cpu: float
    """Milliseconds of this process's CPU time for it."""
    bot: float
    """MiB, the most that one bot's container had at a time; not a number where it cannot be read."""
    referee: float
    """MiB that this process has at the end."""


async def _match(deals: int) -> Grown:
    sandbox, times, cpus = containers(), [time.perf_counter()], [time.process_time()]
    peaks: list[int | None] = []
    with tempfile.TemporaryDirectory() as folder:
        writer = RecordWriter.create(Path(folder) / "match.jsonl")
        watched = Watched(await sandbox.load(INSTANT), [])
        waiting: list[asyncio.Task[None]] = []

        async def look() -> None:
            peaks.extend([await instance.peak_memory() for instance in watched.instances])

        def write(line: AnyLine) -> None:
            writer.write(line)
            times.append(time.perf_counter())
            cpus.append(time.process_time())
            if len(times) == deals + 2:  # the first line, and every deal: the containers still stand
                waiting.append(asyncio.ensure_future(look()))

        try:
            await play_sandboxed(instant_spec(deals), [watched] * 4, write)
        finally:
            await sandbox.close()
            writer.close()
        whole = time.perf_counter() - times[0]
    deal, cpu = ((each[deals + 1] - each[2]) / max(1, deals - 1) * 1000 for each in (times, cpus))
    memory = max((peak for peak in peaks if peak is not None), default=math.nan) / MIB
    return Grown(whole, deal, cpu, memory, _resident())


def _resident() -> float:
    """Read the MiB that this process has in memory; Linux only, as control groups are."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def match(deals: int, warm_up: bool) -> Grown:
    """Play a match of *deals* deals, after one that does not count if it is to warm up."""
    if warm_up:
        asyncio.run(_match(1))
    return asyncio.run(_match(deals))


def measure(rounds: int, lengths: Sequence[int] = DEALS, warm_up: bool = True) -> list[Row]:
    """Measure matches of more and more deals, each in its own process, in each runtime; against the shortest."""
    return in_each(lambda: _measured(rounds, lengths, warm_up))


def _measured(rounds: int, lengths: Sequence[int], warm_up: bool) -> list[Row]:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as alone:
        found = [[alone.submit(match, deals, warm_up).result() for deals in lengths] for _ in range(rounds)]

    def rows(what: str, field: str, unit: str, first: int = 0) -> list[Row]:
        names = [f"{what}, {counted(deals, 'deal')}" for deals in lengths[first:]]
        values = [[getattr(grown[place], field) for grown in found] for place in range(first, len(lengths))]
        if any(math.isnan(value) for each in values for value in each):
            return [Row.left_out(what, "this machine does not tell it")]
        return compared(names, values, unit, counted(lengths[first], "deal"))

    return [
        *rows("match, start included", "whole", "s"),
        *rows("each later deal", "deal", "ms", first=1),
        *rows("referee's CPU for it", "cpu", "ms", first=1),
        *rows("a bot's memory", "bot", "MiB"),
        *rows("the referee's memory", "referee", "MiB"),
    ]


PARTS = (Part("growth", __doc__, measure, rounds=1),)

if __name__ == "__main__":
    run(__doc__, *PARTS)

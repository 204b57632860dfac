"""How a match's cost grows with its deals, and what a bot and the referee take of memory."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.decision import INSTANT, instant_spec
from benchmarks.report import show
from ladder.play import play_sandboxed
from ladder.sandbox.docker import DockerSandbox
from ladder.sandbox.memory import MIB
from referee.record_file import RecordWriter

if TYPE_CHECKING:
    from ladder.sandbox.base import Instance, Place, Program
    from referee.record import AnyLine

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

    async def start(self, place: Place) -> Instance:
        """Start one."""
        self.instances.append(await self.program.start(place))
        return self.instances[-1]


async def _row(deals: int) -> list[str]:
    sandbox, times = DockerSandbox(), [time.perf_counter()]
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
            if len(times) == deals + 2:  # the first line, and every deal: the containers still stand
                waiting.append(asyncio.ensure_future(look()))

        try:
            await play_sandboxed(instant_spec(deals), [watched] * 4, write)
        finally:
            await sandbox.close()
            writer.close()
        whole = time.perf_counter() - times[0]
        size = (Path(folder) / "match.jsonl").stat().st_size
    found = [peak for peak in peaks if peak is not None]
    under_way = (times[deals + 1] - times[1]) / deals * 1000
    memory = f"{max(found) / MIB:.1f}" if found else "–"
    return [str(deals), f"{whole:.2f}", f"{under_way:.1f}", f"{size / deals / 1024:.1f}", memory, f"{_resident():.1f}"]


def _resident() -> float:
    """MiB that this process has in memory; Linux only, as control groups are."""
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def main() -> None:
    """Measure and print."""
    asyncio.run(_row(1))
    rows = [asyncio.run(_row(deals)) for deals in DEALS]
    headings = ("deals", "match, s", "a deal, ms", "record, KiB a deal", "a bot's memory, MiB", "the referee's")
    show("A match in containers with instant bots, as it grows", headings, rows)


if __name__ == "__main__":
    main()

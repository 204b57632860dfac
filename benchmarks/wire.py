"""
What a decision costs the referee and the bots, by how bots wait for the referee: in an event loop or in their thread.

Two tables of instant bots in plain processes play in turn, a number of deals at a time. CPU time is that of all
threads, user and system; that of the bots is of all four together.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.command import run
from benchmarks.decision import ENDLESS, HERE, INSTANT, instant_spec
from benchmarks.lanes import table
from benchmarks.report import Part, Row, compared
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.process.process_sandbox import ProcessSandbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from benchmarks.lanes import SteppedTable
    from ladder.sandbox.base import Program

DEALS = 16
WARM_UP = 8
WAYS = {
    "bots in an event loop": BotSource("in_a_loop", folder=HERE / "in_a_loop"),
    "bots in their own thread": INSTANT,
}


class Table:
    """A table and the processes of its bots."""

    def __init__(self, lane: SteppedTable, processes: set[int]) -> None:
        self._lane = lane
        self._processes = processes

    async def costs(self, deals: int) -> tuple[float, float, float]:
        """Play; decisions a second, and microseconds of CPU time a decision, the referee's and the bots'."""
        wall, own, others = time.perf_counter(), time.process_time(), self._cpu_time()
        decisions = sum([await self._lane.step() for _ in range(deals)])
        wall, own = time.perf_counter() - wall, time.process_time() - own
        return decisions / wall, own / decisions * 1e6, (self._cpu_time() - others) / decisions * 1e6

    def _cpu_time(self) -> float:
        """Seconds of CPU time that the bots have used so far; `clock_getcpuclockid` numbers their clocks so."""
        return sum(time.clock_gettime((~process << 3) | 2) for process in self._processes)


def children() -> set[int]:
    """The processes that this one has started."""
    return {
        int(pid)
        for threads in Path("/proc/self/task").iterdir()
        for pid in (threads / "children").read_text(encoding="ascii").split()
    }


@asynccontextmanager
async def table_of(program: Program) -> AsyncIterator[Table]:
    """A table of four instances of *program*."""
    others = children()
    async with table(instant_spec(ENDLESS), [program] * 4) as lane:
        for _ in range(WARM_UP):
            await lane.step()
        yield Table(lane, children() - others)


async def _costs(rounds: int, deals: int) -> list[list[tuple[float, float, float]]]:
    async with AsyncExitStack() as stack:
        sandbox = ProcessSandbox(instances="fresh")  # so that each bot is a child of this process
        stack.push_async_callback(sandbox.close)
        tables = [await stack.enter_async_context(table_of(await sandbox.load(bot))) for bot in WAYS.values()]
        return [
            list(each)
            for each in zip(*[[await each.costs(deals) for each in tables] for _ in range(rounds)], strict=True)
        ]


def measure(rounds: int, deals: int = DEALS) -> list[Row]:
    """Decisions a second, and the CPU time of both ends."""
    found = [list(zip(*each, strict=True)) for each in asyncio.run(_costs(rounds, deals))]
    kinds = (("decisions", "/s"), ("referee's CPU a decision", "µs"), ("bots' CPU a decision", "µs"))
    return [
        row
        for number, (kind, unit) in enumerate(kinds)
        for row in compared([f"{kind}, {way}" for way in WAYS], [each[number] for each in found], unit, "an event loop")
    ]


PART = Part("wire", __doc__, measure, rounds=20)

if __name__ == "__main__":
    run(__doc__, PART)

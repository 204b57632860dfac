"""
Cost of a decision to the referee and the bots, by the way that messages take between them.

Each way is a table of the real referee in a process of its own, with four bots in plain processes; the tables play in
turn, a number of deals at a time. CPU time is that of all threads, user and system; that of the bots is of all four
together; "both" is referee and bots. "Today" is what `pigpen play` does; a copy of it shows the noise. "Lean
options" leaves out what gRPC can leave out, and with it limits against hostile bots. "Frames without gRPC" carries the
same messages with their length before each: a sketch, which refuses nothing, as the floor. First the bots answer at
once; then they think 10 ms of CPU time, and "harness" is the share of all CPU time in which they did not.

*wire_in_containers*, only where it is named: the same with bots in containers under each runtime, by the CPU time of
the containers' control groups, in which gVisor's own kernel is.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchmarks import wire_table
from benchmarks.bots import loops_per_ms
from benchmarks.lanes import AskedProcess, asked_process
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared
from benchmarks.runtimes import in_each, measured_runtime
from benchmarks.wire_table import PROCESSES, Deals

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

DEALS = 16
"""In a round, of bots that answer at once."""
THOUGHTFUL_DEALS = 1
MILLIS = 10
THOUGHTFUL = ("today", "today, a copy", "frames without gRPC")
"""Ways that are measured with bots that think."""
CONTAINED = ("today", "today, a copy", "gRPC as it comes", "frames without gRPC")
"""Ways that are measured with bots in containers."""
CONTAINED_DEALS: Mapping[int, int] = {0: 4, 1: 4, 10: 1}
"""In a round, by the milliseconds that the bots think."""
KINDS: dict[str, tuple[str, Callable[[Deals], float]]] = {
    "decisions": ("/s", lambda deals: deals.steps / deals.wall),
    "referee's CPU a decision": ("µs", lambda deals: deals.referee / deals.steps * 1e6),
    "bots' CPU a decision": ("µs", lambda deals: deals.bots / deals.steps * 1e6),
    "CPU of both a decision": ("µs", lambda deals: (deals.referee + deals.bots) / deals.steps * 1e6),
}
"""Figures of each way: the unit, and the formula by the costs of some deals."""


class RemoteLane:
    """A table in another process."""

    def __init__(self, process: AskedProcess) -> None:
        self._process = process

    async def play(self, deals: int) -> Deals:
        """Play some deals."""
        return Deals(**json.loads(await self._process.ask(str(deals))))


@contextlib.asynccontextmanager
async def remote_lane(name: str, millis: int, place: str) -> AsyncIterator[RemoteLane]:
    """Yield a table whose messages go the way of that *name*, with bots that think *millis* milliseconds in *place*."""
    environment = wire_table.WAYS[name].environment
    words = (name, str(millis), place, str(loops_per_ms()))
    async with asked_process("benchmarks.wire_table", *words, environment=environment) as process:
        yield RemoteLane(process)


async def costs(ways: Sequence[str], millis: int, rounds: int, deals: int, place: str = PROCESSES) -> list[list[Deals]]:
    """Measure what *deals* deals took in each way, *rounds* times in turn."""
    async with contextlib.AsyncExitStack() as stack:
        lanes = [await stack.enter_async_context(remote_lane(way, millis, place)) for way in ways]
        found = [[await lane.play(deals) for lane in lanes] for _ in range(rounds)]
    return [list(each) for each in zip(*found, strict=True)]


def harness(deals: Deals, millis: int) -> float:
    """Compute the percent of the CPU time of referee and bots in which no bot thought."""
    used = deals.referee + deals.bots
    return 100 * (used - deals.asked * millis / 1000) / used


def measure(rounds: int, deals: int = DEALS, ways: Sequence[str] = tuple(wire_table.WAYS)) -> list[Row]:
    """Measure decisions a second, the CPU time of both ends, and the share of the harness where bots think."""
    found = asyncio.run(costs(ways, 0, rounds, deals))
    rows = [
        row
        for kind, (unit, value) in KINDS.items()
        for row in compared(
            [f"{kind}, {way}" for way in ways], [[value(each) for each in took] for took in found], unit, "today"
        )
    ]
    ways = [way for way in ways if way in THOUGHTFUL]
    thoughtful = asyncio.run(costs(ways, MILLIS, rounds, THOUGHTFUL_DEALS))
    shares = [[harness(each, MILLIS) for each in took] for took in thoughtful]
    return rows + compared([f"harness, bots think {MILLIS} ms, {way}" for way in ways], shares, "%", "today")


def measure_contained(
    rounds: int, ways: Sequence[str] = CONTAINED, thinks: Mapping[int, int] = CONTAINED_DEALS
) -> list[Row]:
    """Measure the CPU time of both ends where the bots are in containers, under each runtime."""
    return in_each(lambda: _contained(rounds, ways, thinks))


def _contained(rounds: int, ways: Sequence[str], thinks: Mapping[int, int]) -> list[Row]:
    rows = []
    for millis, deals in thinks.items():
        found = asyncio.run(costs(ways, millis, rounds, deals, measured_runtime()))
        for kind, (unit, value) in list(KINDS.items())[1:]:
            names = [f"{kind}, bots of {millis} ms, {way}" for way in ways]
            rows += compared(names, [[value(each) for each in took] for took in found], unit, "today")
    return rows


PARTS = (
    Part("wire", __doc__, measure, rounds=20),
    Part("wire_in_containers", __doc__, measure_contained, rounds=10, in_table=False),
)

if __name__ == "__main__":
    run(__doc__, *PARTS)

"""
The cost of observing a match while it is played.

A table of four instant bots plays one deal that is observed, as on a ladder, and one that is not, in turn. The events
go through a socket to another process; they are sent after each deal, which is more often than on a ladder. This is
done with bots in the process sandbox, and with bots in the referee's process, where the observer's own CPU time can be
seen above the noise; it is compared with the time of a decision with processes.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from benchmarks.decision import ENDLESS, INSTANT, RULES
from benchmarks.lanes import costs, playing, typical
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, spread
from ladder.matches.inline import inline_table
from ladder.matches.play import sandboxed_table
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.worker.channel import Channel, Frame, MessageKind
from ladder.worker.live_observer import LiveObserver, LiveSender
from referee.match.formats import Format, MatchSpec
from referee.match.observer import Announcer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from benchmarks.lanes import Cost, SteppedTable
    from referee.records.lines import DealLine
    from referee.seats.seat import Seat

SPEC = MatchSpec(RULES, tuple(f"instant{seat}" for seat in range(4)), Format(boards=ENDLESS), seed=bytes(32))
NAMES = ("nobody listens", "observed")


class DealByDeal(Announcer):
    """Sends events while its own table has the turn."""

    def __init__(self, observer: LiveObserver, sender: LiveSender) -> None:
        super().__init__(observer)
        self._sender = sender

    def deal_over(self, table: int, line: DealLine) -> None:
        """Pass on the end of a deal, and send the events."""
        super().deal_over(table, line)
        self._sender.flush()


@asynccontextmanager
async def announcer() -> AsyncIterator[Announcer]:
    """Make an announcer whose events go to another process."""
    ours, theirs = socket.socketpair()
    with theirs, subprocess.Popen(["cat"], stdin=theirs.fileno(), stdout=subprocess.DEVNULL):
        theirs.close()
        channel = await Channel.over(ours)

        def offer(batch: str) -> bool:
            channel.send(Frame(MessageKind.LIVE, 0, f"1 1\n{batch}"))
            return True

        def fail(error: Exception) -> None:
            raise error

        sender = LiveSender(offer)
        yield DealByDeal(LiveObserver(SPEC, "played", sender.send, fail), sender)
        await channel.close()


class Deals:
    """Deals of a table, with or without an observer."""

    def __init__(self, table: SteppedTable, announcer: Announcer | None) -> None:
        self._table = table
        self._announcer = announcer

    async def step(self) -> int:
        """Play one."""
        self._table.announce_to(self._announcer)
        return await self._table.step()


async def _costs(seated: AbstractAsyncContextManager[Sequence[Seat]], rounds: int) -> list[list[Cost]]:
    """Measure deals without an observer, and deals with one."""
    async with seated as seats, playing(SPEC, seats) as table, announcer() as observer:
        return await costs([[Deals(table, None)], [Deals(table, observer)]], rounds)


async def _all_costs(rounds: int) -> list[list[Cost]]:
    sandbox = ProcessSandbox()
    try:
        instant = await sandbox.load(INSTANT)
        found = await _costs(sandboxed_table([instant] * 4, SPEC.bots, lambda logs: None), rounds)
    finally:
        await sandbox.close()
    return found + await _costs(inline_table([INSTANT] * 4, lambda logs: None), rounds)


def measure(rounds: int) -> list[Row]:
    """Measure decisions a second and the referee's CPU time for each, with and without observer; then its own cost."""
    found = asyncio.run(_all_costs(rounds))
    rates = [typical([1e6 / cost.wall for cost in each]) for each in found[:2]]
    cpus = [typical([cost.cpu for cost in each]) for each in found]
    own = [observed - alone for alone, observed in zip(*cpus[2:], strict=True)]
    shares = [each * rate / 1e4 for each, rate in zip(own, rates[0], strict=True)]
    return [
        *compared([f"decisions, processes, {each}" for each in NAMES], rates, "/s", NAMES[0]),
        *compared([f"referee's CPU a decision, processes, {each}" for each in NAMES], cpus[:2], "µs", NAMES[0]),
        *compared([f"referee's CPU a decision, inline, {each}" for each in NAMES], cpus[2:], "µs", NAMES[0]),
        Row("the observer's CPU a decision", spread(own, " µs"), "a decision, processes", spread(shares, " %")),
    ]


PART = Part("live", __doc__, measure, rounds=300)

if __name__ == "__main__":
    run(__doc__, PART)

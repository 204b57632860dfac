"""
What it costs that a match is told while it is played.

Two tables of four instant bots in the process sandbox play in turn, deal by deal: one is observed, as on a ladder, and
its events go through a socket to another process. They are sent after each deal, which is more often than on a ladder.
The same two tables with bots in the referee's process show the observer's own CPU time, which is held against the time
of a decision.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from benchmarks.command import run
from benchmarks.decision import ENDLESS, INSTANT, RULES
from benchmarks.lanes import costs, playing, typical
from benchmarks.report import Part, Row, compared, spread
from ladder.matches.play import inline_table, sandboxed_table
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.worker.channel import Channel, Frame, MessageKind
from ladder.worker.live_observer import LiveObserver
from ladder.worker.live_sender import LiveSender
from referee.match.formats import Format
from referee.match.observer import Announcer
from referee.match.spec import MatchSpec

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from benchmarks.lanes import Cost, Lane
    from referee.records.lines import DealLine

SPEC = MatchSpec(RULES, tuple(f"instant{seat}" for seat in range(4)), Format(boards=ENDLESS), seed=bytes(32))
UNHEARD, HEARD = "nobody listens", "observed"


class DealByDeal(Announcer):
    """Sends what there is to tell while its own table has the turn."""

    def __init__(self, observer: LiveObserver, sender: LiveSender) -> None:
        super().__init__(observer)
        self._sender = sender

    def deal_over(self, table: int, line: DealLine) -> None:
        """Tell, and send."""
        super().deal_over(table, line)
        self._sender.flush()


@asynccontextmanager
async def announcer() -> AsyncIterator[Announcer]:
    """Tells an observer whose events go to another process."""
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


async def lanes(stack: AsyncExitStack) -> list[Lane]:
    """Tables of bots in processes, unheard and observed, then of bots in this process."""
    sandbox = ProcessSandbox()
    stack.push_async_callback(sandbox.close)
    instant = await sandbox.load(INSTANT)
    found: list[Lane] = []
    for is_inline in (False, True):
        for told in (None, await stack.enter_async_context(announcer())):
            if is_inline:
                seated = inline_table([INSTANT] * 4, lambda logs: None)
                seats = await stack.enter_async_context(seated)
                found.append(await stack.enter_async_context(playing(SPEC, seats, told)))
            else:
                table = sandboxed_table([instant] * 4, SPEC.bots, lambda logs: None)
                streams = await stack.enter_async_context(table)
                found.append(await stack.enter_async_context(playing(SPEC, streams, told)))
    return found


async def _costs(rounds: int) -> list[list[Cost]]:
    async with AsyncExitStack() as stack:
        return await costs([[lane] for lane in await lanes(stack)], rounds)


def measure(rounds: int) -> list[Row]:
    """Decisions a second and the referee's CPU time for each, with and without an observer; then its own cost."""
    found = asyncio.run(_costs(rounds))
    rates = [typical([1e6 / cost.wall for cost in each]) for each in found[:2]]
    cpus = [typical([cost.cpu for cost in each]) for each in found]
    names = [f"decisions, processes, {each}" for each in (UNHEARD, HEARD)]
    rows = compared(names, rates, "/s", UNHEARD)
    rows += compared(
        [f"referee's CPU a decision, processes, {each}" for each in (UNHEARD, HEARD)], cpus[:2], "µs", UNHEARD
    )
    rows += compared(
        [f"referee's CPU a decision, inline, {each}" for each in (UNHEARD, HEARD)], cpus[2:], "µs", UNHEARD
    )
    own = [heard - unheard for unheard, heard in zip(*cpus[2:], strict=True)]
    shares = [each * rate / 1e4 for each, rate in zip(own, rates[0], strict=True)]
    return [
        *rows,
        Row("the observer's CPU a decision", spread(own, " µs"), "a decision, processes", spread(shares, " %")),
    ]


PART = Part("live", __doc__, measure, rounds=200)

if __name__ == "__main__":
    run(__doc__, PART)

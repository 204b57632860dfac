"""
Cost of a decision: of one table, of more and more tables at once, and of a table that is observed.

*decision*: referee and SDK together against a bare ping-pong of the same topology. One table of four and instant bots.
The bare ping-pong has the same four programs, in the same sandbox and on the same core, each with a server of its own,
and messages of the same sizes; all are measured in turn, deal by deal. It is played with gRPC as it comes, and with
gRPC as `pigpen.wire.transport` sets it for referee and bots. Every step of a deal is a decision, a forced card too, for
which the table sends no message; the ping-pong makes a round trip for each of 52.

*tables*: one, two, four and eight tables in one referee process, bots in containers, against as many bare ping-pongs.

*live*: a table of four instant bots plays one deal that is observed, as on a ladder, and one that is not, in turn. The
events go through a socket to another process; they are sent after each deal, which is more often than on a ladder. This
is done with bots in the process sandbox, and with bots in the referee's process, where the observer's own CPU time can
be seen above the noise; it is compared with the time of a decision with processes.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bots import BARE, ENDLESS, INSTANT, RULES, instant_spec, request_size
from benchmarks.lanes import Cost, bare, costs, plain, playing, table, typical
from benchmarks.part_runner import run
from benchmarks.report import Part, Row, compared, counted, ratio, spread
from benchmarks.runtimes import containers, in_each
from ladder.app.local.folder import new_folder
from ladder.errors import SandboxError
from ladder.matches.inline_match import inline_table
from ladder.matches.play import sandboxed_table
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from ladder.worker.channel import Channel, Frame, MessageKind
from ladder.worker.live_observer import LiveObserver, LiveSender
from referee.match.formats import Format, MatchSpec
from referee.match.observer import Announcer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from benchmarks.lanes import Cost, Lane, SteppedTable
    from referee.records.lines import DealLine
    from referee.seats.seat import Seat


PLAIN = "bare ping-pong, gRPC as it comes, {}"

BARE_LANE = "bare ping-pong, {}"

NODE = "processes, two in Node.js"

NPM_SECONDS = 120

Lanes = dict[str, "Lane"]


async def in_process(stack: AsyncExitStack) -> tuple[Lanes, list[Row]]:
    """Measure tables without a wire, in the process sandbox, and with a bot in Node.js where that can be installed."""
    spec = instant_spec(ENDLESS)
    sandbox = ProcessSandbox()
    stack.push_async_callback(sandbox.close)
    instant = await sandbox.load(INSTANT)
    seats = await stack.enter_async_context(inline_table([INSTANT] * 4, lambda logs: None))
    client = await sandbox.load(BARE)
    lanes: Lanes = {
        PLAIN.format("processes"): await stack.enter_async_context(plain("processes")),
        BARE_LANE.format("processes"): await stack.enter_async_context(bare(client, request_size())),
        "inline, without a wire": await stack.enter_async_context(playing(spec, seats)),
        "processes": await stack.enter_async_context(table(spec, [instant] * 4)),
    }
    try:
        node = await sandbox.load(_node_bot(stack))
    except (OSError, subprocess.SubprocessError):
        return lanes, [Row.left_out(f"decisions, {NODE}", "npm ci could not install its packages")]
    lanes[NODE] = await stack.enter_async_context(table(spec, [node, instant, node, instant]))
    return lanes, []


def _node_bot(stack: AsyncExitStack) -> BotSource:
    """Install the sample bot in Node.js with its packages."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pigpen-"))) / "node"
    new_folder(folder, "node")
    command = ["npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(command, cwd=folder, check=True, timeout=NPM_SECONDS)
    return find_bot(str(folder))


async def in_containers(stack: AsyncExitStack) -> tuple[Lanes, list[Row]]:
    """Measure a table in hardened containers."""
    sandbox = containers()
    stack.push_async_callback(sandbox.close)
    instant, client = await sandbox.load(INSTANT), await sandbox.load(BARE)
    return {
        PLAIN.format("containers"): await stack.enter_async_context(plain("containers")),
        BARE_LANE.format("containers"): await stack.enter_async_context(bare(client, request_size())),
        "containers": await stack.enter_async_context(table(instant_spec(ENDLESS), [instant] * 4)),
    }, []


async def _rows(rounds: int, make: Callable[[AsyncExitStack], Awaitable[tuple[Lanes, list[Row]]]]) -> list[Row]:
    """
    Measure decisions a second of all lanes, then the referee's CPU time for each.

    The first lane is the ping-pong as gRPC comes, whose CPU time is another process's; the second the one as it is set.
    """
    async with AsyncExitStack() as stack:
        lanes, left_out = await make(stack)
        found = await costs([[lane] for lane in lanes.values()], rounds)
    rates = [typical([1e6 / cost.wall for cost in each]) for each in found]
    cpus = [typical([cost.cpu for cost in each]) for each in found]
    return [
        *compared([f"decisions, {name}" for name in lanes], rates, "/s", "gRPC as it comes"),
        *left_out,
        *compared([f"referee's CPU a decision, {name}" for name in [*lanes][1:]], cpus[1:], "µs", "the ping-pong"),
    ]


def measure(rounds: int) -> list[Row]:
    """Measure in processes, and in containers under each runtime."""
    rows = asyncio.run(_rows(rounds, in_process))
    try:
        return rows + in_each(lambda: asyncio.run(_rows(rounds, in_containers)))
    except SandboxError as error:
        return [*rows, Row.left_out("decisions, containers", error)]


TABLES = (1, 2, 4, 8)

DECISION = 10_000
"""Microseconds that a bot takes for a decision, for the figure of what the referee could serve."""


async def _costs_of_tables(rounds: int, counts: Sequence[int]) -> list[list[Cost]]:
    """Measure each number of *counts* first as tables at once, then as ping-pongs."""
    async with AsyncExitStack() as stack:
        sandbox = containers()
        stack.push_async_callback(sandbox.close)
        instant, client = await sandbox.load(INSTANT), await sandbox.load(BARE)
        spec, size = instant_spec(ENDLESS), request_size()
        tables = [await stack.enter_async_context(table(spec, [instant] * 4)) for _ in range(max(counts))]
        bares = [await stack.enter_async_context(bare(client, size)) for _ in range(max(counts))]
        return await costs([lanes[:count] for lanes in (tables, bares) for count in counts], rounds, warm_up=4)


def measure_tables(rounds: int, counts: Sequence[int] = TABLES) -> list[Row]:
    """Measure decisions a second, and the referee's CPU time for each, with more and more tables, in each runtime."""
    return in_each(lambda: _measured_tables(rounds, counts))


def _measured_tables(rounds: int, counts: Sequence[int]) -> list[Row]:
    found = asyncio.run(_costs_of_tables(rounds, counts))
    ours, theirs = found[: len(counts)], found[len(counts) :]
    rows: list[Row] = []
    cpus: list[Row] = []
    for count, mine, bares in zip(counts, ours, theirs, strict=True):
        name, others = counted(count, "table"), "as many ping-pongs"
        rate, bare_rate, single = (typical([1e6 / cost.wall for cost in each], 5) for each in (mine, bares, ours[0]))
        cpu, bare_cpu = (typical([cost.cpu for cost in each], 5) for each in (mine, bares))
        rows.append(Row(f"decisions, {name}", spread(rate, " /s"), others, ratio(rate, bare_rate)))
        if count > 1:
            rows.append(Row(f"decisions, {name}", spread(rate, " /s"), "one table", ratio(rate, single)))
        cpus.append(Row(f"referee's CPU a decision, {name}", spread(cpu, " µs"), others, ratio(cpu, bare_cpu)))
    served = spread([DECISION / cost.cpu for cost in ours[-1]])
    return [*rows, *cpus, Row(f"tables a core serves, bots think {DECISION // 1000} ms", served)]


SPEC = MatchSpec(RULES, tuple(f"instant{seat}" for seat in range(4)), Format(boards=ENDLESS), seed=bytes(32))

OBSERVED = ("nobody listens", "observed")


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


class ObservedDeals:
    """Deals of a table, with or without an observer."""

    def __init__(self, table: SteppedTable, announcer: Announcer | None) -> None:
        self._table = table
        self._announcer = announcer

    async def step(self) -> int:
        """Play one."""
        self._table.announce_to(self._announcer)
        return await self._table.step()


async def _observed(seated: AbstractAsyncContextManager[Sequence[Seat]], rounds: int) -> list[list[Cost]]:
    """Measure deals without an observer, and deals with one."""
    async with seated as seats, playing(SPEC, seats) as table, announcer() as observer:
        return await costs([[ObservedDeals(table, None)], [ObservedDeals(table, observer)]], rounds)


async def _all_observed(rounds: int) -> list[list[Cost]]:
    sandbox = ProcessSandbox()
    try:
        instant = await sandbox.load(INSTANT)
        found = await _observed(sandboxed_table([instant] * 4, SPEC.bots, lambda logs: None), rounds)
    finally:
        await sandbox.close()
    return found + await _observed(inline_table([INSTANT] * 4, lambda logs: None), rounds)


def measure_live(rounds: int) -> list[Row]:
    """Measure decisions a second and the referee's CPU time for each, with and without observer; then its own cost."""
    found = asyncio.run(_all_observed(rounds))
    rates = [typical([1e6 / cost.wall for cost in each]) for each in found[:2]]
    cpus = [typical([cost.cpu for cost in each]) for each in found]
    own = [observed - alone for alone, observed in zip(*cpus[2:], strict=True)]
    shares = [each * rate / 1e4 for each, rate in zip(own, rates[0], strict=True)]
    return [
        *compared([f"decisions, processes, {each}" for each in OBSERVED], rates, "/s", OBSERVED[0]),
        *compared([f"referee's CPU a decision, processes, {each}" for each in OBSERVED], cpus[:2], "µs", OBSERVED[0]),
        *compared([f"referee's CPU a decision, inline, {each}" for each in OBSERVED], cpus[2:], "µs", OBSERVED[0]),
        Row("the observer's CPU a decision", spread(own, " µs"), "a decision, processes", spread(shares, " %")),
    ]


PARTS = (
    Part("decision", __doc__, measure, rounds=150),
    Part("tables", __doc__, measure_tables, rounds=20),
    Part("live", __doc__, measure_live, rounds=300),
)

if __name__ == "__main__":
    run(__doc__, *PARTS)

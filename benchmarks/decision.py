"""
Cost of a decision: referee and SDK together against a bare ping-pong of the same topology.

One table of four and instant bots. The bare ping-pong has the same four programs, in the same sandbox and on the same
core, each with a server of its own, and messages of the same sizes; all are measured in turn, deal by deal. It is
played with gRPC as it comes, and with gRPC as `pigpen.wire.transport` sets it for referee and bots. Every step of a
deal is a decision, a forced card too, for which the table sends no message; the ping-pong makes a round trip for each
of 52.
"""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lanes import bare, costs, playing, table, typical
from benchmarks.part_runner import run
from benchmarks.plain import plain
from benchmarks.report import Part, Row, compared
from benchmarks.runtimes import containers, in_each
from ladder.app.local.folder import new_folder
from ladder.errors import SandboxError
from ladder.matches.inline import inline_table
from ladder.sandbox.bots.bot_source import BotSource, find_bot
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.values.view import View
from pigpen.wire.messages import request_message
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from benchmarks.lanes import Lane
    from ladder.sandbox.base import Sandbox

DEALS = 60
WARM_UP = 10
ENDLESS = 100_000
"""Deals of a match that is given up when enough has been measured."""
RULES = PRESETS["gongzhu"]
HERE = Path(__file__).resolve().parent
BARE = BotSource("bare", folder=HERE / "bare")
INSTANT = BotSource("instant", folder=HERE / "instant")

SANDBOXES: dict[str, Callable[[], Sandbox]] = {"processes": ProcessSandbox, "containers": containers}
PLAIN = "bare ping-pong, gRPC as it comes, {}"
BARE_LANE = "bare ping-pong, {}"
NODE = "processes, two in Node.js"
NPM_SECONDS = 120

Lanes = dict[str, "Lane"]


def instant_spec(deals: int = DEALS) -> MatchSpec:
    """Describe a match of four instant bots."""
    return MatchSpec(RULES, tuple(f"instant{seat}" for seat in range(4)), Format(deals), seed=bytes(32))


class Stopwatch:
    """Takes a record's lines; times the deals after the first `WARM_UP`."""

    def __init__(self) -> None:
        self.decisions = 0
        self.seconds = 0.0
        self._began = 0.0

    def __call__(self, line: AnyLine) -> None:
        """Count a line of the record."""
        if isinstance(line, DealLine) and line.deal >= WARM_UP:
            self.decisions += len(line.steps)
            self.seconds = time.perf_counter() - self._began
        elif isinstance(line, DealLine):
            self._began = time.perf_counter()


def request_size() -> int:
    """Compute the mean bytes of a request for a card over a deal; forced cards are not asked."""
    deal = Deal(RULES, deal_hands(RULES, bytes(32), 0))
    sizes = []
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(*deal.known_to(seat), totals=(0, 0, 0, 0), decision=1, seed=2**63, limit=1.0, bank=60.0)
            if deal.phase is Phase.PLAY and not deal.is_forced(seat):
                sizes.append(len(request_message(view, 0.001).SerializeToString()))
            deal.apply(seat, deal.default_action(seat))
    return round(sum(sizes) / len(sizes))


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


PART = Part("decision", __doc__, measure, rounds=150)

if __name__ == "__main__":
    run(__doc__, PART)

"""
What a decision costs: referee and SDK together against a bare ping-pong of the same topology.

One table of four and instant bots. The bare ping-pong has the same four programs, in the same sandbox and on the same
core, each with a server of its own, and messages of the same sizes; all are measured in turn, deal by deal.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.lanes import bare, costs, playing, table, typical
from benchmarks.report import ratio, show, spread
from ladder.bots import BotSource, find_bot
from ladder.engine import connect
from ladder.play import inline_table
from ladder.sandbox.base import SandboxError
from ladder.sandbox.docker import DockerSandbox
from ladder.sandbox.process import ProcessSandbox
from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.view import View
from pigpen.wire import request_message
from referee.formats import Format
from referee.match import MatchSpec
from referee.record import AnyLine, DealLine

if TYPE_CHECKING:
    from benchmarks.lanes import Cost, Lane

DEALS = 60
WARM_UP = 10
ENDLESS = 100_000
"""Deals of a match that is given up when enough has been measured."""
RULES = PRESETS["gongzhu"]
HERE = Path(__file__).resolve().parent
BARE = BotSource("bare", folder=HERE / "bare")
INSTANT = BotSource("instant", folder=HERE / "instant")

Rows = dict[str, "Lane"]


def instant_spec(deals: int = DEALS) -> MatchSpec:
    """Four instant bots."""
    return MatchSpec(RULES, tuple(f"instant{seat}" for seat in range(4)), Format(deals), seed=bytes(32))


class Stopwatch:
    """Takes a record's lines; times the deals after the first `WARM_UP`."""

    def __init__(self) -> None:
        self.decisions = 0
        self.seconds = 0.0
        self._began = 0.0

    def __call__(self, line: AnyLine) -> None:
        """Hear of a line."""
        if isinstance(line, DealLine) and line.deal >= WARM_UP:
            self.decisions += len(line.steps)
            self.seconds = time.perf_counter() - self._began
        elif isinstance(line, DealLine):
            self._began = time.perf_counter()


def request_size() -> int:
    """Mean bytes of a request over a deal."""
    deal = Deal(RULES, deal_hands(RULES, bytes(32), 0))
    sizes = []
    while not deal.is_over:
        for seat in deal.to_act:
            view = View(*deal.known_to(seat), totals=(0, 0, 0, 0), decision=1, seed=2**63, limit=1.0, bank=60.0)
            if deal.phase is Phase.PLAY:
                sizes.append(len(request_message(view, 0.001).SerializeToString()))
            deal.apply(seat, deal.default_action(seat))
    return round(sum(sizes) / len(sizes))


def has_engine() -> bool:
    """Whether a Docker engine answers."""
    try:
        connect().close()
    except SandboxError:
        return False
    return True


async def in_process(stack: AsyncExitStack) -> Rows:
    """Tables without a wire, in the process sandbox, and with a bot in Node.js where that is installed."""
    spec = instant_spec(ENDLESS)
    sandbox = ProcessSandbox()
    stack.push_async_callback(sandbox.close)
    instant = await sandbox.load(INSTANT)
    seats = await stack.enter_async_context(inline_table([INSTANT] * 4, lambda logs: None))
    rows: Rows = {
        "bare, processes": await stack.enter_async_context(bare(await sandbox.load(BARE), request_size())),
        "inline: no wire, no clock to stop a bot": await stack.enter_async_context(playing(spec, seats)),
        "processes": await stack.enter_async_context(table(spec, [instant] * 4)),
    }
    if shutil.which("npm"):
        node = await sandbox.load(_node_bot(stack))
        programs = [node, instant, node, instant]
        rows["processes, two of the four in Node.js"] = await stack.enter_async_context(table(spec, programs))
    return rows


def _node_bot(stack: AsyncExitStack) -> BotSource:
    """The sample bot in Node.js with its packages."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pigpen-"))) / "node"
    sample = find_bot("node").folder
    assert sample is not None
    shutil.copytree(sample, folder, ignore=shutil.ignore_patterns("node_modules"))
    command = ["npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
    subprocess.run(command, cwd=folder, check=True)
    return find_bot(str(folder))


async def in_containers(stack: AsyncExitStack) -> Rows:
    """A table in hardened containers."""
    sandbox = DockerSandbox()
    stack.push_async_callback(sandbox.close)
    instant, client = await sandbox.load(INSTANT), await sandbox.load(BARE)
    return {
        "bare, containers": await stack.enter_async_context(bare(client, request_size())),
        "containers": await stack.enter_async_context(table(instant_spec(ENDLESS), [instant] * 4)),
    }


async def _measure(rounds: int) -> list[list[str]]:
    rows = []
    for make in (in_process, in_containers) if has_engine() else (in_process,):
        async with AsyncExitStack() as stack:
            lanes = await make(stack)
            found = await costs([[lane] for lane in lanes.values()], rounds)
            rows += [_row(name, each, found[0]) for name, each in zip(lanes, found, strict=True)]
    return rows


def _row(name: str, ours: list[Cost], bare: list[Cost]) -> list[str]:
    wall, theirs = typical([cost.wall for cost in ours]), typical([cost.wall for cost in bare])
    rate = "1" if ours is bare else ratio(theirs, wall)
    return [name, spread(wall), rate, spread(typical([cost.cpu for cost in ours]))]


def main(rounds: int = 150) -> None:
    """Measure and print."""
    title = f"A decision, one table, instant bots, requests of {request_size()} bytes"
    headings = ("", "µs per decision", "decisions/s, against bare", "CPU of the referee, µs")
    show(title, headings, asyncio.run(_measure(rounds)))


if __name__ == "__main__":
    main()

"""
What a decision costs: referee and SDK together against a bare ping-pong.

One table of four, each client a process of its own, messages of the same sizes, instant bots.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bare_server import BareServer
from benchmarks.report import in_turn, ratio, show, spread
from ladder.bots import BotSource
from ladder.play import play_sandboxed
from ladder.sandbox.process import ProcessSandbox
from pigpen import View
from pigpen.rules import PRESETS, Deal, Phase, deal_hands
from pigpen.wire import request_message
from referee.formats import Format
from referee.match import MatchSpec
from referee.record import AnyLine, DealLine

DEALS = 60
WARM_UP = 10
RULES = PRESETS["gongzhu"]
HERE = Path(__file__).resolve().parent
BARE = HERE / "bare"
INSTANT = BotSource("instant", folder=HERE / "instant")


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


def pigpen_micros() -> float:
    """Microseconds per decision of a whole match, record included."""
    watch = Stopwatch()

    async def play() -> None:
        sandbox = ProcessSandbox()
        program = await sandbox.load(INSTANT)
        await play_sandboxed(instant_spec(), [program] * 4, watch)
        await sandbox.close()

    asyncio.run(play())
    return watch.seconds / watch.decisions * 1e6


def bare_micros(decisions: int = DEALS * 52) -> float:
    """Microseconds per round trip of the bare ping-pong."""
    return asyncio.run(_bare(decisions))


async def _bare(decisions: int) -> float:
    message = bytes(request_size())
    with tempfile.TemporaryDirectory() as folder:
        server = BareServer(f"{folder}/bare.sock")
        await server.start()
        address = {"PIGPEN_ADDRESS": f"unix:{folder}/bare.sock"}
        clients = [subprocess.Popen([sys.executable, BARE / "bot.py"], env=os.environ | address) for _ in range(4)]
        try:
            await server.connected(4)
            for number in range(400):
                await server.ask(number % 4, message)
            started = time.perf_counter()
            for number in range(decisions):
                await server.ask(number % 4, message)
            return (time.perf_counter() - started) / decisions * 1e6
        finally:
            await server.stop()
            for client in clients:
                client.wait(30)


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


def main(rounds: int = 5) -> None:
    """Measure and print."""
    ours, bare = in_turn(rounds, pigpen_micros, bare_micros)
    rows = [
        ("bare grpc.aio ping-pong", spread(bare), "1"),
        ("referee + SDK (rules, view, clock, record)", spread(ours), ratio(ours, bare)),
    ]
    title = f"A decision, one table, process sandbox, instant bots, requests of {request_size()} bytes"
    show(title, ("", "µs per decision", "against bare"), rows)


if __name__ == "__main__":
    main()

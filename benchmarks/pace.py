"""
CPU time that a bot which searches gets for a card, on a quiet and on a busy machine.

    python -m benchmarks.pace
    python -m benchmarks.pace --rounds 3

`tree` counts its time as the referee charges it (`View.charge_rate`); *by wall time* is the same bot that counts wall
time. Each plays hearts beside three quick bots, under the runtime of the ladder and under runc, without other load,
with that of four busy processes a core, and with that of ten. CPU time is what the referee read and charged by.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bots import INSTANT
from benchmarks.fair import busy_machine
from benchmarks.part_runner import parser_of
from benchmarks.report import show
from benchmarks.runtimes import runtimes
from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from pigpen import ClockSetting
from pigpen.rules import PRESETS
from referee.match.formats import DEFAULT_CLOCK, Format, MatchSpec
from referee.records.lines import AnyLine, DealLine, ResultLine
from referee.records.steps import was_asked

if TYPE_CHECKING:
    from collections.abc import Iterable

HERE = Path(__file__).resolve().parent
BOTS = {
    "tree": BotSource("tree", folder=HERE.parent / "sample_bots" / "tree"),
    "by wall time": BotSource("by-wall", folder=HERE / "by_wall"),
}
CLOCKS = {"60+0.1, limit 1": DEFAULT_CLOCK, "0+0.01": ClockSetting(bank=0.1, increment=0.01, limit=1.0, start_up=60.0)}
LOADS = (0, 4, 10)
"""Busy processes for each core."""
DEALS = 4
FIRST = 3
"""Cards of a deal that count: later ones have few choices, and the search ends before its time."""


async def _cards(runtime: str, bot: BotSource, clock: ClockSetting) -> tuple[list[float], list[float], int]:
    """Measure CPU and wall milliseconds of the first cards of each deal, and count the faults of the bot."""
    spec = MatchSpec(PRESETS["hearts"], ("searching", "b", "c", "d"), Format(DEALS), clock, bytes(32))
    lines: list[AnyLine] = []
    sandbox = DockerSandbox(runtime)
    try:
        searching, others = await sandbox.load(bot), await sandbox.load(INSTANT)
        await play_sandboxed(spec, [searching, others, others, others], lines.append)
    finally:
        await sandbox.close()
    cpu, wall = [], []
    for line in lines:
        if isinstance(line, DealLine):
            assert line.cpu_ms is not None, "this machine does not tell a container's CPU time"
            timed = zip(line.steps, line.took_ms, line.cpu_ms, strict=True)
            own = [(took, used) for step, took, used in timed if step.play and step.seat == 0 and was_asked(step.by)]
            wall += [took for took, _ in own[:FIRST]]
            cpu += [used or 0.0 for _, used in own[:FIRST]]
    return cpu, wall, sum(line.results[0].faults for line in lines if isinstance(line, ResultLine))


def rows(rounds: int) -> Iterable[list[str]]:
    """Measure each bot with each clock under each load, in turn."""
    for runtime in runtimes():
        for clock_name, clock in CLOCKS.items():
            quiet: dict[str, float] = {}
            for load in LOADS:
                for name, bot in BOTS.items():
                    cpu, wall, faults = list[float](), list[float](), 0
                    with busy_machine(load * (os.cpu_count() or 1)):
                        for _ in range(rounds):
                            used, took, wrong = asyncio.run(_cards(runtime, bot, clock))
                            cpu, wall, faults = cpu + used, wall + took, faults + wrong
                    mean = statistics.fmean(cpu)
                    ratio = mean / quiet.setdefault(name, mean)
                    figures = (f"{mean:.1f}", f"{statistics.fmean(wall):.1f}", f"{ratio:.2f}×", str(faults))
                    print(runtime, clock_name, load, name, *figures, file=sys.stderr)
                    yield [runtime, clock_name, str(load), name, *figures]


def main() -> None:
    """Measure and print."""
    rounds = parser_of(__doc__, 2).parse_args().rounds
    headings = ("", "clock", "busy processes a core", "", "CPU ms a card", "wall ms", "CPU against quiet", "faults")
    show("CPU time of a card, by load", headings, list(rows(rounds)), words=(0, 1, 3))


if __name__ == "__main__":
    main()

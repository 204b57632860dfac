"""
Fairness of the clock: the same work beside quiet bots, beside spinning ones that steal time, and on a busy machine.

Under runc and under gVisor, where the engine knows it; a change is against quiet opponents under the same runtime.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from benchmarks.decision import INSTANT
from benchmarks.report import show
from ladder.matches.play import play_sandboxed
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.control_group import ControlGroup
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.values.sandbox_kind import GVISOR, SHARED
from pigpen import ClockSetting
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.records.lines import AnyLine, DealLine, ResultLine
from referee.records.steps import was_asked

HERE = Path(__file__).resolve().parent
WORKING = BotSource("working", folder=HERE / "working")
SPINNING = BotSource("spinning", folder=HERE / "spinning")
DEALS = 16
CLOCK = ClockSetting(bank=600.0, increment=1.0, limit=1.0, start_up=60.0)


@dataclass
class Times:
    """Milliseconds of one kind of decision."""

    wall: list[float]
    charged: list[float]


async def _match(runtime: str, opponents: BotSource) -> tuple[list[Times], int]:
    """Measure times of the working bot's little and much work, and count the faults of all."""
    spec = MatchSpec(PRESETS["hearts-short"], ("working", "b", "c", "d"), Format(DEALS), CLOCK, bytes(32))
    lines: list[AnyLine] = []
    sandbox = DockerSandbox(runtime)
    try:
        worker, others = await sandbox.load(WORKING), await sandbox.load(opponents)
        await play_sandboxed(spec, [worker, others, others, others], lines.append)
    finally:
        await sandbox.close()
    return _times(lines), sum(row.faults for line in lines if isinstance(line, ResultLine) for row in line.results)


def _times(lines: Sequence[AnyLine]) -> list[Times]:
    little, much = Times([], []), Times([], [])
    decision = 0
    for line in lines:
        if isinstance(line, DealLine):
            assert line.cpu_ms is not None, "this machine does not tell a container's CPU time"
            for step, wall, cpu in zip(line.steps, line.took_ms, line.cpu_ms, strict=True):
                if step.seat == 0 and was_asked(step.by):
                    decision += 1
                    kind = much if decision % 2 else little
                    if step.play:
                        kind.wall.append(wall)
                        kind.charged.append(cpu or 0.0)
    return [little, much]


@contextmanager
def busy_machine(spinners: int) -> Iterator[None]:
    """Run *spinners* busy processes outside of any container."""
    hogs = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(spinners)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


@contextmanager
def uncontrolled() -> Iterator[None]:
    """Switch process control off meanwhile: programs are not frozen, and run on any core."""
    nothing = mock.Mock()
    with mock.patch.object(ControlGroup, "freeze", nothing), mock.patch.object(ControlGroup, "pin", nothing):
        yield


def p99(values: Sequence[float]) -> float:
    """Find the value that one in a hundred exceeds."""
    return statistics.quantiles(values, n=100)[98]


REGIMES: dict[str, tuple[BotSource, Callable[[], AbstractContextManager[None]]]] = {
    "quiet opponents": (INSTANT, nullcontext),
    "3 × 12 spinning processes, frozen": (SPINNING, nullcontext),
    "the same, not frozen, any core": (SPINNING, uncontrolled),
    "quiet opponents, busy machine": (INSTANT, lambda: busy_machine(2 * (os.cpu_count() or 1))),
}


def main() -> None:
    """Measure and print."""
    rows: list[list[str]] = []
    for runtime in (GVISOR, SHARED):
        rows += _rows(runtime)
    headings = ("", "", "work", "wall ms", "p99", "charged ms", "p99", "charged, against quiet", "faults")
    show("Fair time: one bot's decisions at a table of four", headings, rows, words=(0, 1, 2))


def _rows(runtime: str) -> list[list[str]]:
    """Measure each regime under one runtime."""
    rows: list[list[str]] = []
    quiet: list[Times] = []
    for name, (opponents, around) in REGIMES.items():
        with around():
            times, faults = asyncio.run(_match(runtime, opponents))
        quiet = quiet or times
        for work, now, before in zip(("little", "much"), times, quiet, strict=True):
            change = statistics.median(now.charged) / statistics.median(before.charged)
            wall, charged = ([f"{statistics.median(each):.1f}", f"{p99(each):.1f}"] for each in (now.wall, now.charged))
            rows.append([runtime, name, work, *wall, *charged, f"{change:.2f}×", str(faults)])
    return rows


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()

"""
Costs to others of a bot that burns CPU time or floods its output.

    python -m benchmarks.fair time
    python -m benchmarks.fair flood --rounds 5

*time*: fairness of the clock: the same work beside quiet bots, beside spinning ones that steal time, and on a busy
machine. Under runc and under gVisor, where the engine knows it; a change is against quiet opponents under the same
runtime.

*flood*: one bot floods its stdout: Docker's own stdio against the log socket.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from benchmarks.bots import INSTANT
from benchmarks.part_runner import choose, parser_of
from benchmarks.report import show, spread
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.control_group import ControlGroup
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.docker.limits import GROUP, Limits, host_config, new_user
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
    """
    Run *spinners* busy processes outside of any container.

    Each has a session of its own: Linux gives all processes of one session together the CPU time of a single process
    (autogroups, see sched(7)), so that many spinners of one session would load the machine no more than one.
    """
    spin = [sys.executable, "-S", "-c", f"import os\nwhile os.getppid() == {os.getpid()}: pass"]
    hogs = [subprocess.Popen(spin, start_new_session=True) for _ in range(spinners)]
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


def main_charged() -> None:
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


FLOODING = BotSource("flooding", folder=Path(__file__).parent / "flooding")

SECONDS = 3.0

TICKS = os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def over_stdio(image: str, mount: SeatMount) -> AsyncIterator[None]:
    """Run the same container as the engine would run it: its pipes, its init, its log files of 64 KiB."""
    client = connect()
    config = host_config(client.api, mount.folder, Limits(), "runc")
    config["Init"] = True
    config["LogConfig"] = {"Type": "json-file", "Config": {"max-size": "65536", "max-file": "2"}}
    container = client.api.create_container(
        image, user=f"{new_user()}:{GROUP}", host_config=config, network_disabled=True
    )
    try:
        client.api.start(container)
        yield
    finally:
        client.api.remove_container(container, force=True)
        client.close()


@asynccontextmanager
async def over_log_socket(image: str, mount: SeatMount) -> AsyncIterator[None]:
    """Run it as Pigpen does."""
    sandbox = DockerSandbox()
    try:
        await (await sandbox.load(BotSource("flooding", image=image))).start(mount)
        yield
    finally:
        await sandbox.close()


Way = Callable[[str, SeatMount], AbstractAsyncContextManager[None]]


async def shares(way: Way, image: str) -> tuple[float, float]:
    """Measure the percent of one core that dockerd and this process use while one bot floods."""
    with tempfile.TemporaryDirectory(prefix="pigpen-") as name:
        os.chmod(name, 0o755)
        async with way(image, SeatMount(Path(name), "x")):
            await asyncio.sleep(1.0)  # the start is over
            engine, ours, started = _engine_seconds(), time.process_time(), time.monotonic()
            await asyncio.sleep(SECONDS)
            span = time.monotonic() - started
            return 100 * (_engine_seconds() - engine) / span, 100 * (time.process_time() - ours) / span


def _engine_seconds() -> float:
    """Read the CPU time that dockerd has used in all its life."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and (folder / "comm").read_text() == "dockerd\n":
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / TICKS
    raise LookupError("no dockerd runs on this machine")


async def _load() -> str:
    sandbox = DockerSandbox()
    try:
        return (await sandbox.load(FLOODING)).identity
    finally:
        await sandbox.close()


def main_flood() -> None:
    """Measure and print."""
    rounds = parser_of(__doc__, 5).parse_args().rounds
    image = asyncio.run(_load())
    ways: dict[str, Way] = {"Docker's stdio, json-file": over_stdio, "the launcher's log socket": over_log_socket}
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            seen[name].append(asyncio.run(shares(way, image)))
    rows = [(name, *(spread(column) for column in zip(*values, strict=True))) for name, values in seen.items()]
    show("One bot floods its stdout: percent of one core", ("", "dockerd", "the referee's process"), rows)


if __name__ == "__main__":
    choose(__doc__, {"time": main_charged, "flood": main_flood})

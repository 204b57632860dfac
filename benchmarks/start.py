"""
What it takes until the first card: four bots in fresh and in warm containers, against four bare ones that connect.

The CPU time of a seat is that of the whole machine, from its start until it is cleared away, a quarter of a match of
one deal: nothing else may run meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.bare_server import BareServer
from benchmarks.command import run
from benchmarks.decision import BARE, INSTANT, instant_spec
from benchmarks.report import Part, Row, compared
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import SOCKET_NAME, Program, SeatMount
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from pigpen.rules import new_seed
from referee.records.lines import AnyLine, DealLine, Instances


@dataclass(frozen=True)
class Start:
    """What one start of four bots took."""

    millis: float
    """From the call to the first card."""
    cpu: float
    """Milliseconds of CPU time for each seat, of the whole machine, until all is cleared away."""


def pigpen_start(instances: Instances) -> Start:
    """Start the bots of a match of one deal; warm containers have played one match before."""
    return asyncio.run(_pigpen(instances))


async def _pigpen(instances: Instances) -> Start:
    sandbox = DockerSandbox(instances=instances)
    try:
        program = await sandbox.load(INSTANT)
        if instances == "warm":
            await _start(program)
        before = busy_seconds()
        millis = await _start(program)
        return Start(millis, (busy_seconds() - before) * 1000 / 4)
    finally:
        await sandbox.close()


async def _start(program: Program) -> float:
    first_card = 0.0
    started = time.perf_counter()

    def hear(line: AnyLine) -> None:
        nonlocal first_card
        if isinstance(line, DealLine):
            first_card = (time.perf_counter() - started) * 1000 - sum(line.took_ms)

    await play_sandboxed(replace(instant_spec(deals=1), seed=new_seed()), [program] * 4, hear)
    return first_card


def busy_seconds() -> float:
    """Seconds of CPU time that everything on this machine has used: the engine is no child of ours."""
    user, nice, system, _, _, irq, soft_irq, *_ = map(int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:])
    return (user + nice + system + irq + soft_irq) / os.sysconf("SC_CLK_TCK")


def bare_millis() -> float:
    """Milliseconds until four bare hardened containers have connected."""
    return asyncio.run(_bare())


async def _bare() -> float:
    sandbox = DockerSandbox()
    program = await sandbox.load(BARE)
    with tempfile.TemporaryDirectory() as root:
        folders = [Path(root) / str(seat) for seat in range(4)]
        for folder in folders:
            folder.mkdir(mode=0o755)
        started = time.perf_counter()
        servers = [BareServer(f"{folder / SOCKET_NAME}") for folder in folders]
        try:
            for server, folder in zip(servers, folders, strict=True):
                await server.start()
                (folder / SOCKET_NAME).chmod(0o666)
            await asyncio.gather(*(program.start(SeatMount(folder, "x")) for folder in folders))
            for server in servers:
                await server.connected(1)
            return (time.perf_counter() - started) * 1000
        finally:
            await sandbox.close()
            for server in servers:
                await server.stop()


def measure(rounds: int) -> list[Row]:
    """Starts in turn, after one of each that does not count."""
    pigpen_start("fresh"), pigpen_start("warm"), bare_millis()
    bare: list[float] = []
    starts: dict[str, list[Start]] = {"fresh": [], "warm": []}
    for _ in range(rounds):
        bare.append(bare_millis())
        starts["fresh"].append(pigpen_start("fresh"))
        starts["warm"].append(pigpen_start("warm"))
    millis = [[start.millis for start in each] for each in starts.values()]
    cpu = [[start.cpu for start in each] for each in starts.values()]
    names = ("four bare hardened containers, connected", "four bots, fresh: first card", "four bots, warm: first card")
    seats = ("CPU of a seat with its deal, fresh", "CPU of a seat with its deal, warm")
    return [*compared(names, [bare, *millis], "ms", "bare containers"), *compared(seats, cpu, "ms", "fresh")]


PART = Part("start", __doc__, measure, rounds=7)

if __name__ == "__main__":
    run(__doc__, PART)

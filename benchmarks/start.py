"""What it takes until the first card: four bots in containers against four bare containers that only connect."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from benchmarks.bare_server import BareServer
from benchmarks.command import run
from benchmarks.decision import BARE, INSTANT, instant_spec
from benchmarks.report import Part, Row, compared, in_turn
from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import SOCKET_NAME, SeatMount
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from referee.records.lines import AnyLine, DealLine


def pigpen_millis() -> float:
    """Milliseconds from the call to the first card of a match."""
    return asyncio.run(_pigpen())


async def _pigpen() -> float:
    sandbox = DockerSandbox()
    program = await sandbox.load(INSTANT)
    first_card = 0.0
    started = time.perf_counter()

    def hear(line: AnyLine) -> None:
        nonlocal first_card
        if isinstance(line, DealLine):
            first_card = (time.perf_counter() - started) * 1000 - sum(line.took_ms)

    try:
        await play_sandboxed(instant_spec(deals=1), [program] * 4, hear)
    finally:
        await sandbox.close()
    return first_card


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
    pigpen_millis(), bare_millis()
    names = ("four bare hardened containers, connected", "four bots in containers, first card")
    return compared(names, in_turn(rounds, bare_millis, pigpen_millis), "ms", "bare containers")


PART = Part("start", __doc__, measure, rounds=7)

if __name__ == "__main__":
    run(__doc__, PART)

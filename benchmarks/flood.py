"""Cost to others of a bot that floods its stdout: Docker's own stdio against the log socket."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

from benchmarks.part_runner import parser_of
from benchmarks.report import show, spread
from ladder.sandbox.base import SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.engine import connect
from ladder.sandbox.docker.limits import GROUP, Limits, host_config, new_user

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


def main(rounds: int) -> None:
    """Measure and print."""
    image = asyncio.run(_load())
    ways: dict[str, Way] = {"Docker's stdio, json-file": over_stdio, "the launcher's log socket": over_log_socket}
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            seen[name].append(asyncio.run(shares(way, image)))
    rows = [(name, *(spread(column) for column in zip(*values, strict=True))) for name, values in seen.items()]
    show("One bot floods its stdout: percent of one core", ("", "dockerd", "the referee's process"), rows)


if __name__ == "__main__":
    main(parser_of(__doc__, 5).parse_args().rounds)

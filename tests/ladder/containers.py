"""Run a program in one container, in a word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import docker
import pytest

from ladder.sandbox.base import Exit, Instance, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.container_instance import DockerInstance
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.limits import Limits
from ladder.sandbox.docker.starter import WarmInstance
from ladder.sandbox.host import scratch

ROOT = Path(__file__).resolve().parents[2]
SHARED_LOOP = pytest.mark.asyncio(loop_scope="module")
"""For tests that share a sandbox: what keeps the image in memory, and what instances are forked in, is started once."""


@contextmanager
def nothing_left(client: docker.DockerClient) -> Iterator[None]:
    """In the end, this process has no container that it did not have in the beginning."""
    before = _own(client)
    yield
    assert [name for name in _own(client) if name not in before] == []


def _own(client: docker.DockerClient) -> list[str]:
    mine = {"label": f"pigpen.owner={scratch.this_process()}"}
    return [name for found in client.api.containers(all=True, filters=mine) for name in found["Names"]]


def write_visible(file: Path, text: str) -> None:
    """Write a file for a container, which its user can read whatever the umask is."""
    file.write_text(text)
    file.chmod(0o644)


def new_mount(folder: Path, source: str) -> SeatMount:
    """Make a seat's folder that holds *source* as its program."""
    folder.mkdir()
    write_visible(folder / "program.py", source)
    return SeatMount(folder, token="secret", labels={"pigpen.seat": "2"})


@asynccontextmanager
async def running_in(
    sandbox: DockerSandbox, program: BotSource, mount: SeatMount
) -> AsyncIterator[DockerInstance | WarmInstance]:
    """One container in a sandbox that others share."""
    instance = await (await sandbox.load(program)).start(mount)
    try:
        yield instance
    finally:
        await instance.stop()


async def run_in(sandbox: DockerSandbox, program: BotSource, mount: SeatMount) -> tuple[Exit, str]:
    """Run a container to its end in a sandbox that others share; how it ended, and what it wrote."""
    async with running_in(sandbox, program, mount) as instance:
        return await instance.wait(), await instance.log_tail()


@asynccontextmanager
async def running(
    program: BotSource, mount: SeatMount, limits: Limits | None = None, runtime: str = "runc"
) -> AsyncIterator[DockerInstance | WarmInstance]:
    """One container in a sandbox of its own."""
    sandbox = DockerSandbox(runtime, limits)
    try:
        async with running_in(sandbox, program, mount) as instance:
            yield instance
    finally:
        await sandbox.close()


async def run(
    program: BotSource, mount: SeatMount, limits: Limits | None = None, runtime: str = "runc"
) -> tuple[Exit, str]:
    """Run a container to its end; how it ended, and what it wrote."""
    async with running(program, mount, limits, runtime) as instance:
        return await instance.wait(), await instance.log_tail()


def kill_without_the_engine(client: docker.DockerClient, image: str, name: str) -> None:
    """Kill the first process of the container *name* by a signal, from a container that sees the host's processes."""
    first = client.api.inspect_container(name)["State"]["Pid"]
    kill = f"import os; os.kill({first}, 9)"
    client.containers.run(image, ["python3", "-c", kill], pid_mode="host", user="0", remove=True, network_mode="none")


async def has_written(instance: Instance, text: str) -> None:
    """Return when *text* is in the instance's output; the test's time limit is the only one."""
    while text not in await instance.log_tail():
        await asyncio.sleep(0.01)

"""
Containers for tests: one that runs a program, and warm ones, whose image runs whatever program lies in a seat's
folder.
"""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import docker
import pytest

from ladder.sandbox.base import Exit, Instance, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.built_images import FILES_ONLY, RECIPE_LABEL, REPOSITORY
from ladder.sandbox.docker.container_instance import DockerInstance
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.docker.limits import Limits
from ladder.sandbox.docker.starter import WarmInstance
from ladder.sandbox.host import scratch

if TYPE_CHECKING:
    from collections.abc import Callable

    from docker import DockerClient

    from ladder.sandbox.base import Program

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


MakeMount = Callable[[str], "SeatMount"] if TYPE_CHECKING else object
TAG = f"{REPOSITORY}:test-warm"
DOCKERFILE = """
ARG BASE
FROM ${BASE}
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
CMD ["python", "/run/pigpen/seat/program.py"]
"""


def build(client: DockerClient, base: str, tag: str = TAG, dockerfile: str = DOCKERFILE) -> BotSource:
    """Make an image that instances are forked from, on an image with Python."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "Dockerfile").write_text(dockerfile)
        labels = {RECIPE_LABEL: FILES_ONLY}
        build_image(client, archive(Path(name)), tag=tag, labels=labels, arguments={"BASE": base})
    return BotSource("program", image=tag)


def warm_sandbox(limits: Limits | None = None, clear_seconds: float = 250.0, runtime: str = "runc") -> DockerSandbox:
    """A sandbox that forks, and throws no container away because the machine is busy."""
    return DockerSandbox(runtime, limits, instances="warm", clear_seconds=clear_seconds)


class Forked:
    """Runs instances one after the other, each for deals of its own."""

    def __init__(self, program: Program, make_mount: Callable[[str], SeatMount]) -> None:
        self._program = program
        self._make_mount = make_mount

    async def start(self, source: str, deals: str | None = None) -> WarmInstance:
        """Start one; without *deals* it sees others than all before it."""
        mount = replace(self._make_mount(source), deals=deals or str(uuid.uuid4()))
        instance = await self._program.start(mount)
        assert isinstance(instance, WarmInstance)
        return instance

    async def run(self, source: str, deals: str | None = None) -> tuple[str, Exit, str]:
        """Run one to its end: the name of its container, how it ended, and what it wrote."""
        instance = await self.start(source, deals)
        end = await instance.wait()
        await instance.stop()
        return instance.name, end, await instance.log_tail()

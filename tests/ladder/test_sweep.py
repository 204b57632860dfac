"""Leftovers of processes that were killed, and of those that were interrupted."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import docker
import pytest

from ladder.bots import BotSource
from ladder.sandbox.docker import DockerSandbox
from tests.ladder.containers import ROOT, new_place

pytestmark = pytest.mark.docker

PLATFORM = """
import asyncio, sys
from pathlib import Path
from ladder.bots import BotSource
from ladder.sandbox.base import Place
from ladder.sandbox.docker import DockerSandbox

async def main():
    sandbox = DockerSandbox()
    try:
        program = await sandbox.load(BotSource("program", image=sys.argv[2]))
        place = Place(Path(sys.argv[1]), token="secret")
        while True:
            instance = await program.start(place)
            instance.keeper.hold()
            print(instance.name, flush=True)
            if sys.argv[3] == "one":
                await asyncio.sleep(1000)
    finally:
        await sandbox.close()

asyncio.run(main())
"""

Platform = Callable[[str], Awaitable[tuple[Process, str]]]


@pytest.fixture
async def platform(program: BotSource, tmp_path: Path) -> AsyncIterator[Platform]:
    """Start another process with a sandbox: one container that it holds, or `endless` ones; gives the first's name."""
    place = new_place(tmp_path / "seat", "import time; time.sleep(1000)")
    async with AsyncExitStack() as stack:

        async def start(how_many: str) -> tuple[Process, str]:
            process = await stack.enter_async_context(_child(str(place.folder), str(program.image), how_many))
            assert process.stdout is not None
            return process, (await process.stdout.readline()).decode().strip()

        yield start


@asynccontextmanager
async def _child(*arguments: str) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PLATFORM, *arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await process.communicate()


def exists(client: docker.DockerClient, name: str) -> bool:
    return bool(client.api.containers(all=True, filters={"name": name}))


async def test_the_next_sandbox_removes_what_a_killed_process_left_and_nothing_else(
    platform: Platform, sandbox: DockerSandbox, program: BotSource, client: docker.DockerClient
) -> None:
    killed, orphan = await platform("one")
    _, living = await platform("one")
    killed.kill()
    await killed.wait()
    assert exists(client, orphan)
    await sandbox.load(program)
    assert [exists(client, orphan), exists(client, living)] == [False, True]


async def test_an_interrupted_process_leaves_nothing(platform: Platform, client: docker.DockerClient) -> None:
    process, first = await platform("endless")
    owner = client.containers.get(first).labels["pigpen.owner"]
    process.send_signal(signal.SIGINT)
    await process.communicate()
    assert client.api.containers(all=True, filters={"label": f"pigpen.owner={owner}"}) == []


async def test_a_container_run_by_hand_from_our_images_is_not_ours(
    sandbox: DockerSandbox, program: BotSource, client: docker.DockerClient
) -> None:
    by_hand = client.api.create_container(program.image, labels={"pigpen": "1"})["Id"]
    await sandbox.load(program)
    assert client.containers.get(by_hand)
    client.api.remove_container(by_hand)

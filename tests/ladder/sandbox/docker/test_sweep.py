"""Leftovers of processes that were killed, and of those that were interrupted."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import docker
import pytest

from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker import containers
from ladder.sandbox.docker.containers import container_name
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.host import scratch
from tests.ladder.containers import ROOT, new_mount
from tests.waiting import comes

pytestmark = pytest.mark.docker

PLATFORM = """
import asyncio, sys
from functools import partial
from pathlib import Path
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.base import SeatMount
from ladder.sandbox.docker.docker_sandbox import DockerSandbox

async def main():
    sandbox = DockerSandbox(report=partial(print, file=sys.stderr))
    try:
        program = await sandbox.load(BotSource("program", image=sys.argv[2]))
        mount = SeatMount(Path(sys.argv[1]), token="secret")
        while True:
            instance = await program.start(mount)
            instance.controller.freeze()
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
    mount = new_mount(tmp_path / "seat", "import time; time.sleep(1000)")
    async with AsyncExitStack() as stack:

        async def start(how_many: str) -> tuple[Process, str]:
            process = await stack.enter_async_context(_child(str(mount.folder), str(program.image), how_many))
            assert process.stdout is not None
            return process, (await process.stdout.readline()).decode().strip()

        yield start


@asynccontextmanager
async def _child(*arguments: str) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PLATFORM, *arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
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
    assert exists(client, orphan)
    killed.kill()
    await killed.wait()
    await sandbox.load(program)
    await comes(lambda: not exists(client, orphan), "the removal")  # another process may be the one that removes it
    assert exists(client, living)


async def test_an_interrupted_process_leaves_nothing(platform: Platform, client: docker.DockerClient) -> None:
    process, first = await platform("endless")
    owner = client.containers.get(first).labels["pigpen.owner"]
    process.send_signal(signal.SIGINT)
    _, complaint = await process.communicate()
    left = client.api.containers(all=True, filters={"label": f"pigpen.owner={owner}"})
    assert ([one["Command"] for one in left], process.returncode) == ([], -signal.SIGINT), complaint.decode()


def ended() -> str:
    """The name of a process of this machine that has ended."""
    machine, _, *others = scratch.this_process().split(" ")
    return " ".join([machine, "an-earlier-boot", *others])


@pytest.fixture
def foreign(client: docker.DockerClient, program: BotSource) -> Iterator[Callable[..., str]]:
    """Make a container that is not ours, and remove it in the end."""
    made: list[str] = []

    def make(owner: str | None, name: str | None = None, mark: str = "1", coordinator: str | None = None) -> str:
        labels = {"pigpen": mark} if owner is None else {"pigpen": mark, "pigpen.owner": owner, "pigpen.sandbox": "x"}
        if coordinator is not None:
            labels["pigpen.coordinator"] = coordinator
        made.append(str(client.api.create_container(program.image, name=name, labels=labels)["Id"]))
        return made[-1]

    yield make
    for container in made:
        containers.remove(client, container)  # the sweep of another process may be removing it


async def test_only_what_we_named_and_labelled_is_swept_when_its_worker_or_its_coordinator_has_died(
    sandbox: DockerSandbox, foreign: Callable[..., str], program: BotSource, client: docker.DockerClient
) -> None:
    living = scratch.this_process()
    stays = {
        foreign(ended()): "no name of ours",
        foreign(ended(), f"x{container_name()}"): "more before the name",
        foreign(ended(), f"{container_name()}0"): "more after the name",
        foreign(ended(), container_name(), "2"): "another mark",
        foreign(None): "run by hand",
        foreign(living, container_name(), coordinator=living): "both live",
        foreign(living, container_name(), coordinator="x"): "the worker lives",
    }
    for owner in ("x", "", "a b c d e f", f"a b pid:[1] {'9' * 5000} 1", "a b pid:[1] x 1"):
        stays[foreign(owner, container_name())] = f"owner {owner[:20]!r}"
    goes = {
        foreign(ended(), container_name()): "ended",
        foreign(ended(), container_name(), coordinator="x"): "the worker has ended",
        foreign(living, container_name(), coordinator=ended()): "the coordinator has ended",
        foreign(ended(), container_name(), coordinator=living): "the worker has ended, the coordinator lives",
    }
    await sandbox.load(program)

    def left(made: dict[str, str]) -> list[str]:
        there = {found["Id"] for found in client.api.containers(all=True)}
        return [why for container, why in made.items() if container in there]

    await comes(lambda: not left(goes), f"the removal of all of {[*goes.values()]}")  # also by another process
    assert left(stays) == [*stays.values()]


async def test_a_leftover_that_the_engine_cannot_remove_holds_up_no_start(
    foreign: Callable[..., str], client: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, reached, released = set[str](), threading.Event(), threading.Event()

    def hang(client: docker.DockerClient, name: str) -> None:
        if name in stuck:
            reached.set()
        released.wait()

    monkeypatch.setattr(containers, "discard", hang)
    while not reached.wait(1.0):  # the sweep of another process may be quicker
        stuck.add(foreign(ended(), container_name()))
        containers.sweep(client, seconds=0.01)
    released.set()

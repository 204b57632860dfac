"""An image's files stay in memory while it plays, even if another program tries to evict them."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import docker
import pytest

from ladder.errors import BotRejected
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.bots.content import archive
from ladder.sandbox.docker.containers import SANDBOX
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.docker.image_build import build_image
from ladder.sandbox.host.machine import MIB
from tests.bad_bots.images import FOLDER, Image, file, load_image
from tests.ladder.conftest import PROGRAM_TAG
from tests.ladder.containers import new_mount

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("no_leftovers")]

Build = Callable[[str], BotSource]
DEEP = """
import os
for _ in range(600):
    os.mkdir("folder")
    os.chdir("folder")
"""


@pytest.fixture
def build(client: docker.DockerClient, tmp_path: Path, python_image: str) -> Iterator[Build]:
    """Build an image on the plain Python image; removed in the end."""
    tags: list[str] = []

    def make(line: str) -> BotSource:
        tags.append(f"pigpen/test:lock-{len(tags)}")
        folder = tmp_path / f"image-{len(tags)}"
        folder.mkdir()
        (folder / "Dockerfile").write_text(f'FROM {python_image}\n{line}\nCMD ["true"]\n')
        build_image(client, archive(folder), tag=tags[-1], labels={})
        return BotSource("large", image=tags[-1])

    yield make
    for tag in tags:
        client.images.remove(tag, force=True)


def locking(client: docker.DockerClient, sandbox: DockerSandbox) -> list[str]:
    """The containers of a sandbox that has started no bot."""
    found = client.api.containers(all=True, filters={"label": f"{SANDBOX}={sandbox.id}"})
    return [one["Id"] for one in found]


def locked_bytes(client: docker.DockerClient, container: str) -> int:
    """Bytes that the processes of a container have locked, as the kernel counts them."""
    pids = [int(row[1]) for row in client.api.top(container)["Processes"]]
    found = [re.search(r"^VmLck:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE) for pid in pids]
    return sum(int(match[1]) * 1024 for match in found if match)


@pytest.mark.root  # who may see what another user's process has in memory
async def test_all_files_of_an_image_are_locked_from_its_load_to_the_end(
    sandbox: DockerSandbox, program: BotSource, client: docker.DockerClient
) -> None:
    """The kernel keeps a file that is to leave memory: what a bot may not even try is tried with more rights."""
    loaded = await sandbox.load(program)
    [container] = locking(client, sandbox)
    size = client.images.get(PROGRAM_TAG).attrs["Size"]
    assert loaded.image_files == "locked"
    assert 0.9 * size < locked_bytes(client, container) < 1.2 * size
    await sandbox.load(program)
    assert locking(client, sandbox) == [container]
    pid = client.api.inspect_container(container)["State"]["Pid"]
    with next(Path(f"/proc/{pid}/root/usr").glob("**/argparse.py")).open("rb") as file:  # which no other process maps
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        assert set(pages_in_memory(file)) == {1}
    await sandbox.close()
    assert locking(client, sandbox) == []


def pages_in_memory(file: BinaryIO) -> bytes:
    """For each page of a file, whether it is in memory: 1 or 0."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as mapped:
        found = (ctypes.c_ubyte * -(-len(mapped) // mmap.PAGESIZE))()
        start = ctypes.c_char.from_buffer(mapped)
        failed = ctypes.CDLL(None).mincore(ctypes.byref(start), ctypes.c_size_t(len(mapped)), found)
        del start  # or the map could not be closed
        assert not failed
        return bytes(found)


async def test_a_lock_that_was_taken_away_is_there_again_at_the_next_start(
    sandbox: DockerSandbox, program: BotSource, client: docker.DockerClient, tmp_path: Path
) -> None:
    loaded = await sandbox.load(program)
    [container] = locking(client, sandbox)
    client.api.remove_container(container, force=True)
    instance = await loaded.start(new_mount(tmp_path / "seat", "import time; time.sleep(1000)"))
    left = {one["Names"][0].lstrip("/") for one in client.api.containers(filters={"label": f"{SANDBOX}={sandbox.id}"})}
    assert len(left - {instance.name}) == 1


async def test_where_files_cannot_be_locked_they_are_read_and_nothing_stays(
    program: BotSource, client: docker.DockerClient
) -> None:
    sandbox = DockerSandbox("runc", locked_bytes=MIB, gvisor="none")
    try:
        assert (await sandbox.load(program)).image_files == "read"
        assert locking(client, sandbox) == []
    finally:
        await sandbox.close()


async def test_a_ladder_refuses_an_image_that_is_too_large_to_be_kept_in_memory(program: BotSource) -> None:
    sandbox = DockerSandbox("runc", locked_bytes=MIB, refuses_larger=True, gvisor="none")
    try:
        with pytest.raises(BotRejected, match=r" program has [\d,]+ bytes\. .* 1,048,576 .*gVisor"):
            await sandbox.load(program)
    finally:
        await sandbox.close()


@pytest.mark.runsc
async def test_under_gvisor_an_image_of_any_size_plays_with_a_page_cache_of_its_own(program: BotSource) -> None:
    sandbox = DockerSandbox("runc", locked_bytes=MIB, refuses_larger=True)
    try:
        assert (await sandbox.load(program)).image_files == "isolated"
    finally:
        await sandbox.close()


@pytest.mark.long
async def test_an_image_with_more_files_than_the_kernel_can_keep_is_refused(
    sandbox: DockerSandbox, client: docker.DockerClient
) -> None:
    """The image is loaded, and not built: a container that makes 60,001 files takes several times as long."""
    tag = "pigpen/test:lock-many"
    many = {f"many/{number}": file(b"") for number in range(60_001)}
    load_image(client, tag, Image(entries={"many": FOLDER} | many))
    try:
        with pytest.raises(BotRejected, match="more than 60,000 files"):
            await sandbox.load(BotSource("large", image=tag))
    finally:
        client.images.remove(tag, force=True)


async def test_an_image_whose_folders_are_nested_too_deep_is_refused(sandbox: DockerSandbox, build: Build) -> None:
    with pytest.raises(BotRejected, match="more than 500 deep"):
        await sandbox.load(build(f"RUN {json.dumps(['python3', '-c', DEEP])}"))


async def test_odd_files_hold_nobody_up(sandbox: DockerSandbox, build: Build) -> None:
    line = "RUN mkfifo /fifo && ln -s /fifo /link && touch /empty && mkdir -m 000 /closed && touch /closed/file"
    assert (await sandbox.load(build(line))).image_files == "locked"

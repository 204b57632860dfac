"""Every number that a bot can read: with another container's work none moves but those that are listed here."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker
import pytest
import pytest_asyncio

from ladder.sandbox.base import Exit, Program, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from tests.ladder import warm
from tests.ladder.containers import SHARED_LOOP, has_written

HERE = Path(__file__).parent
READ = (HERE / "numbers_seen.py").read_text()
WORK = """
import mmap, os, socket, threading, time
for number in range(40):
    kept = [os.pipe(), socket.socketpair(), bytearray(200_000)]
    for folder in ("/tmp", "/dev/shm", "/dev/mqueue"):
        open(f"{folder}/x", "w").close()
        os.unlink(f"{folder}/x")
    open("/tmp/x", "w").close(); os.rename("/tmp/x", "/tmp/y")
    os.mkdir("/tmp/folder"); os.rmdir("/tmp/folder")
    mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE).close()
    file = open(f"/dev/shm/{number}", "w+b"); file.truncate(4096); kept.append(mmap.mmap(file.fileno(), 4096))
    os.path.exists(f"/nothing/{number}")
    open("/proc/self/status").read()
    threading.Thread(target=time.sleep, args=[0.01]).start()
    if not (child := os.fork()):
        os._exit(0)
    os.waitpid(child, 0)
print("worked")
"""
"""Work of another container meanwhile: all that the kernel might count."""

TIMES = "a time; of a file, which this container alone uses; of /proc, when the kernel has made the file anew"
OWN = "of this process and its container alone"
LEFT = "one of the inode numbers that count for the whole host: left, see docs/security.md"
STATED = r"(accessed|made|changed|written)( ns)?"
LISTED = {
    rf"stat .*: {STATED}": TIMES,
    r"clock gettime .*": "time, and the CPU time of this process",
    r"times": "time, and the CPU time of this process",
    r"getrusage .*": OWN,
    r"read /proc/self/(status (Vm|Rss|Hugetlb|.*ctxt_switches|Threads).*|statm? .*)": OWN,
    r"(stat|link) (file in /tmp|file in /dev/shm|unnamed file|folder|fifo|symbolic link) .*": OWN,
    r"entry (/tmp|/dev/shm) .*": OWN,
    r"number of a (process|thread)": OWN,
    r"core|read /proc/self/stat 0 38": "the core on which it runs; a bot has one, once it is seated",
    r"socket \d, name": "by chance",
    r"statfs (/|/run/pigpen|/etc/.*|/sys|/proc/cpuinfo): word [346]": "the host's disk, to which no bot can write",
    r"stat (pipe|socket|file in /dev/mqueue) ?.*: inode|link (pipe|socket) .*": LEFT,
    r"entry /dev/mqueue .*: inode|(stat|entry) /proc/\.\.\..*: inode": LEFT,
    r"stat (namespace|file of /proc|folder of /proc) .*: inode": LEFT,
    r"stat /run/pigpen(/seat)?: size": "this test makes a file there",
    r"stat /proc(/\.\.\.)?: links and owner": "left: how many processes the host has (docs/security.md)",
}
"""Numbers that may move, by name, each with the reason."""
REFUSED = {"shared memory", "memory file", "fifo"}
"""Kinds that cannot be made at all; /dev/zero is empty."""


def unlisted(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if not any(re.fullmatch(pattern, name) for pattern in LISTED))


def test_a_number_that_nobody_has_listed_is_found() -> None:
    moved = ["stat pipe 0: inode", "maps, shared memory, while it is there: /dev/zero (deleted) 00000000", "sysinfo 4"]
    assert unlisted(moved) == [moved[1], moved[2]]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["fresh", "warm"])
async def loaded(
    request: pytest.FixtureRequest, client: docker.DockerClient, python_image: str, program: BotSource
) -> AsyncIterator[Program]:
    """A program whose instances run what lies in their seats, in both kinds of containers."""
    sandbox = DockerSandbox() if request.param == "fresh" else warm.warm_sandbox()
    bot = program if request.param == "fresh" else warm.build(client, python_image)
    yield await sandbox.load(bot)
    await sandbox.close()


@pytest.mark.docker
@SHARED_LOOP
async def test_no_number_moves_with_another_containers_work_but_those_with_a_reason(
    loaded: Program, mount: Callable[[str], SeatMount]
) -> None:
    seat, other = mount(READ), mount(WORK)
    reader = await loaded.start(replace(seat, deals="the board"))
    try:
        await has_written(reader, "ready")
        worker = await loaded.start(replace(other, deals="the board"))
        assert await worker.wait() == Exit(0), await worker.log_tail()
        await worker.stop()
        (seat.folder / "go").touch()
        assert await reader.wait() == Exit(0), await reader.log_tail()
        seen: dict[str, Any] = json.loads((await reader.log_tail()).splitlines()[-1])
    finally:
        await reader.stop()
    assert {name: seen["moved"][name] for name in unlisted(seen["moved"])} == {}
    assert set(seen["refused"]) == REFUSED
    assert "stat pipe 0: inode" in seen["moved"]  # it sees what moves
    assert seen["read"] > 10_000

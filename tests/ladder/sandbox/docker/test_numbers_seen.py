"""
Memory between containers and between deals: of the numbers that a bot can read only listed ones move with others'
work.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docker
import pytest
import pytest_asyncio

from ladder.matches.play import play_sandboxed
from ladder.sandbox.base import Exit, Program, SeatMount
from ladder.sandbox.bots.bot_source import BotSource
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.sandbox.process.process_sandbox import ProcessSandbox
from pigpen.rules import PRESETS
from referee.match.formats import Format, MatchSpec
from referee.records.lines import DealLine
from tests.ladder import containers
from tests.ladder.containers import SHARED_LOOP, has_written
from tests.waiting import PATIENT

if TYPE_CHECKING:
    from ladder.sandbox.base import Sandbox
    from referee.records.lines import AnyLine, Instances

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
    sandbox = DockerSandbox() if request.param == "fresh" else containers.warm_sandbox()
    bot = program if request.param == "fresh" else containers.build(client, python_image)
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


FOR_TWO = replace(PRESETS["gongzhu"], name="gongzhu-for-two", players=2, exposing=None)
"""Its first card is free, and a board is played by four instances of bots and not by sixteen."""
SPEC = MatchSpec(
    FOR_TWO,
    ("a", "b"),
    Format(boards=1),
    PATIENT,
    bytes(32),
)
LATER = pytest.mark.long
ITS_OWN = ("~", "$TMPDIR")
ANYWHERE = ("~", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/pigpen", "/run", "/", ".")
RECALLS = "I have seen these cards before."


def elephant(folder: Path, places: tuple[str, ...]) -> BotSource:
    """The bot that never forgets, and the places in which it keeps what it knows."""
    shutil.copytree(Path(__file__).parent / "elephant", folder)
    (folder / "places.txt").write_text("\n".join(places))
    return BotSource("elephant", folder=folder)


async def play(sandbox: Sandbox, bot: BotSource, concurrency: int) -> tuple[str, set[bool]]:
    """Give all instances' output, and whether they played their lowest cards: they do when they know nothing."""
    lines: list[AnyLine] = []
    try:
        played = await play_sandboxed(
            SPEC, [await sandbox.load(bot)] * len(SPEC.bots), lines.append, concurrency=concurrency
        )
    finally:
        await sandbox.close()
    assert [row.faults for row in played.result.results] == [0] * len(SPEC.bots), played.logs
    firsts = {first_card(line) == lowest(line) for line in lines if isinstance(line, DealLine)}
    return "".join(log for logs in played.logs.values() for log in logs), firsts


def first_card(line: DealLine) -> str | None:
    return next(step.play for step in line.steps if step.play)


def lowest(line: DealLine) -> str:
    """The lowest card of the seat that leads, in canonical order."""
    leader = next(step.seat for step in line.steps if step.play)
    return line.hands[leader].split()[0]


@pytest.mark.parametrize("concurrency", [1, pytest.param(4, marks=LATER)])
async def test_no_process_sees_a_board_twice(tmp_path: Path, concurrency: int) -> None:
    assert await play(ProcessSandbox(), elephant(tmp_path / "bot", ITS_OWN), concurrency) == ("", {True})


@pytest.mark.docker
@pytest.mark.usefixtures("no_leftovers")
@pytest.mark.parametrize(
    ("instances", "concurrency"),
    [
        ("warm", 4),
        pytest.param("fresh", 1, marks=LATER),
        pytest.param("warm", 1, marks=LATER),
        pytest.param("fresh", 4, marks=LATER),
    ],
)
async def test_no_container_sees_a_board_twice_wherever_its_bot_writes(
    tmp_path: Path, instances: Instances, concurrency: int
) -> None:
    assert await play(DockerSandbox(instances=instances), elephant(tmp_path / "bot", ANYWHERE), concurrency) == (
        "",
        {True},
    )


async def test_the_bot_would_know_the_cards_again_if_it_had_seen_them(tmp_path: Path) -> None:
    """A process may write into a folder of ours, and then it does: the test above can fail."""
    (tmp_path / "shared").mkdir()
    written, lowest_led = await play(ProcessSandbox(), elephant(tmp_path / "bot", (str(tmp_path / "shared"),)), 1)
    assert RECALLS in written
    assert lowest_led == {True, False}

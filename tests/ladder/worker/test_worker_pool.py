"""Real worker processes from the coordinator's side: chosen for a task, and replaced when they have ended."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from ladder.errors import SandboxError
from ladder.worker.channel import Channel, MessageKind
from ladder.worker.match_tasks import MatchOutcome
from ladder.worker.worker_pool import MAX_KNOWN, WorkerPool, WorkerProcess
from tests.ladder.worker.test_worker import ONE_DEAL, QUICK, bot
from tests.processes import children, has_ended

if TYPE_CHECKING:
    from ladder.worker.match_tasks import MatchTask


class FakeProcess:
    """Plays each task until the test ends it."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.playing: dict[str, asyncio.Future[str]] = {}
        self.has_ended = False
        self.checks: list[str] = []
        self.is_down = False

    async def call(self, kind: MessageKind, body: str = "") -> str:
        if kind is MessageKind.READY:
            self.checks.append(body)
            if self.is_down:
                raise SandboxError("No engine answers.")
            return ""
        self.playing[body] = asyncio.get_running_loop().create_future()
        return await self.playing[body]

    def die(self) -> None:
        self.has_ended = True
        for playing in self.playing.values():
            playing.set_exception(SandboxError("It was ended by signal 9."))

    async def close(self) -> None:
        self.has_ended = True


class Machine:
    """Starts fake processes, and can be made to fail."""

    def __init__(self) -> None:
        self.started: list[FakeProcess] = []
        self.is_full = False

    async def start(self, number: int, count: int) -> Any:
        await asyncio.sleep(0)
        if self.is_full:
            raise SandboxError("No worker process can be started.")
        self.started.append(FakeProcess(number))
        return self.started[-1]

    @property
    def loads(self) -> list[tuple[int, int]]:
        """Of each process: its number, and how many tasks it plays."""
        return [(each.number, sum(not one.done() for one in each.playing.values())) for each in self.started]


@pytest.fixture
def machine() -> Machine:
    return Machine()


def task(number: int, *bots: str) -> str:
    return json.dumps({"match": number, "bots": [{"identity": bot} for bot in bots]})


async def begin(workers: WorkerPool, *tasks: str) -> list[asyncio.Task[str]]:
    playing = [asyncio.ensure_future(workers.play(each)) for each in tasks]
    for _ in range(5):
        await asyncio.sleep(0)
    return playing


async def finish(machine: Machine, *tasks: str) -> None:
    for process in machine.started:
        for each in tasks:
            if each in process.playing:
                process.playing[each].set_result("done")
    for _ in range(5):
        await asyncio.sleep(0)


async def test_each_task_begins_at_once_where_the_fewest_are_played(machine: Machine) -> None:
    await begin(WorkerPool(3, machine.start), *(task(number, "a") for number in range(7)))
    assert sorted(machine.loads) == [(0, 3), (1, 2), (2, 2)]


async def test_no_more_processes_are_started_than_play(machine: Machine) -> None:
    workers = WorkerPool(3, machine.start)
    for number in range(4):
        await begin(workers, task(number, "a"))
        await finish(machine, task(number, "a"))
    assert machine.loads == [(0, 0)]


async def test_among_equals_it_is_the_one_that_has_loaded_the_bots(machine: Machine) -> None:
    workers = WorkerPool(2, machine.start)
    both = [task(1, "a", "b"), task(2, "c", "d")]
    await begin(workers, *both)
    await finish(machine, *both)
    again = task(3, "c", "d")
    await begin(workers, again)
    assert again in machine.started[1].playing


async def test_what_was_loaded_long_ago_is_forgotten(machine: Machine) -> None:
    workers = WorkerPool(2, machine.start)
    both = [task(1, *map(str, range(MAX_KNOWN + 1))), task(2, "0")]
    await begin(workers, *both)
    await finish(machine, *both)
    await begin(workers, task(3, "0"))
    assert task(3, "0") in machine.started[1].playing


async def test_one_that_has_ended_is_replaced_by_the_next_task(machine: Machine) -> None:
    workers = WorkerPool(2, machine.start)
    lost, kept = await begin(workers, task(1, "a"), task(2, "a"))
    machine.started[0].die()
    with pytest.raises(SandboxError, match="signal 9"):
        await lost
    assert len(machine.started) == 2
    await begin(workers, task(3, "a"))
    assert machine.loads == [(0, 0), (1, 1), (0, 1)]
    assert not kept.done()


async def test_a_process_that_cannot_be_started_is_tried_again_by_the_next_task_only(machine: Machine) -> None:
    workers = WorkerPool(1, machine.start)
    machine.is_full = True
    for attempt in (workers.play(task(1, "a")), workers.ready()):
        with pytest.raises(SandboxError, match="No worker process"):
            await attempt
    machine.is_full = False
    await workers.ready()
    await begin(workers, task(1, "a"))
    assert machine.loads == [(0, 1)]


async def test_all_living_ones_are_asked_whether_they_are_ready(machine: Machine) -> None:
    workers = WorkerPool(3, machine.start)
    await workers.ready()
    assert [len(each.checks) for each in machine.started] == [1]
    await begin(workers, task(1, "a"), task(2, "a"))
    machine.started[1].is_down = True
    with pytest.raises(SandboxError, match="No engine answers"):
        await workers.ready()
    assert [len(each.checks) for each in machine.started] == [2, 1]


async def test_closing_closes_all_of_them(machine: Machine) -> None:
    workers = WorkerPool(3, machine.start)
    await begin(workers, task(1, "a"), task(2, "a"))
    machine.started[0].die()
    await workers.close()
    assert [each.has_ended for each in machine.started] == [True, True]


ANSWER = "    numbers, texts = fields(request)\n"
NEVER = """    import time
    open({asked!r}, "w").close()
    time.sleep(1000)
"""
STRANGER = """
import os, sys, time
text = {says}
os.write(int(sys.argv[1]), len(text).to_bytes(4, "big") + text)
time.sleep(1000)
"""


@pytest.fixture
async def process() -> AsyncIterator[WorkerProcess]:
    process = await WorkerProcess.start(0, 1)
    yield process
    await process.close()


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """A file that is there once a bot of *endless* was asked."""
    return tmp_path / "asked"


@pytest.fixture
def endless(tmp_path: Path, asked: Path) -> MatchTask:
    """A match of bots that never answer."""
    source = (QUICK / "bot.py").read_text()
    assert ANSWER in source
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").write_text(source.replace(ANSWER, NEVER.format(asked=str(asked)) + ANSWER))
    clock = ONE_DEAL.clock | {"bank": 6000.0, "limit": 3600.0}
    bots = tuple(bot(each.name, tmp_path / "bot") for each in ONE_DEAL.bots)
    return ONE_DEAL.model_copy(update={"bots": bots, "clock": clock, "seconds": 1800.0})


def start_stranger(says: bytes, connection: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", STRANGER.format(says=says), str(connection)]
    return subprocess.Popen(words, pass_fds=[connection])


async def begun(process: WorkerProcess, task: MatchTask, asked: Path) -> asyncio.Task[str]:
    playing = asyncio.ensure_future(process.call(MessageKind.PLAY, task.model_dump_json()))
    while not asked.exists():
        assert not playing.done()
        await asyncio.sleep(0.01)
    return playing


async def test_it_plays_tells_follows_no_signal_and_stays_without_the_database_s_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PIGPEN_DATABASE_URL", "postgresql://pigpen:secret@localhost/ladder")
    monkeypatch.setenv("PGPASSWORD", "secret")
    received: list[tuple[int, int, str]] = []
    process = await WorkerProcess.start(0, 1, lambda *event: received.append(event))
    for live in ("off", "played"):
        task = ONE_DEAL.model_copy(update={"live": live})
        outcome = MatchOutcome.model_validate_json(await process.call(MessageKind.PLAY, task.model_dump_json()))
        assert (outcome.match, outcome.attempt, outcome.void) == (ONE_DEAL.match, ONE_DEAL.attempt, None)
        assert bool(received) == (live == "played"), "what it tells of a match comes before the outcome"
    assert {(match, attempt) for match, attempt, _ in received} == {(ONE_DEAL.match, ONE_DEAL.attempt)}
    lines = "\n".join(batch for *_, batch in received).split("\n")
    assert '"type":"match"' in lines[0]
    assert '"type":"result"' in lines[-1]
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(process.pid, number)
    assert await process.call(MessageKind.READY) == ""
    assert os.getsid(process.pid) == process.pid
    assert not process.has_ended
    environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"secret" not in environment
    await process.close()


async def test_every_call_of_a_killed_one_fails_with_the_reason(
    process: WorkerProcess, endless: MatchTask, asked: Path
) -> None:
    one = await begun(process, endless, asked)
    asked.unlink()
    other = await begun(process, endless, asked)
    with capture_logs() as logs:
        os.kill(process.pid, signal.SIGKILL)
        for playing in (one, other):
            with pytest.raises(SandboxError, match=r"Worker 0 .* by signal 9\."):
                await playing
    assert [(event["event"], event["worker"], event["playing"]) for event in logs] == [("worker.lost", 0, 2)]
    assert process.has_ended
    with pytest.raises(SandboxError, match="was ended by signal 9"):
        await process.call(MessageKind.READY)


async def test_one_that_does_not_follow_the_order_to_stop_is_killed(endless: MatchTask, asked: Path) -> None:
    process = await WorkerProcess.start(0, 1, obey_seconds=0.1)
    playing = await begun(process, endless, asked)
    os.kill(process.pid, signal.SIGSTOP)
    with capture_logs() as logs:
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        while not process.has_ended:
            await asyncio.sleep(0.01)
    assert [event["event"] for event in logs] == ["worker.hangs", "worker.lost"]


async def test_closing_kills_one_that_does_not_end() -> None:
    process = await WorkerProcess.start(0, 1, obey_seconds=0.1)
    os.kill(process.pid, signal.SIGSTOP)
    await process.close()
    assert process._process.returncode == -signal.SIGKILL


async def test_a_call_that_is_cancelled_is_cleared_away_and_closing_gives_everything_up(
    endless: MatchTask, asked: Path
) -> None:
    process = await WorkerProcess.start(0, 1)
    playing = await begun(process, endless, asked)
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert children(process.pid) == []
    assert await process.call(MessageKind.READY) == ""
    asked.unlink()
    playing = await begun(process, endless, asked)
    bots = children(process.pid)
    await process.close()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert process._process.returncode == 0
    assert len(bots) == 4
    assert all(map(has_ended, bots))


@pytest.mark.parametrize("says", [b"hello", b"log 0\n[]", b"log 0\n{}", b"answer 1\n\xff"])
async def test_one_that_speaks_another_language_is_killed(says: bytes) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        program = start_stranger(says, theirs.fileno())
    process = WorkerProcess(0, program, await Channel.over(ours))
    with pytest.raises(SandboxError, match="was ended by signal 9"):
        await process.call(MessageKind.READY)

"""A real worker process, from the coordinator's side."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from ladder.errors import SandboxError
from ladder.worker.channel import Channel, MessageKind
from ladder.worker.match_tasks import MatchOutcome
from ladder.worker.worker_pool import WorkerProcess
from tests.ladder.worker.test_worker import ONE_DEAL, QUICK, bot
from tests.processes import children, has_ended

if TYPE_CHECKING:
    from ladder.worker.match_tasks import MatchTask

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
            with pytest.raises(SandboxError, match=r"Worker 0 \(process \d+\) was ended by signal 9\."):
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

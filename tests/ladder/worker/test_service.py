"""A worker's program and the channel between it and a coordinator, apart from what it plays."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator

import pytest
import structlog

from ladder.errors import SandboxError
from ladder.matches.kinds import open_sandbox
from ladder.sandbox.docker.image_lock import memory_share
from ladder.values.sandbox_kind import SandboxKind, SandboxSetup
from ladder.worker.channel import FRAME_BYTES, LENGTH_BYTES, Channel, Frame, MessageKind
from ladder.worker.process import log_to
from ladder.worker.service import Service


class EchoWorker:
    """Answers with the task; ``hang`` never, until it is given up; ``fail`` with an exception."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.cleared = False

    async def play(self, task: str) -> str:
        if task == "fail":
            raise ZeroDivisionError("division by zero")
        if task == "hang":
            self.began.set()
            try:
                await asyncio.sleep(1e6)
            finally:
                await asyncio.sleep(0)
                self.cleared = True
        return task

    async def ready(self) -> None:
        raise SandboxError("No engine answers.")

    async def close(self) -> None:
        """Nothing to do."""


async def serve(service: Service, channel: Channel) -> None:
    """Give it what comes."""
    while (message := await channel.receive()) is not None:
        service.take(message)


@pytest.fixture
def worker() -> EchoWorker:
    return EchoWorker()


@pytest.fixture
async def channel(worker: EchoWorker) -> AsyncIterator[Channel]:
    """The coordinator's end; closing it ends the service."""
    ours, theirs = socket.socketpair()
    channel, served = await Channel.over(ours), await Channel.over(theirs)
    service = Service(worker, served.send)
    running = asyncio.ensure_future(serve(service, served))
    yield channel
    channel.end()
    await running
    for each in service.working:
        each.cancel()
    await asyncio.gather(*service.working, return_exceptions=True)
    await channel.close()
    await served.close()


async def test_a_call_is_answered_under_its_number(channel: Channel) -> None:
    channel.send(Frame(MessageKind.PLAY, 5, "task"))
    assert await channel.receive() == Frame(MessageKind.ANSWER, 5, "task")


async def test_one_that_takes_long_holds_up_no_other(channel: Channel) -> None:
    channel.send(Frame(MessageKind.PLAY, 1, "hang"))
    channel.send(Frame(MessageKind.PLAY, 2, "task"))
    assert await channel.receive() == Frame(MessageKind.ANSWER, 2, "task")


async def test_failures_are_sentences(channel: Channel) -> None:
    channel.send(Frame(MessageKind.READY, 1))
    assert await channel.receive() == Frame(MessageKind.FAILURE, 1, "No engine answers.")
    channel.send(Frame(MessageKind.PLAY, 2, "fail"))
    assert await channel.receive() == Frame(MessageKind.FAILURE, 2, "ZeroDivisionError: division by zero")


async def test_what_is_cancelled_is_cleared_away_before_it_is_confirmed(channel: Channel, worker: EchoWorker) -> None:
    channel.send(Frame(MessageKind.PLAY, 1, "hang"))
    await worker.began.wait()
    for _ in range(2):
        channel.send(Frame(MessageKind.CANCEL, 1))
    assert await channel.receive() == Frame(MessageKind.CANCELLED, 1)
    assert worker.cleared


async def test_what_is_cancelled_before_it_begins_is_confirmed_too(worker: EchoWorker) -> None:
    ours, theirs = socket.socketpair()
    for text in (b"play 1\nhang", b"cancel 1\n"):  # both are there when it begins to read
        ours.sendall(len(text).to_bytes(4) + text)
    channel, served = await Channel.over(ours), await Channel.over(theirs)
    running = asyncio.ensure_future(serve(Service(worker, served.send), served))
    assert await channel.receive() == Frame(MessageKind.CANCELLED, 1)
    assert not worker.began.is_set()
    await channel.close()
    await running
    await served.close()


async def test_to_cancel_what_is_done_changes_nothing(channel: Channel) -> None:
    channel.send(Frame(MessageKind.PLAY, 1, "task"))
    assert await channel.receive() == Frame(MessageKind.ANSWER, 1, "task")
    channel.send(Frame(MessageKind.CANCEL, 1))
    channel.send(Frame(MessageKind.PLAY, 2, "again"))
    assert await channel.receive() == Frame(MessageKind.ANSWER, 2, "again")


async def test_an_answer_that_is_too_long_to_be_sent_is_a_failure(worker: EchoWorker) -> None:
    sent = asyncio.Queue[Frame]()

    def send(answer: Frame) -> None:
        if answer.kind is MessageKind.ANSWER:
            raise ValueError("it is longer than 3 bytes")
        sent.put_nowait(answer)

    Service(worker, send).take(Frame(MessageKind.PLAY, 1, "task"))
    failure = "The answer cannot be sent: it is longer than 3 bytes."
    assert await sent.get() == Frame(MessageKind.FAILURE, 1, failure)


HANGS = """
import sys, threading
from ladder.worker import process
threading.Thread(target=process._end_without, args=(int(sys.argv[1]), 0.0), daemon=True).start()
print("begun", flush=True)
while True:
    pass
"""


@pytest.fixture
def lines() -> Iterator[list[str]]:
    lines: list[str] = []
    log_to(lines.append)
    yield lines
    structlog.reset_defaults()


def test_a_process_that_hangs_ends_after_its_coordinator() -> None:
    ours, theirs = socket.socketpair()
    with theirs, subprocess.Popen(
        [sys.executable, "-c", HANGS, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdout=subprocess.PIPE
    ) as program:  # fmt: skip
        assert program.stdout is not None
        assert program.stdout.readline() == b"begun\n"
        assert program.poll() is None
        ours.close()
        assert program.wait() == 1


def test_its_events_are_lines_for_the_coordinator(lines: list[str]) -> None:
    log = structlog.get_logger()
    log.warning("image.slow", match=7, folder=sys)
    try:
        raise ZeroDivisionError("division by zero")
    except ZeroDivisionError:
        log.exception("worker.failed", match=8)
    slow, failed = map(json.loads, lines)
    assert slow == {"event": "image.slow", "level": "warning", "match": 7, "folder": str(sys)}
    assert (failed["event"], failed["level"], failed["match"]) == ("worker.failed", "error", 8)
    assert "division by zero" in failed["exception"]


def test_processes_divide_the_memory_of_one_machine() -> None:
    setup = SandboxSetup(SandboxKind.DOCKER, warm_bytes=1000, processes=4)
    sandbox = open_sandbox(setup)
    assert sandbox._make_starter.keywords["warm_bytes"] == 250  # type: ignore[attr-defined]
    assert sandbox._images._max_bytes == memory_share() // 4  # type: ignore[attr-defined]


LONG = "ä\n{}" * 1_000_000


@pytest.fixture
async def ends() -> AsyncIterator[tuple[Channel, Channel]]:
    one, other = socket.socketpair()
    channels = await Channel.over(one), await Channel.over(other)
    yield channels
    for channel in channels:
        await channel.close()


async def test_what_is_sent_is_received(ends: tuple[Channel, Channel]) -> None:
    sent = [Frame(MessageKind.PLAY, 1, "{}"), Frame(MessageKind.ANSWER, 70_000, LONG), Frame(MessageKind.READY, 3)]
    for message in sent:
        ends[0].send(message)
    assert [await ends[1].receive() for _ in sent] == sent


async def test_who_sends_no_more_can_still_receive(ends: tuple[Channel, Channel]) -> None:
    ends[0].send(Frame(MessageKind.READY, 1))
    ends[0].end()
    assert await ends[1].receive() == Frame(MessageKind.READY, 1)
    assert await ends[1].receive() is None
    ends[1].send(Frame(MessageKind.ANSWER, 1))
    assert await ends[0].receive() == Frame(MessageKind.ANSWER, 1)


async def test_one_whose_other_end_takes_nothing_is_behind(ends: tuple[Channel, Channel]) -> None:
    assert not ends[0].is_behind
    ends[0].send(Frame(MessageKind.ANSWER, 1, LONG))
    assert ends[0].is_behind
    assert await ends[1].receive() is not None
    while ends[0].is_behind:
        await asyncio.sleep(0)


async def test_a_message_that_was_cut_off_is_none() -> None:
    one, other = socket.socketpair()
    channel = await Channel.over(one)
    with other:
        other.sendall((100).to_bytes(4) + b"answer 1\n{")
    assert await channel.receive() is None
    channel.send(Frame(MessageKind.PLAY, 2))  # goes nowhere, and raises nothing
    await channel.close()


@pytest.mark.parametrize("frame", [b"", b"shout 1\n", b"answer one\n", b"answer\n", b"answer 1\n\xff"])
async def test_what_is_no_message_is_an_error(frame: bytes) -> None:
    one, other = socket.socketpair()
    channel = await Channel.over(one)
    with other:
        other.sendall(len(frame).to_bytes(4) + frame)
        with pytest.raises(ValueError):  # noqa: PT011
            await channel.receive()
    await channel.close()


async def test_what_is_too_long_is_refused_before_it_comes(ends: tuple[Channel, Channel]) -> None:
    with pytest.raises(ValueError, match="longer than"):
        ends[0].send(Frame(MessageKind.ANSWER, 1, "x" * FRAME_BYTES))
    one, other = socket.socketpair()
    channel = await Channel.over(one)
    with other:
        other.sendall((FRAME_BYTES + 1).to_bytes(LENGTH_BYTES))
        with pytest.raises(ValueError, match="longer than"):
            await channel.receive()
    await channel.close()

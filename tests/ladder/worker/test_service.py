"""A worker behind a channel."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from ladder.errors import SandboxError
from ladder.worker.channel import Channel, Frame, MessageKind
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

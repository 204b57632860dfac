"""Messages between a coordinator and its workers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest

from ladder.worker.channel import FRAME_BYTES, LENGTH_BYTES, Channel, Frame, MessageKind

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

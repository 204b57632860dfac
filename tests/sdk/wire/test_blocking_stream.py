from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import grpc
import pytest
from grpc._cython import cygrpc  # type: ignore[attr-defined]

from pigpen.wire.blocking_stream import PARTS, BlockingStream, PartsDiffer, StreamBroke, has_parts
from pigpen.wire.messages import answer_message, hello_message
from referee.seats.clock import Stopwatch
from referee.seats.stream_seat import StreamSeat
from tests.referee.wires import open_seat, question
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import pigpen


@asynccontextmanager
async def seated(folder: Path, welcome: pigpen.Welcome) -> AsyncIterator[tuple[StreamSeat, BlockingStream]]:
    """A seat and the stream of its bot, which has read its welcome."""
    async with open_seat(folder) as (seat, token):
        with BlockingStream(f"unix:{folder / 'seat.sock'}", (), hello_message(token, "test", "test")) as stream:
            first, _ = await asyncio.gather(asyncio.to_thread(stream.read), seat.welcome(welcome))
            assert first is not None
            assert first.HasField("welcome")
            yield seat, stream


async def test_messages_come_in_order_and_an_answer_arrives(tmp_path: Path, welcome: pigpen.Welcome) -> None:
    async with seated(tmp_path, welcome) as (seat, stream):
        for decision in (1, 2):
            asking = asyncio.ensure_future(seat.ask(question(decision), Stopwatch(PATIENCE)))
            message = await asyncio.to_thread(stream.read)
            assert message is not None
            assert message.request.decision == decision
            stream.write(answer_message(question(decision), question().legal[-1]))
            assert await asking == question().legal[-1]


async def test_a_stream_that_the_referee_ends_well_has_no_further_message(
    tmp_path: Path, welcome: pigpen.Welcome
) -> None:
    async with seated(tmp_path, welcome) as (seat, stream):
        await seat.close()
        assert await asyncio.to_thread(stream.read) is None
        stream.done_writing()
        assert stream.read() is None


async def test_a_broken_stream_says_so_at_each_reading_and_at_no_writing(
    tmp_path: Path, welcome: pigpen.Welcome
) -> None:
    async with seated(tmp_path, welcome) as (seat, stream):
        await seat._server.stop(None)
        for _ in range(2):
            stream.write(answer_message(question(), None))
            with pytest.raises(StreamBroke):
                await asyncio.to_thread(stream.read)


async def test_a_refusal_has_the_reason(tmp_path: Path) -> None:
    async with open_seat(tmp_path):
        stream = BlockingStream(f"unix:{tmp_path / 'seat.sock'}", (), hello_message("0" * 32, "test", "test"))
        with stream, pytest.raises(StreamBroke, match="not the token of") as broke:
            await asyncio.to_thread(stream.read)
    assert broke.value.code is grpc.StatusCode.UNAUTHENTICATED


async def test_leaving_closes_the_connection_whatever_is_under_way(tmp_path: Path, welcome: pigpen.Welcome) -> None:
    async with seated(tmp_path, welcome) as (seat, stream):
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await asyncio.to_thread(stream.read)
        stream.write(answer_message(question(), question().legal[0]))
        await asking
        stream.__exit__()
        await comes(lambda: seat.has_left, "the end of the stream")


def test_a_stream_to_nobody_breaks(tmp_path: Path) -> None:
    stream = BlockingStream(f"unix:{tmp_path / 'nobody.sock'}", (), hello_message("", "test", "test"))
    with stream, pytest.raises(StreamBroke, match="failed to connect") as broke:
        stream.read()
    assert broke.value.code is grpc.StatusCode.UNAVAILABLE


def test_a_version_of_grpcio_that_lacks_a_part_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_parts()
    for part in PARTS:
        with monkeypatch.context() as without:
            without.delattr(cygrpc, part.split(".")[0])
            assert not has_parts()


def test_a_version_of_grpcio_that_takes_other_arguments_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cygrpc, "Channel", lambda target, arguments, credentials, more: None)
    with pytest.raises(PartsDiffer):
        BlockingStream(f"unix:{tmp_path / 'seat.sock'}", (), hello_message("token", "test", "test"))

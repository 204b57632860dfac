"""Ends of a seat over the wire: floods, absence, and the referee's own failures."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import grpc
import pytest

from pigpen import DealResult
from pigpen.v1.referee_pb2 import Answer, BotMessage
from referee.seats import seat_server
from referee.seats.clock import Stopwatch
from referee.seats.deadlines import Deadlines
from referee.seats.seat_server import OPTIONS, SeatServer
from referee.seats.stream_seat import MAX_STREAMS, MAX_UNASKED, StreamSeat
from referee.seats.verdict import Exit, SeatBroken, SeatFailure, Verdict
from tests.referee.attacks import PREFACE
from tests.referee.scripted_seats import RecordingController
from tests.referee.wires import RawBot, open_seat, question, raw_bot
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pigpen import Welcome

SHORT = 0.05
"""A limit that is over soon."""
DEAL = DealResult(0, 0, (0,) * 4, (0,) * 4)
EMPTY_SETTINGS = b"\0\0\0\x04\0\0\0\0\0"
"""A frame of HTTP/2 that asks for an answer."""


async def break_stream(seat: StreamSeat, folder: Path, token: str, welcome: Welcome) -> None:
    """Let a bot take its seat and hang up."""
    async with raw_bot(folder, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        bot.hang_up()


async def has_ended(reader: asyncio.StreamReader) -> bool:
    """Read for a moment; whether the other end has closed."""
    try:
        async with asyncio.timeout(0.01):
            return not await reader.read(65536)
    except TimeoutError:
        return False


async def no_stream(*_: object) -> None:
    raise AssertionError("a stream was opened")


async def flood(bot: RawBot, count: int) -> None:
    for _ in range(count):
        await bot.send(BotMessage(answer=Answer(decision=99, card=1)))


async def answers(socket: Path) -> None:
    """
    Open a connection and wait until the referee greets.

    It closes one at once while it has four, those included of which it does not know yet that they are closed.
    """
    greeting = b""
    async with asyncio.timeout(PATIENCE):
        while not greeting:
            reader, writer = await asyncio.open_unix_connection(socket)
            with contextlib.suppress(ConnectionError):
                writer.write(PREFACE)
                greeting = await reader.read(1)
            writer.close()


@contextlib.asynccontextmanager
async def jammed(folder: Path) -> AsyncIterator[None]:
    """A connection over which the referee can neither send nor read any more."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.setblocking(False)
        connection.connect(str(folder / "seat.sock"))
        connection.send(PREFACE)
        looks = 0
        while looks < 3:  # each look is an answer of the referee on another connection: it has had time to read
            try:
                connection.send(EMPTY_SETTINGS * 10_000)
                looks = 0
            except BlockingIOError:
                await answers(folder / "seat.sock")
                looks += 1
        yield


@pytest.fixture
def unwatched(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bytes are too many: a bot that jams a connection keeps its seat as long as no look has found it."""
    monkeypatch.setattr(seat_server, "MAX_UNREAD", 2**30)


@pytest.mark.usefixtures("unwatched")
async def test_a_bot_that_does_not_read_cannot_keep_its_seat_open(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), jammed(tmp_path), raw_bot(tmp_path, token):
        await seat.welcome(welcome)
        async with asyncio.timeout(PATIENCE):
            await seat.close()


@pytest.mark.usefixtures("unwatched")
async def test_a_bot_that_leaves_a_connection_jammed_has_a_socket_to_come_back_to(
    tmp_path: Path, welcome: Welcome
) -> None:
    async with open_seat(tmp_path) as (seat, token), jammed(tmp_path):
        await break_stream(seat, tmp_path, token, welcome)
        asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await comes((tmp_path / "seat.sock").exists)
        async with raw_bot(tmp_path, token) as again:
            await again.receive()
            await again.answer(await again.receive())
            assert await asked == question().legal[0]


async def test_a_flood_of_messages_costs_the_seat_and_the_bot_hears_why(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.receive()
        await flood(bot, MAX_UNASKED + 2)  # the first one counts as the answer that was asked for
        with pytest.raises(SeatFailure, match=f"{MAX_UNASKED} messages") as failure:
            await asked
        assert failure.value.verdict is Verdict.GONE
        code, text = await bot.status()
        assert code is grpc.StatusCode.FAILED_PRECONDITION
        assert text == str(failure.value)
        assert not (tmp_path / "seat.sock").exists()


async def test_a_bot_that_sends_as_much_as_it_may_plays_on(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        await flood(bot, MAX_UNASKED)
        asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.answer(await bot.receive())
        assert await asked == question().legal[0]


async def test_a_bot_that_is_always_late_is_never_thrown_out(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        for number in range(1, 2 * MAX_UNASKED):
            asked = asyncio.ensure_future(seat.ask(question(number), Stopwatch(PATIENCE)))
            await bot.receive()
            await seat.notify(DEAL)  # waits for the question to be sent: gRPC knows of that later than the bot
            await bot.receive()
            asked.cancel()  # as its deadline would
            await asyncio.wait((asked,))
        for number in range(1, 2 * MAX_UNASKED):
            await bot.send(BotMessage(answer=Answer(decision=number, card=1)))
        asked = asyncio.ensure_future(seat.ask(question(1000), Stopwatch(PATIENCE)))
        await bot.answer(await bot.receive())
        assert await asked == question().legal[0]


async def test_the_clock_runs_on_while_a_bot_is_away_and_it_may_still_come_back(
    tmp_path: Path, welcome: Welcome
) -> None:
    async with open_seat(tmp_path) as (seat, token):
        await break_stream(seat, tmp_path, token, welcome)
        with pytest.raises(SeatFailure) as failure:
            await seat.ask(question(), Stopwatch(SHORT))
        assert failure.value.verdict is Verdict.TIMEOUT
        await comes((tmp_path / "seat.sock").exists)
        async with raw_bot(tmp_path, token) as again:
            assert (await again.receive()).welcome.format == "deals:1"
            asked = asyncio.ensure_future(seat.ask(question(2), Stopwatch(PATIENCE)))
            request = await again.receive()
            assert request.request.decision == 2
            await again.answer(request)
            assert await asked == question().legal[0]


async def test_a_bot_without_its_stream_rests_too_and_its_time_to_come_back_with_it(
    tmp_path: Path, welcome: Welcome
) -> None:
    controller = RecordingController()
    async with open_seat(tmp_path, Deadlines(reconnect=SHORT)) as (seat, token):
        seat.attach_controller(controller)
        seat.freeze()
        await break_stream(seat, tmp_path, token, welcome)
        await comes(lambda: seat._reconnect.is_open)
        await asyncio.sleep(SHORT)  # timers of a loop fire in their order: the time to come back would be over now
        async with raw_bot(tmp_path, token) as again:
            await again.receive()
            assert controller.done == ["freeze", "seated"]
            asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
            await again.answer(await again.receive())
            assert await asked == question().legal[0]
            assert controller.done == ["freeze", "seated", "mark 1", "thaw"]


async def test_the_time_to_come_back_begins_when_a_bot_that_rested_is_asked(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path, Deadlines(reconnect=SHORT)) as (seat, token):
        seat.freeze()
        await break_stream(seat, tmp_path, token, welcome)
        await comes((tmp_path / "seat.sock").exists)
        with pytest.raises(SeatFailure, match="not come back") as failure:
            await seat.ask(question(), Stopwatch(PATIENCE))
        assert failure.value.verdict is Verdict.GONE


async def test_a_bot_that_is_thrown_out_before_it_is_kept_is_held(tmp_path: Path) -> None:
    controller = RecordingController()
    async with open_seat(tmp_path) as (seat, _):
        seat.lose("a flood")
        seat.attach_controller(controller)
        assert controller.done == ["freeze"]


async def test_a_bot_that_breaks_its_stream_again_and_again_is_thrown_out(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token):
        asked = None
        for _ in range(MAX_STREAMS):
            await comes((tmp_path / "seat.sock").exists)
            await break_stream(seat, tmp_path, token, welcome)
            asked = asked or asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await comes((tmp_path / "seat.sock").exists)
        async with raw_bot(tmp_path) as bot:  # it is refused before it could say anything
            text = "it opened more than 16 streams in one match"
            assert await bot.status() == (grpc.StatusCode.FAILED_PRECONDITION, text)
        assert asked
        with pytest.raises(SeatFailure, match=text) as failure:
            await asked
        assert failure.value.verdict is Verdict.GONE


async def test_streams_that_are_refused_count_too(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, _):
        for _ in range(MAX_STREAMS):
            async with raw_bot(tmp_path) as stranger:
                await stranger.hello("wrong")
                assert (await stranger.status())[0] is grpc.StatusCode.UNAUTHENTICATED
        async with raw_bot(tmp_path) as bot:
            assert (await bot.status())[0] is grpc.StatusCode.FAILED_PRECONDITION
        with pytest.raises(SeatFailure, match="more than 16 streams") as failure:
            await seat.welcome(welcome)
        assert failure.value.verdict is Verdict.ABSENT


async def test_a_connection_without_a_stream_is_closed_however_busy_it_is(tmp_path: Path) -> None:
    idle = "grpc.max_connection_idle_ms"
    assert idle in dict(OPTIONS)
    server = SeatServer(tmp_path / "seat.sock", no_stream, no_stream, [*(dict(OPTIONS) | {idle: 100}).items()])
    await server.listen()
    async with asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_unix_connection(server.socket)
        writer.write(PREFACE)
        with contextlib.suppress(ConnectionError):
            while not await has_ended(reader):
                writer.write(EMPTY_SETTINGS)
                await writer.drain()
        writer.close()
    await server.stop(None)


async def test_a_seat_that_cannot_be_opened_again_is_the_referees_failure(tmp_path: Path, welcome: Welcome) -> None:
    folder = tmp_path / "seat"
    folder.mkdir()
    async with open_seat(folder) as (seat, token), raw_bot(folder, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.receive()
        shutil.rmtree(folder)
        bot.hang_up()
        with pytest.raises(SeatBroken, match=r"seat\.sock cannot be made: ") as broken:
            await asked
        with pytest.raises(SeatBroken) as again:
            await seat.ask(question(2), Stopwatch(PATIENCE))
        assert str(again.value) == str(broken.value)


async def test_a_socket_that_is_removed_while_a_bot_may_come_back_is_the_referees_failure(
    tmp_path: Path, welcome: Welcome
) -> None:
    async with open_seat(tmp_path, Deadlines(reconnect=SHORT)) as (seat, token):
        seat.freeze()  # the time to come back begins with the question
        await break_stream(seat, tmp_path, token, welcome)
        await comes((tmp_path / "seat.sock").exists)
        (tmp_path / "seat.sock").unlink()
        with pytest.raises(SeatBroken, match=r"seat\.sock was removed"):
            await seat.ask(question(), Stopwatch(PATIENCE))


async def test_a_program_that_ends_because_its_socket_was_removed_is_not_at_fault(
    tmp_path: Path, welcome: Welcome
) -> None:
    async with open_seat(tmp_path) as (seat, _):
        coming = asyncio.ensure_future(seat.welcome(welcome))
        (tmp_path / "seat.sock").unlink()
        seat.lose("its program ended", Exit(2))
        with pytest.raises(SeatBroken, match=r"seat\.sock was removed"):
            await coming


async def test_a_socket_that_is_removed_before_the_bot_came_is_the_referees_failure(
    tmp_path: Path, welcome: Welcome
) -> None:
    async with open_seat(tmp_path) as (seat, _):
        (tmp_path / "seat.sock").unlink()
        with pytest.raises(SeatBroken, match=r"seat\.sock was removed"):
            await seat.welcome(hurried(welcome))


async def test_a_path_too_long_for_a_socket_is_named_with_the_way_out(tmp_path: Path) -> None:
    folder = tmp_path / ("d" * 100)
    folder.mkdir()
    with pytest.raises(SeatBroken, match="107 characters, set TMPDIR"):
        await StreamSeat(folder / "seat.sock", "token").listen()


async def test_a_program_that_ended_is_told_apart_from_one_that_left(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, _):
        seat.lose(str(Exit(3)), Exit(3))
        with pytest.raises(SeatFailure) as absent:
            await seat.welcome(welcome)
        assert (absent.value.verdict, absent.value.end) == (Verdict.ABSENT, Exit(3))
        with pytest.raises(SeatFailure) as gone:
            await seat.ask(question(), Stopwatch(PATIENCE))
        assert (gone.value.verdict, gone.value.end) == (Verdict.GONE, Exit(3))


def hurried(welcome: Welcome) -> Welcome:
    return replace(welcome, clock=replace(welcome.clock, start_up=SHORT))

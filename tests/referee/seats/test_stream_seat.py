"""The seat of a bot over its stream: questions, answers, traffic, and ends."""

from __future__ import annotations

import asyncio
import re
import stat
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from pigpen import ClockSetting, DealResult, MatchResult, Welcome
from pigpen.v1.referee_pb2 import Answer, BotMessage, ExposeAction, Hello, RefereeMessage
from pigpen.wire.messages import MAX_BYTES, PROTOCOL, hello_message, too_long, view_of
from referee.match.player import ask_in_time
from referee.seats.clock import Stopwatch
from referee.seats.deadlines import Deadlines
from referee.seats.process_controller import EXCESS_CPU_SECONDS
from referee.seats.seat_server import BREAK_SECONDS, READABLE_BYTES, SeatServer, new_token, other_protocol
from referee.seats.stream_seat import MAX_STREAMS, MAX_UNASKED, PendingQuestion, Traffic
from referee.seats.verdict import Exit, SeatFailure, Verdict
from tests.referee.scripted_seats import RecordingController
from tests.referee.wires import RULES, RawBot, open_seat, question, raw_bot
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from pathlib import Path

WATCH: Any = None


class Asking:
    """A task that puts a question and waits for its answer; what it found when it was cancelled."""

    def __init__(self) -> None:
        self.expired: bool | None = None
        self.task = asyncio.ensure_future(self._ask())

    async def _ask(self) -> None:
        self.question = PendingQuestion(1, RefereeMessage(), WATCH)
        try:
            await self.question.answer
        except asyncio.CancelledError:
            self.expired = self.question.has_expired()
            if not self.expired:
                raise


@pytest.fixture
async def asking() -> Asking:
    asking = Asking()
    await asyncio.sleep(0)
    return asking


async def test_a_question_that_expires_ends_the_wait_and_the_task_goes_on(asking: Asking) -> None:
    asking.question.expire()
    await asking.task
    assert asking.expired
    assert not asking.task.cancelling()


async def test_a_task_that_somebody_else_cancels_is_cancelled(asking: Asking) -> None:
    asking.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking.task
    assert asking.expired is False


async def test_so_is_one_whose_question_expires_at_the_same_moment(asking: Asking) -> None:
    asking.question.expire()
    asking.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking.task
    assert asking.expired is False


SHORT = 0.05
"""A limit that is over soon."""


async def test_a_bot_with_the_token_gets_its_welcome_and_its_questions(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        assert (await bot.receive()).welcome.format == "deals:1"
        asked = asyncio.ensure_future(seat.ask(replace(question(), last_took=0.25, last_cpu=0.2), Stopwatch(PATIENCE)))
        request = await bot.receive()
        assert view_of(request.request, RULES) == question()
        assert request.request.last_took.ToMilliseconds() == 250
        assert request.request.last_cpu.ToMilliseconds() == 200
        await bot.answer(request)
        assert await asked == question().legal[0]


async def test_the_socket_is_there_for_everyone_until_the_bot_has_come_and_then_gone(
    tmp_path: Path, welcome: Welcome
) -> None:
    async with open_seat(tmp_path) as (seat, token):
        socket = tmp_path / "seat.sock"
        assert stat.S_IMODE(socket.stat().st_mode) == 0o666
        async with raw_bot(tmp_path, token):
            await seat.welcome(welcome)
            assert not socket.exists()


@pytest.mark.parametrize("token", ["x", "0" * 32, ""])
async def test_a_wrong_token_is_refused(tmp_path: Path, token: str) -> None:
    async with open_seat(tmp_path), raw_bot(tmp_path) as bot:
        await bot.hello(token)
        code, text = await bot.status()
        assert code is grpc.StatusCode.UNAUTHENTICATED
        assert "hello.token has to be PIGPEN_TOKEN" in text


@pytest.mark.parametrize("protocol", [0, 2])
async def test_another_protocol_is_refused_in_words(tmp_path: Path, protocol: int) -> None:
    async with open_seat(tmp_path) as (_, token), raw_bot(tmp_path) as bot:
        await bot.send(BotMessage(hello=Hello(protocol=protocol, token=token)))
        code, text = await bot.status()
        assert code is grpc.StatusCode.FAILED_PRECONDITION
        assert text == other_protocol(PROTOCOL, protocol)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (b"\xff\xff\xff", "cannot be read"),
        (BotMessage(answer=Answer(decision=1, card=3)), "is not a Hello"),
        (BotMessage(), "is not a Hello"),
    ],
)
async def test_a_stream_that_does_not_begin_with_hello_is_refused(
    tmp_path: Path, first: BotMessage | bytes, why: str
) -> None:
    async with open_seat(tmp_path), raw_bot(tmp_path) as bot:
        await bot.send(first)
        way_out = "send BotMessage.hello as soon as the stream is open (see docs/protocol.md)"
        assert await bot.status() == (grpc.StatusCode.INVALID_ARGUMENT, f"the first message {why}: {way_out}")


async def test_a_stream_that_says_nothing_is_ended(tmp_path: Path) -> None:
    async with open_seat(tmp_path, Deadlines(hello=SHORT)), raw_bot(tmp_path) as bot:
        assert (await bot.status())[0] is grpc.StatusCode.DEADLINE_EXCEEDED


async def test_a_second_stream_with_the_same_token_is_refused(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), grpc.aio.insecure_channel(f"unix:{tmp_path}/seat.sock") as channel:
        first, second = RawBot(channel), RawBot(channel)
        await first.hello(token)
        await seat.welcome(welcome)
        await first.receive()
        await second.hello(token)
        assert await second.status() == (grpc.StatusCode.ALREADY_EXISTS, "the seat is taken")


async def test_nobody_who_comes_in_time_is_an_absent_bot(tmp_path: Path) -> None:
    async with open_seat(tmp_path) as (seat, _):
        hurried = Welcome(RULES, 0, "deals:1", ClockSetting(60.0, 0.1, 1.0, start_up=SHORT))
        with pytest.raises(SeatFailure, match=r"its seat within 0\.05 s") as failure:
            await seat.welcome(hurried)
        assert failure.value.verdict is Verdict.ABSENT


async def test_a_program_that_ends_before_it_comes_is_not_waited_for(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, _):
        seat.lose(str(Exit(1)))
        with pytest.raises(SeatFailure, match=re.escape(str(Exit(1)))):
            await seat.welcome(welcome)


async def test_no_answer_is_a_timeout(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token):
        await seat.welcome(welcome)
        with pytest.raises(SeatFailure) as failure:
            await seat.ask(question(), Stopwatch(SHORT))
        assert failure.value.verdict is Verdict.TIMEOUT


async def test_an_answer_to_an_old_decision_is_dropped(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        asked = asyncio.ensure_future(seat.ask(question(1), Stopwatch(PATIENCE)))
        late = await bot.receive()
        await seat.notify(DealResult(0, 0, (0,) * 4, (0,) * 4))  # waits for the question to be sent
        await bot.receive()
        asked.cancel()  # as its deadline would
        await asyncio.wait((asked,))
        asked = asyncio.ensure_future(seat.ask(question(2), Stopwatch(PATIENCE)))
        request = await bot.receive()
        await bot.answer(late, card=51)
        await bot.answer(request)
        assert await asked == question().legal[0]


async def test_an_answer_that_was_not_asked_for_is_dropped(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await bot.send(BotMessage(answer=Answer(decision=1, card=51)))
        await seat.welcome(welcome)
        await bot.receive()
        asked = asyncio.ensure_future(seat.ask(question(2), Stopwatch(PATIENCE)))
        await bot.answer(await bot.receive())
        assert await asked == question().legal[0]


@pytest.mark.parametrize(
    "reply",
    [
        b"\xff\xff\xff",
        b"",
        BotMessage(hello=Hello(protocol=1)),
        BotMessage(answer=Answer(decision=1)),
        BotMessage(answer=Answer(decision=1, card=52)),
        BotMessage(answer=Answer(decision=1, card=2**32 - 1)),
        BotMessage(answer=Answer(decision=1, moon=1)),  # type: ignore[arg-type]
        BotMessage(answer=Answer(decision=1, expose=ExposeAction())),
    ],
)
async def test_what_is_no_answer_is_malformed(tmp_path: Path, welcome: Welcome, reply: BotMessage | bytes) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.receive()
        await bot.send(reply)
        with pytest.raises(SeatFailure) as failure:
            await asked
        assert failure.value.verdict is Verdict.MALFORMED


def padded(message: BotMessage, size: int) -> bytes:
    """A message with an unknown field, so that it has *size* bytes."""
    data = message.SerializeToString()
    left = size - len(data) - 5  # the field's number and type take 2 bytes, its length 3
    return data + b"\xca>" + bytes((left & 127 | 128, left >> 7 & 127 | 128, left >> 14)) + b"x" * left


@pytest.mark.parametrize("size", [MAX_BYTES - 1, MAX_BYTES, MAX_BYTES + 1, READABLE_BYTES])
async def test_a_message_that_is_too_long_is_called_so(tmp_path: Path, welcome: Welcome, size: int) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        asking = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.receive()
        request = await bot.receive()
        answer = BotMessage(answer=Answer(decision=request.request.decision, card=request.request.view.legal[0]))
        data = padded(answer, size)
        assert len(data) == size
        await bot.send(data)
        if size <= MAX_BYTES:
            assert await asking == question().legal[0]
            return
        with pytest.raises(SeatFailure, match=too_long(size)) as failure:
            await asking
        assert failure.value.verdict is Verdict.MALFORMED


@pytest.mark.parametrize("size", [MAX_BYTES + 1, READABLE_BYTES])
async def test_a_first_message_that_is_too_long_is_called_so(tmp_path: Path, size: int) -> None:
    async with open_seat(tmp_path) as (_, token), raw_bot(tmp_path) as bot:
        await bot.send(padded(hello_message(token, "raw", "test"), size))
        code, details = await bot.status()
        assert (code, too_long(size) in details) == (grpc.StatusCode.INVALID_ARGUMENT, True)


async def test_a_bot_that_comes_back_is_welcomed_and_asked_again(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token):
        async with raw_bot(tmp_path, token) as bot:
            await seat.welcome(welcome)
            await bot.receive()
            asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
            before = await bot.receive()
            bot.hang_up()
        await comes((tmp_path / "seat.sock").exists)
        async with raw_bot(tmp_path, token) as again:
            assert (await again.receive()).welcome.format == "deals:1"
            request = await again.receive()
            assert request == before
            await again.answer(request)
            assert await asked == question().legal[0]


async def test_a_bot_that_stays_away_is_gone(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path, Deadlines(reconnect=SHORT)) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.receive()
        bot.hang_up()
        with pytest.raises(SeatFailure, match=r"its stream broke, .* 0\.05 s") as failure:
            await asked
        assert failure.value.verdict is Verdict.GONE
        with pytest.raises(SeatFailure):
            await seat.ask(question(2), Stopwatch(PATIENCE))


async def test_a_program_that_ends_during_its_turn_is_gone_at_once(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        asked = asyncio.ensure_future(seat.ask(question(), Stopwatch(PATIENCE)))
        await bot.receive()
        seat.lose("its program ended with exit code 137")
        with pytest.raises(SeatFailure, match="exit code 137"):
            await asked


async def test_a_notice_reaches_the_bot(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        await seat.notify(DealResult(3, 0, (1, 2, 3, 20), (5, 6, 7, 8)))
        assert list((await bot.receive()).deal_over.scores) == [1, 2, 3, 20]


async def test_closing_leaves_no_socket_and_ends_the_stream(tmp_path: Path, welcome: Welcome) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        seat.lose("it is over")
        await seat.close()
        assert (await bot.status())[0] is not grpc.StatusCode.OK
        assert list(tmp_path.iterdir()) == []


async def test_closing_again_waits_for_a_server_that_stops_slowly(
    tmp_path: Path, welcome: Welcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first time a bot could hold it up; the second time its program has ended, and only the machine is slow."""
    may_stop, stopped = asyncio.Event(), asyncio.Event()
    kind = type(grpc.aio.server())
    stop = kind.stop

    async def stop_slowly(server: grpc.aio.Server, grace: float | None) -> None:
        await may_stop.wait()
        await stop(server, grace)
        stopped.set()

    monkeypatch.setattr(kind, "stop", stop_slowly)
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        seat.lose("it is over")
        await seat.close()
        assert not stopped.is_set()
        asyncio.get_running_loop().call_later(2 * BREAK_SECONDS, may_stop.set)
        await seat.close()
        assert stopped.is_set()


def test_a_token_is_128_random_bits() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(bytes.fromhex(token)) for token in tokens} == {16}


async def test_after_the_match_the_stream_ends_well_even_for_a_bot_that_only_listens(
    tmp_path: Path, welcome: Welcome
) -> None:
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        await seat.notify(MatchResult(1, 0.0))
        await seat.close()
        assert (await bot.receive()).match_over.place == 1
        assert (await bot.status())[0] is grpc.StatusCode.OK


async def test_a_bot_that_ends_its_stream_gets_the_status_before_its_connection_ends(
    tmp_path: Path, welcome: Welcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that stops without grace may end the connection before the status has been written to it."""
    graces: list[float | None] = []
    stop = SeatServer.stop

    async def stopped(server: SeatServer, grace: float | None, patience: float = BREAK_SECONDS) -> None:
        graces.append(grace)
        await stop(server, grace, patience)

    monkeypatch.setattr(SeatServer, "stop", stopped)
    deadlines = Deadlines(reconnect=PATIENCE, farewell=PATIENCE)
    async with open_seat(tmp_path, deadlines) as (seat, token), raw_bot(tmp_path, token) as bot:
        await seat.welcome(welcome)
        await bot.receive()
        await bot.done()
        assert (await bot.status())[0] is grpc.StatusCode.OK
        await comes((tmp_path / "seat.sock").exists)
        assert graces == [PATIENCE]


async def test_a_decision_reads_the_programs_clock_twice(tmp_path: Path, welcome: Welcome) -> None:
    controller = RecordingController()
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        seat.attach_controller(controller)
        await seat.welcome(welcome)
        await bot.receive()
        before = controller.reads
        watch = Stopwatch(PATIENCE, seat.cpu_time)
        asked = asyncio.ensure_future(ask_in_time(seat, question(), watch))
        await bot.answer(await bot.receive())
        assert await asked == question().legal[0]
        assert watch.rated < PATIENCE
        assert controller.reads == before + 2


async def test_a_program_that_worked_unasked_is_held_when_it_has_answered(tmp_path: Path, welcome: Welcome) -> None:
    controller = RecordingController()
    async with open_seat(tmp_path) as (seat, token), raw_bot(tmp_path, token) as bot:
        seat.attach_controller(controller)
        await seat.welcome(welcome)
        await bot.receive()
        for number in (1, 2):
            asked = asyncio.ensure_future(seat.ask(question(number), Stopwatch(PATIENCE, seat.cpu_time)))
            await bot.answer(await bot.receive())
            await asked
            assert controller.used is not None
            controller.used += 2 * EXCESS_CPU_SECONDS
        assert controller.done == ["seated", "mark 1", "mark 2", "freeze"]


def test_a_bot_that_answers_every_question_late_never_sends_too_much() -> None:
    traffic = Traffic()
    for _ in range(10 * MAX_UNASKED):
        traffic.question()
    for _ in range(10 * MAX_UNASKED):
        traffic.message()
    assert traffic.excess == ""


def test_a_few_messages_too_many_are_nothing() -> None:
    traffic = Traffic()
    for _ in range(MAX_UNASKED):
        traffic.message()
    assert traffic.excess == ""
    traffic.message()
    assert f"{MAX_UNASKED} messages" in traffic.excess


def test_two_answers_to_every_question_are_too_much_in_the_end() -> None:
    traffic = Traffic()
    for _ in range(MAX_UNASKED):
        traffic.question()
        traffic.message()
        traffic.message()
    assert traffic.excess == ""
    traffic.message()
    assert traffic.excess


def test_streams_are_counted_too() -> None:
    traffic = Traffic()
    for _ in range(MAX_STREAMS):
        traffic.stream()
    assert traffic.excess == ""
    traffic.stream()
    assert f"{MAX_STREAMS} streams" in traffic.excess

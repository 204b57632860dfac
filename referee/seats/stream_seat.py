"""
Seat that a bot takes over gRPC: one Unix socket, one token, one stream at a time.

A question that has not been answered yet is a `PendingQuestion`. `Traffic` limits messages and reconnections: a flood
costs the referee time that no clock measures.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from google.protobuf.message import DecodeError

from pigpen.v1.referee_pb2 import Answer, BotMessage
from pigpen.values.notices import MatchResult
from pigpen.wire.messages import (
    MAX_BYTES,
    MalformedMessage,
    action_of,
    notice_message,
    request_message,
    too_long,
    welcome_message,
)
from pigpen.wire.transport import grpc
from referee.seats.deadlines import DEADLINES, ReconnectWindow
from referee.seats.fair_wait import FairTime, LazyTimer, wait_fairly
from referee.seats.process_controller import FreezePolicy, NoController
from referee.seats.seat_server import BREAK_SECONDS, ENDED_SECONDS, SeatServer, Stream, check_hello, refuse
from referee.seats.verdict import SeatBroken, SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pigpen.rules import Action
    from pigpen.v1.referee_pb2 import RefereeMessage
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View
    from referee.seats.clock import Stopwatch
    from referee.seats.deadlines import Deadlines
    from referee.seats.fair_wait import Witness
    from referee.seats.process_controller import ProcessController
    from referee.seats.seat_server import Context
    from referee.seats.verdict import Exit


class PendingQuestion:
    """
    A request and the answer to it.

    It ends the wait for itself: `asyncio.timeout` would take a twentieth of the time of a whole decision.

    Attributes:
        message: The request; a bot that reconnects gets the same one again.
        watch: Runs since the question was sent.
        answer: The bot's answer, once it is there; or why none will come.
    """

    def __init__(self, decision: int, message: RefereeMessage, watch: Stopwatch) -> None:
        self.message = message
        self.watch = watch
        loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Answer] = loop.create_future()
        self._decision = decision
        self._asker = asyncio.current_task(loop)
        self._expired = False

    def receive(self, data: bytes) -> None:
        """Take one message of the bot; an answer to another question is dropped."""
        if self.answer.done():
            return
        if len(data) > MAX_BYTES:
            self.answer.set_exception(MalformedMessage(too_long(len(data))))
            return
        try:
            message = BotMessage.FromString(data)
        except DecodeError:
            self.answer.set_exception(MalformedMessage("the message cannot be read as a BotMessage"))
            return
        if message.WhichOneof("body") != "answer":
            self.answer.set_exception(MalformedMessage("the message is not an Answer"))
        elif message.answer.decision == self._decision:
            self.answer.set_result(message.answer)

    def give_up(self, failure: Exception) -> None:
        """Give up: no answer will come."""
        if not self.answer.done():
            self.answer.set_exception(failure)

    def expire(self) -> None:
        """End the wait: the task that made this question waits no longer, not even for the question to be sent."""
        assert self._asker is not None
        self._expired = True
        self._asker.cancel()

    def has_expired(self) -> bool:
        """Tell whether that is why its task has been cancelled, and the only reason."""
        return self._expired and self._asker is not None and not self._asker.uncancel()

    def close(self) -> None:
        """Mark the failure as seen: asyncio warns of one that came while the question itself was still being sent."""
        if not self.answer.cancel() and not self.answer.cancelled():
            self.answer.exception()


MAX_UNASKED = 64
"""Messages that a seat takes in a match beyond one for each time that a question was put."""
MAX_STREAMS = 16
"""Streams that a bot may open to its seat in a match, refused ones included."""


class Traffic:
    """
    Counts the messages and streams that come to one seat, without Hellos.

    A late answer was asked for once, so an honest bot never reaches the limit, however slow it is.
    """

    def __init__(self, max_unasked: int = MAX_UNASKED, max_streams: int = MAX_STREAMS) -> None:
        self._max_unasked = max_unasked
        self._max_streams = max_streams
        self._unasked = 0
        self._streams = 0

    def question(self) -> None:
        """Note that a question is put, or put again on a new stream."""
        self._unasked -= 1

    def message(self) -> None:
        """Note that a message has come."""
        self._unasked += 1

    def stream(self) -> None:
        """Note that a stream has been opened."""
        self._streams += 1

    @property
    def excess(self) -> str:
        """The excess of the bot, in words; empty while there is none."""
        if self._unasked > self._max_unasked:
            return f"it sent more than {self._max_unasked} messages that were not asked for"
        if self._streams > self._max_streams:
            return f"it opened more than {self._max_streams} streams in one match"
        return ""


CHECK_SECONDS = 0.001
"""The least seconds from one reading of a bot's CPU time to the next."""

_NOT_READING = "it does not read what the referee sends"


class StreamSeat:
    """
    The referee's end of one seat that a bot plays over gRPC.

    The socket exists only while the seat waits for its bot: it is removed as soon as the bot has sent its token, and
    made again when the stream breaks. If the bot reconnects while a question is open, it gets the question again; the
    clock has not stopped meanwhile.
    """

    def __init__(self, socket: Path, token: str, deadlines: Deadlines = DEADLINES) -> None:
        self._token = token
        self._deadlines = deadlines
        self._server = SeatServer(socket, self._play, self._flooded)
        self._reconnect = ReconnectWindow(
            self._server, self._give_up, lambda: not self._freeze_policy.is_frozen, deadlines.reconnect
        )
        self._stream = Stream()
        self._traffic = Traffic()
        self._welcome: RefereeMessage | None = None
        self._question: PendingQuestion | None = None
        self._timer = LazyTimer(self._check_time)
        self.taken = asyncio.Event()
        """Set when its bot has come."""
        self._failure: asyncio.Future[SeatFailure | SeatBroken] = asyncio.get_running_loop().create_future()
        self._serving: asyncio.Task[object] | None = None
        self._closed = False
        self.has_left = True
        """True if the bot had no stream when that was noted last, before it got the end of the match."""
        self.is_over = False
        """True once the bot has got the end of the match."""
        self._witness: Witness | None = None
        self._controller: ProcessController = NoController()
        self._freeze_policy = FreezePolicy(self._controller)

    # Called by the match: the methods of `Seat`.

    async def welcome(self, welcome: Welcome) -> None:
        """Wait for the bot to take its seat."""
        budget = welcome.clock.start_up
        if not await self._is_taken(welcome):
            self._reconnect.timed_out(f"it did not take its seat within {budget:g} s")
            failure = self._failure.result()
            if isinstance(failure, SeatBroken):
                raise failure
            raise SeatFailure(Verdict.ABSENT, failure.message, failure.end)

    async def _is_taken(self, welcome: Welcome) -> bool:
        """Wait until the bot has taken the seat, or cannot in time any more, and say whether it has."""
        self._welcome = welcome_message(welcome)
        await self._notify(self._welcome)
        await self.wait_for(self.taken, welcome.clock.start_up)
        return self.taken.is_set()

    async def wait_for(self, event: asyncio.Event, seconds: float) -> None:
        """
        Wait until the program has brought an *event* about, its seat is lost, or it has had *seconds* of fair time.

        Raises:
            SeatBroken: If the machine is too busy to tell whether it ever will.
        """
        happens = asyncio.ensure_future(event.wait())
        try:
            await self.wait_fairly((happens, self._failure), seconds)
        finally:
            happens.cancel()

    async def wait_fairly(self, done: Iterable[asyncio.Future[Any]], seconds: float) -> None:
        """Do the same until one of *done* is done (`referee.seats.fair_wait`)."""
        await wait_fairly(done, FairTime(seconds, self.cpu_time), self._witness)

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        """Send the question and wait for the answer, on this stream or the next one."""
        if self._failure.done():
            raise self._failure.result()
        question = self._question = PendingQuestion(view.decision, request_message(view), watch)
        self._traffic.question()
        self._freeze_policy.begin(view.decision, watch.cpu_before)
        self._reconnect.update_timer()
        self._timer.set(watch.sure)
        sent = False
        try:
            await self._send(question.message)
            sent = True
            return action_of(await question.answer, view.phase)
        except MalformedMessage as error:
            raise SeatFailure(Verdict.MALFORMED, str(error)) from error
        except asyncio.CancelledError:
            if not question.has_expired():
                raise
            if not sent:
                self.lose(_NOT_READING)
            raise SeatFailure(Verdict.TIMEOUT, watch.late) from None
        finally:
            self._timer.stop()
            watch.stop()
            self._freeze_policy.end(watch.cpu_after)
            self._reconnect.update_timer()
            self._question = None
            question.close()

    def cpu_time(self) -> float | None:
        """Read the seconds of CPU time that the program has used so far; None where that cannot be read."""
        return self._controller.cpu_time()

    def freeze(self) -> None:
        """Freeze the program until it is asked again, where that can be done."""
        self._freeze_policy.freeze()
        self._reconnect.update_timer()

    def freeze_if_working(self) -> None:
        """Do the same if the program has worked since it answered, or that cannot be read."""
        self._freeze_policy.freeze_if_working()
        self._reconnect.update_timer()

    async def notify(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice, if the bot is there."""
        self.is_over |= isinstance(notice, MatchResult)
        await self._notify(notice_message(notice, decision))

    async def close(self) -> None:
        """
        Let the bot close its stream, then close the seat.

        Connections that a bot keeps open by not reading end with its program; call this again after that to close them.
        """
        patience = ENDED_SECONDS if self._closed else BREAK_SECONDS
        self._closed = True
        self._timer.close()
        self._freeze_policy.match_over()
        self._reconnect.close()
        await self._reconnect.wait_for_restart()
        if self._serving:
            self._serving.cancel()
        await self._server.stop(None if self._failure.done() else self._deadlines.farewell, patience)
        self._server.hide()

    # Called by what runs the bot's program.

    async def listen(self) -> None:
        """
        Open the socket and serve the bot in the background.

        Raises:
            SeatBroken: If the socket cannot be made.
        """
        await self._server.listen()

    def attach_controller(self, controller: ProcessController) -> None:
        """Take the *controller* of the program that has been started; it freezes it and reads its CPU time."""
        self._controller = controller
        self._freeze_policy = FreezePolicy(controller)
        if self.taken.is_set():
            self._freeze_policy.seated()
        if self._failure.done():
            self._freeze_policy.seat_lost()

    def attach_witness(self, witness: Witness) -> None:
        """Take what shows how busy the machine is while the program starts."""
        self._witness = witness

    @property
    def was_taken(self) -> bool:
        """True if its bot has ever come."""
        return self.taken.is_set()

    def lose(self, reason: str, end: Exit | None = None) -> None:
        """Note that the bot will never answer again: its program has ended, or it did not reconnect in time."""
        if end is not None and not self.was_taken and not self._server.has_socket():
            self._give_up(SeatBroken(self._server.removal_message))  # a program that cannot connect ends
        else:
            self._give_up(SeatFailure(Verdict.GONE, reason, end))

    # Serving one stream.

    async def _play(self, _: object, context: Context) -> None:
        """Serve one stream."""
        self._traffic.stream()
        await self._refuse_flood(context)
        await self._check_hello(context)
        self._attach(context)
        self._serving = asyncio.current_task()
        grace = None
        try:
            await self._send_missed()
            while isinstance(data := await context.read(), bytes):
                self._traffic.message()
                if self._traffic.excess:
                    await self._refuse_flood(context)
                self._receive(data)
            grace = self._deadlines.farewell  # it has ended its stream, and waits for the status
        except asyncio.CancelledError:
            if not self._closed or self._failure.done():
                raise
            # The match is over: the stream ends well.
        finally:
            self._serving = None
            self._detach(grace)

    async def _refuse_flood(self, context: Context) -> None:
        """Disconnect a bot that floods its seat: its stream ends with the reason, and soon every connection too."""
        if excess := self._traffic.excess:
            self.lose(excess)
            if not self._closed:
                self._reconnect.restart(self._deadlines.farewell)
            await refuse(context, grpc.StatusCode.FAILED_PRECONDITION, excess)

    def _flooded(self, excess: str) -> None:
        """Disconnect a bot that floods its seat with what is no message."""
        self.lose(excess)
        if not self._closed:
            self._reconnect.restart(None)

    async def _check_hello(self, context: Context) -> None:
        """Accept only the seat's own bot, and one stream at a time."""
        await check_hello(context, self._token, self._deadlines.hello)
        if self._closed or self._failure.done():
            await refuse(context, grpc.StatusCode.FAILED_PRECONDITION, "the match is over for this seat")
        if self._stream.is_there:
            await refuse(context, grpc.StatusCode.ALREADY_EXISTS, "the seat is taken")

    def _attach(self, context: Context) -> None:
        self._stream.attach(context)
        self.has_left = False
        self._freeze_policy.seated()
        self._reconnect.connected()
        self.taken.set()

    async def _send_missed(self) -> None:
        """Begin a stream with the welcome and the open question."""
        if self._question is not None:
            self._traffic.question()
        await self._stream.begin(self._missed())

    def _missed(self) -> list[RefereeMessage]:
        return [message for message in (self._welcome, self._question and self._question.message) if message]

    def _receive(self, data: bytes) -> None:
        """Take one message of the bot; a message that answers no question is dropped."""
        if self._question is not None:
            self._question.receive(data)

    def _check_time(self) -> None:
        """End the open question if it is late. CPU time has no timer of its own, so it is read now and then."""
        if self._question is None:
            return
        left = self._question.watch.left
        if left > 0:
            self._timer.set(max(left, CHECK_SECONDS))
        else:
            self._question.expire()

    async def _send(self, message: RefereeMessage) -> None:
        await self._stream.send(message)

    async def _notify(self, message: RefereeMessage) -> None:
        """Send a message that asks for no answer; a bot that does not read it in time loses its seat."""
        if self._failure.done():
            return
        try:
            async with asyncio.timeout(self._deadlines.notice):
                await self._send(message)
        except TimeoutError:
            self.lose(_NOT_READING)

    def _detach(self, grace: float | None) -> None:
        """Note that the stream has ended, and expect the bot again; its connections end within *grace* seconds."""
        self._stream.detach()
        self.has_left = not (self.is_over or self._closed)
        if not self._closed and not self._failure.done():
            self._reconnect.restart(grace)

    def _give_up(self, failure: SeatFailure | SeatBroken) -> None:
        """Note that no answer will come from here any more; the first reason counts."""
        if not self._failure.done():
            self._failure.set_result(failure)
        self._reconnect.close()
        self._freeze_policy.seat_lost()
        if self._question is not None:
            self._question.give_up(failure)

"""A seat that a bot takes over gRPC: one Unix socket, one token, one stream at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc

from pigpen.values.notices import MatchResult
from pigpen.wire.messages import MalformedMessage, action_of, notice_message, request_message, welcome_message
from referee.seats.deadlines import DEADLINES
from referee.seats.hello import check_hello
from referee.seats.lazy_timer import LazyTimer
from referee.seats.process_controller import FreezePolicy, NoController
from referee.seats.question import PendingQuestion
from referee.seats.reconnect_window import ReconnectWindow
from referee.seats.seat_server import SeatServer
from referee.seats.stream import Stream
from referee.seats.traffic import Traffic
from referee.seats.verdict import SeatBroken, SeatFailure, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from pigpen.rules import Action
    from pigpen.v1.referee_pb2 import RefereeMessage
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View
    from referee.seats.clock import Stopwatch
    from referee.seats.deadlines import Deadlines
    from referee.seats.exit import Exit
    from referee.seats.process_controller import ProcessController
    from referee.seats.seat_server import Context

LOOK_SECONDS = 0.001
"""How long, at least, from one look at a bot's CPU time to the next."""

_DEAF = "it does not read what the referee sends"


class StreamSeat:
    """
    The referee's end of one seat.

    The socket exists only while the seat waits for its bot: it is removed as soon as the bot has shown its token,
    and made again when the stream breaks. A question that is open when the bot comes back is put again; its time
    has run on.
    """

    def __init__(self, socket: Path, token: str, deadlines: Deadlines = DEADLINES) -> None:
        self._token = token
        self._deadlines = deadlines
        self._server = SeatServer(socket, self._play)
        self._door = ReconnectWindow(self._server, self._give_up, lambda: not self._turns.is_held, deadlines.reconnect)
        self._stream = Stream()
        self._traffic = Traffic()
        self._welcome: RefereeMessage | None = None
        self._question: PendingQuestion | None = None
        self._alarm = LazyTimer(self._look)
        self._taken = asyncio.Event()
        self._lost: asyncio.Future[SeatFailure | SeatBroken] = asyncio.get_running_loop().create_future()
        self._serving: asyncio.Task[object] | None = None
        self._closed = False
        self.has_left = True
        """Whether the bot was away when it was seen last, before it was told that the match is over."""
        self.is_over = False
        """Whether the bot has been told that the match is over."""
        self._keeper: ProcessController = NoController()
        self._turns = FreezePolicy(self._keeper)

    # What the match wants of a seat.

    async def welcome(self, welcome: Welcome) -> None:
        """Wait for the bot to take its seat."""
        self._welcome = welcome_message(welcome)
        await self._say(self._welcome)
        taken = asyncio.ensure_future(self._taken.wait())
        budget = welcome.clock.start_up
        await asyncio.wait((taken, self._lost), timeout=budget, return_when=asyncio.FIRST_COMPLETED)
        taken.cancel()
        if not self._taken.is_set():  # the bot may have come while the time ran out
            self._door.stayed_away(f"it did not take its seat within {budget:g} s")
            failure = self._lost.result()
            if isinstance(failure, SeatBroken):
                raise failure
            raise SeatFailure(Verdict.ABSENT, failure.message, failure.end)

    async def ask(self, view: View, watch: Stopwatch, took: float) -> Action:
        """Put the question and wait for the answer, on this stream or the next one."""
        if self._lost.done():
            raise self._lost.result()
        question = self._question = PendingQuestion(view.decision, request_message(view, took), watch)
        self._traffic.question()
        self._turns.begin(view.decision, watch.cpu_before)
        self._door.expect()
        self._alarm.set(watch.sure)
        sent = False
        try:
            await self._send(question.message)
            sent = True
            return action_of(await question.answer)
        except MalformedMessage as error:
            raise SeatFailure(Verdict.MALFORMED, str(error)) from error
        except asyncio.CancelledError:
            if not question.has_expired():
                raise
            if not sent:
                self.lose(_DEAF)
            raise SeatFailure(Verdict.TIMEOUT, watch.late) from None
        finally:
            self._alarm.stop()
            watch.stop()
            self._turns.end(watch.cpu_after)
            self._door.expect()
            self._question = None
            question.close()

    def cpu_time(self) -> float | None:
        """Seconds of CPU time that the program has used so far; None where that cannot be read."""
        return self._keeper.cpu_time()

    def rest(self) -> None:
        """Hold the program still until it is asked again, where that can be done."""
        self._turns.rest()
        self._door.expect()

    async def tell(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice, if the bot is there."""
        self.is_over |= isinstance(notice, MatchResult)
        await self._say(notice_message(notice, decision))

    async def close(self) -> None:
        """
        Let the bot close its stream, then close the seat.

        Connections that a bot keeps open by not reading end with its program; another call, after that, buries them.
        """
        self._closed = True
        self._alarm.close()
        self._turns.over()
        self._door.bar()
        await self._door.settled()
        if self._serving:
            self._serving.cancel()
        await self._server.stop(None if self._lost.done() else self._deadlines.farewell)
        self._server.hide()

    # What whoever runs the bot's program wants of it.

    async def listen(self) -> None:
        """
        Open the socket and let a bot come, in the background.

        Raises:
            SeatBroken: If the socket cannot be made.
        """
        await self._server.listen()

    def kept_by(self, keeper: ProcessController) -> None:
        """The program has been started, and *keeper* holds it."""
        self._keeper = keeper
        self._turns = FreezePolicy(keeper)
        if self._taken.is_set():
            self._turns.seated()
        if self._lost.done():
            self._turns.dismiss()

    def lose(self, reason: str, end: Exit | None = None) -> None:
        """The bot will never answer again: its program has ended, or it stayed away too long."""
        self._give_up(SeatFailure(Verdict.GONE, reason, end))

    # One stream.

    async def _play(self, _: object, context: Context) -> None:
        """Serve one stream."""
        self._traffic.stream()
        await self._refuse_flood(context)
        await self._check_hello(context)
        self._attach(context)
        self._serving = asyncio.current_task()
        try:
            await self._greet()
            while isinstance(data := await context.read(), bytes):
                self._traffic.message()
                if self._traffic.excess:
                    await self._refuse_flood(context)
                self._deliver(data)
        except asyncio.CancelledError:
            if not self._closed or self._lost.done():
                raise
            # The match is over: the stream ends well.
        finally:
            self._serving = None
            self._detach()

    async def _refuse_flood(self, context: Context) -> None:
        """Throw a bot out that floods its seat: the stream ends with the reason, and soon every connection too."""
        if excess := self._traffic.excess:
            self.lose(excess)
            if not self._closed:
                self._door.renew(self._deadlines.farewell)
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, excess)

    async def _check_hello(self, context: Context) -> None:
        """Let nobody pass but the seat's own bot, and it only once at a time."""
        await check_hello(context, self._token, self._deadlines.hello)
        if self._closed or self._lost.done():
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "the match is over for this seat")
        if self._stream.is_there:
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "the seat is taken")

    def _attach(self, context: Context) -> None:
        self._stream.attach(context)
        self.has_left = False
        self._turns.seated()
        self._door.enter()
        self._taken.set()

    async def _greet(self) -> None:
        """Begin a stream with the welcome and the open question."""
        missed = [message for message in (self._welcome, self._question and self._question.message) if message]
        if self._question is not None:
            self._traffic.question()
        await self._stream.begin(missed)

    def _deliver(self, data: bytes) -> None:
        """Take one message of the bot; what nobody asked for is dropped."""
        if self._question is not None:
            self._question.hear(data)

    def _look(self) -> None:
        """End the open question if it is late; CPU time has no alarm of its own, so it is looked at now and then."""
        if self._question is None:
            return
        left = self._question.watch.left
        if left > 0:
            self._alarm.set(max(left, LOOK_SECONDS))
        else:
            self._question.expire()

    async def _send(self, message: RefereeMessage) -> None:
        await self._stream.send(message)

    async def _say(self, message: RefereeMessage) -> None:
        """Send what asks for no answer; a bot that does not take it in time is not waited for again."""
        if self._lost.done():
            return
        try:
            async with asyncio.timeout(self._deadlines.notice):
                await self._send(message)
        except TimeoutError:
            self.lose(_DEAF)

    def _detach(self) -> None:
        self._stream.detach()
        self.has_left = not (self.is_over or self._closed)
        if not self._closed and not self._lost.done():
            self._door.renew(None)

    def _give_up(self, failure: SeatFailure | SeatBroken) -> None:
        """Nobody will answer here again, for the first reason given."""
        if not self._lost.done():
            self._lost.set_result(failure)
        self._door.bar()
        self._turns.dismiss()
        if self._question is not None:
            self._question.give_up(failure)

"""A seat that a bot takes over gRPC: one Unix socket, one token, one stream at a time."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
from typing import TYPE_CHECKING

import grpc
import grpc.aio
from google.protobuf.message import DecodeError

from pigpen.notices import MatchResult
from pigpen.v1.referee_pb2 import Answer, BotMessage, RefereeMessage
from pigpen.wire import (
    PROTOCOL,
    MalformedMessage,
    action_of,
    notice_message,
    request_message,
    welcome_message,
)
from referee.keeper import NoKeeper, Turns
from referee.traffic import Traffic
from referee.verdict import SeatBroken, SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pigpen.notices import Notice, Welcome
    from pigpen.rules import Action
    from pigpen.view import View
    from referee.clock import Stopwatch
    from referee.exit import Exit
    from referee.keeper import Keeper

HELLO_SECONDS = 5.0
"""How long a new stream may stay without its Hello."""
RECONNECT_SECONDS = 3.0
"""How long a bot that lost its stream may take to come back."""
NOTICE_SECONDS = 1.0
"""How long a notice may wait for a bot that does not read."""
LOOK_SECONDS = 0.001
"""How long, at least, from one look at a bot's CPU time to the next."""
FAREWELL_SECONDS = 1.0
"""How long the end of a stream may take to reach the bot."""
BREAK_SECONDS = 0.5
"""How long a stopped server is waited for: a bot that does not read holds up the end of its connections."""

LONGEST_PATH = 107
"""Bytes of a Unix socket's path that every system takes."""

OPTIONS = [
    ("grpc.max_receive_message_length", 65536),
    ("grpc.max_concurrent_streams", 2),
    ("grpc.max_metadata_size", 4096),
    ("grpc.absolute_max_metadata_size", 8192),
    ("grpc.server_handshake_timeout_ms", 5000),
    ("grpc.max_allowed_incoming_connections", 4),
    ("grpc.max_connection_idle_ms", 5000),  # one without a stream, whatever else comes over it
    ("grpc.http2.bdp_probe", 0),
    ("grpc.so_reuseport", 0),
]
"""What keeps a hostile client from the server's memory and descriptors."""

_Context = grpc.aio.ServicerContext[bytes, RefereeMessage]


def new_token() -> str:
    """A fresh seat token: 128 random bits in hex."""
    return secrets.token_hex(16)


class StreamSeat:
    """
    The referee's end of one seat.

    The socket exists only while the seat waits for its bot: it is removed as soon as the bot has shown its token,
    and made again when the stream breaks. A question that is open when the bot comes back is put again; its time
    has run on.
    """

    def __init__(self, socket: Path, token: str) -> None:
        self._socket = socket
        self._token = token
        self._server: grpc.aio.Server | None = None
        self._stream: _Context | None = None
        self._writing = asyncio.Lock()
        self._welcome: RefereeMessage | None = None
        self._question: RefereeMessage | None = None
        self._answer: asyncio.Future[Answer] | None = None
        self._decision = 0
        self._taken = asyncio.Event()
        self._lost: asyncio.Future[SeatFailure | SeatBroken] = asyncio.get_running_loop().create_future()
        self._traffic = Traffic()
        self._window: asyncio.TimerHandle | None = None
        self._reopening: asyncio.Task[None] | None = None
        self._serving: asyncio.Task[object] | None = None
        self._stopping: set[asyncio.Task[None]] = set()
        self._closed = False
        self._is_open = False
        """Whether there is a socket again, and nobody has come to it yet."""
        self.has_left = True
        """Whether the bot was away when it was seen last, before it was told that the match is over."""
        self.is_over = False
        """Whether the bot has been told that the match is over."""
        self._keeper: Keeper = NoKeeper()
        self._turns = Turns(self._keeper)

    def kept_by(self, keeper: Keeper) -> None:
        """The program has been started, and *keeper* holds it."""
        self._keeper = keeper
        self._turns = Turns(keeper)
        if self._taken.is_set():
            self._turns.seated()
        if self._lost.done():
            self._turns.dismiss()

    def cpu_time(self) -> float | None:
        """Seconds of CPU time that the program has used so far; None where that cannot be read."""
        return self._keeper.cpu_time()

    def rest(self) -> None:
        """Hold the program still until it is asked again, where that can be done."""
        self._turns.rest()
        self._expect()

    async def listen(self) -> None:
        """
        Open the socket and let a bot come, in the background.

        Raises:
            SeatBroken: If the socket cannot be made.
        """
        try:
            await self._listen()
        except (OSError, RuntimeError) as error:
            raise SeatBroken(f"The socket {self._socket} cannot be made: {_obstacle(self._socket)}.") from error

    async def _listen(self) -> None:
        server = grpc.aio.server(options=OPTIONS, maximum_concurrent_rpcs=8)
        handler: grpc.RpcMethodHandler[bytes, RefereeMessage] = grpc.stream_stream_rpc_method_handler(
            self._play, response_serializer=RefereeMessage.SerializeToString
        )
        service = grpc.method_handlers_generic_handler("pigpen.v1.Referee", {"Play": handler})
        server.add_generic_rpc_handlers((service,))
        server.add_insecure_port(f"unix:{self._socket}")
        self._socket.chmod(0o666)  # before anybody can connect, and so before the socket can be gone
        self._server = server
        await server.start()

    def lose(self, reason: str, end: Exit | None = None) -> None:
        """The bot will never answer again: its program has ended, or it stayed away too long."""
        self._give_up(SeatFailure(Verdict.GONE, reason, end))

    def _give_up(self, failure: SeatFailure | SeatBroken) -> None:
        """Nobody will answer here again, for the first reason given."""
        if not self._lost.done():
            self._lost.set_result(failure)
        self._turns.dismiss()
        if self._answer and not self._answer.done():
            self._answer.set_exception(failure)

    async def welcome(self, welcome: Welcome) -> None:
        """Wait for the bot to take its seat."""
        self._welcome = welcome_message(welcome)
        await self._say(self._welcome)
        taken = asyncio.ensure_future(self._taken.wait())
        budget = welcome.clock.start_up
        await asyncio.wait((taken, self._lost), timeout=budget, return_when=asyncio.FIRST_COMPLETED)
        taken.cancel()
        if not self._taken.is_set():  # the bot may have come while the time ran out
            self._stayed_away(f"it did not take its seat within {budget:g} s")
            failure = self._lost.result()
            if isinstance(failure, SeatBroken):
                raise failure
            raise SeatFailure(Verdict.ABSENT, failure.message, failure.end)

    async def ask(self, view: View, watch: Stopwatch, took: float) -> Action:
        """Put the question and wait for the answer, on this stream or the next one."""
        if self._lost.done():
            raise self._lost.result()
        self._decision = view.decision
        self._question = request_message(view, took)
        self._answer = answer = asyncio.get_running_loop().create_future()
        self._traffic.question()
        self._turns.begin(view.decision)
        self._expect()
        sent = False
        try:
            async with asyncio.timeout(None) as deadline:
                with _ending(deadline, watch):
                    await self._send(self._question)
                    sent = True
                    return action_of(await answer)
        except MalformedMessage as error:
            raise SeatFailure(Verdict.MALFORMED, str(error)) from error
        except TimeoutError:
            if not sent:
                self.lose(_DEAF)
            raise SeatFailure(Verdict.TIMEOUT, watch.late) from None
        finally:
            self._turns.end()
            self._expect()
            self._question = self._answer = None
            _look_at(answer)

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
        self._turns.over()
        self._expect()
        if self._reopening:
            await self._reopening
        if self._serving:
            self._serving.cancel()
        await self._stop(None if self._lost.done() else FAREWELL_SECONDS)
        self._socket.unlink(missing_ok=True)

    async def _say(self, message: RefereeMessage) -> None:
        """Send what asks for no answer; a bot that does not take it in time is not waited for again."""
        if self._lost.done():
            return
        try:
            async with asyncio.timeout(NOTICE_SECONDS):
                await self._send(message)
        except TimeoutError:
            self.lose(_DEAF)

    async def _send(self, message: RefereeMessage) -> None:
        """Write to the stream; while there is none, or it breaks, nothing is sent, and the next one starts afresh."""
        stream = self._stream
        async with self._writing:
            if stream is not None and stream is self._stream:
                with contextlib.suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
                    await stream.write(message)

    async def _greet(self, context: _Context) -> None:
        """
        Begin a stream, before anything else is sent to it, with the welcome and the open question.

        The headers go alone: gRPC would send them twice if the first message were given up on its way.
        """
        missed = (self._welcome, self._question)
        if self._question is not None:
            self._traffic.question()
        async with self._writing:
            with contextlib.suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
                await context.send_initial_metadata(())
                for message in missed:
                    if message is not None:
                        await context.write(message)

    async def _play(self, _: object, context: _Context) -> None:
        """Serve one stream."""
        self._traffic.stream()
        await self._refuse_flood(context)
        await self._check_hello(context)
        self._attach(context)
        self._serving = asyncio.current_task()
        try:
            await self._greet(context)
            while isinstance(data := await context.read(), bytes):
                self._traffic.message()
                await self._refuse_flood(context)
                self._deliver(data)
        except asyncio.CancelledError:
            if not self._closed or self._lost.done():
                raise
            # The match is over: the stream ends well.
        finally:
            self._serving = None
            self._detach()

    async def _refuse_flood(self, context: _Context) -> None:
        """Throw a bot out that floods its seat: the stream ends with the reason, and soon every connection too."""
        if excess := self._traffic.excess:
            self.lose(excess)
            self._renew()
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, excess)

    async def _check_hello(self, context: _Context) -> None:
        """Read the first message; end the stream unless it is a Hello with the seat's token."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                data = await context.read()
            hello = BotMessage.FromString(data if isinstance(data, bytes) else b"").hello
        except TimeoutError:
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"no Hello within {HELLO_SECONDS:g} s")
        except DecodeError:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the first message is not a Hello")
        if not hmac.compare_digest(hello.token.encode(), self._token.encode()):
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "that is not the token of this seat")
        if hello.protocol != PROTOCOL:
            text = f"this referee speaks protocol {PROTOCOL}, the bot speaks {hello.protocol}; update the bot's SDK"
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, text)
        if self._closed or self._lost.done():
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "the match is over for this seat")
        if self._stream is not None:
            await context.abort(grpc.StatusCode.ALREADY_EXISTS, "the seat is taken")

    def _attach(self, context: _Context) -> None:
        self._stream = context
        self.has_left = False
        self._turns.seated()
        self._is_open = False
        self._expect()
        self._socket.unlink(missing_ok=True)
        self._taken.set()

    def _detach(self) -> None:
        self._stream = None
        self.has_left = not (self.is_over or self._closed)
        if not self._closed and not self._lost.done():
            self._renew()

    def _expect(self) -> None:
        """Count the time that a bot takes to come back: while it may run, and there is a socket to come to."""
        expected = self._is_open and not (self._turns.is_held or self._closed)
        if not expected and self._window:
            self._window.cancel()
            self._window = None
        elif expected and not self._window:
            reason = f"its stream broke, and it did not come back within {RECONNECT_SECONDS:g} s"
            self._window = asyncio.get_running_loop().call_later(RECONNECT_SECONDS, self._stayed_away, reason)

    def _stayed_away(self, reason: str) -> None:
        """Nobody came in time: the bot's fault, unless there was no socket to come to."""
        if self._socket.exists():
            self.lose(reason)
        else:
            self._give_up(SeatBroken(f"The socket {self._socket} was removed while a bot was expected there."))

    def _renew(self) -> None:
        """Break every connection, in the background, and listen again unless it is over for this seat."""
        if not self._closed:
            self._reopening = asyncio.ensure_future(self._reopen(self._reopening))

    async def _reopen(self, before: asyncio.Task[None] | None) -> None:
        if before:
            await before  # two at once would leave a server behind
        await self._stop(FAREWELL_SECONDS if self._lost.done() else None)
        if not self._closed and not self._lost.done():
            try:
                await self.listen()
            except SeatBroken as broken:
                self._give_up(broken)
            else:
                self._is_open = self._stream is None
                self._expect()

    async def _stop(self, grace: float | None) -> None:
        """Stop listening and break every connection; streams may end well within *grace* seconds."""
        if self._server:
            stopping = asyncio.ensure_future(self._server.stop(grace))
            self._stopping.add(stopping)
            stopping.add_done_callback(self._stopping.discard)
        if self._stopping:
            await asyncio.wait(self._stopping, timeout=(grace or 0.0) + BREAK_SECONDS)

    def _deliver(self, data: bytes) -> None:
        """Take one message of the bot; what was not asked for, or was asked long ago, is dropped."""
        waiting = self._answer
        if waiting is None or waiting.done():
            return
        try:
            message = BotMessage.FromString(data)
        except DecodeError:
            waiting.set_exception(MalformedMessage("the message cannot be read as a BotMessage"))
            return
        if message.WhichOneof("body") != "answer":
            waiting.set_exception(MalformedMessage("the message is not an Answer"))
        elif message.answer.decision == self._decision:
            waiting.set_result(message.answer)


@contextlib.contextmanager
def _ending(deadline: asyncio.Timeout, watch: Stopwatch) -> Iterator[None]:
    """Let *deadline* pass when *watch* is late; CPU time has no alarm of its own, so it is looked at now and then."""
    loop = asyncio.get_running_loop()
    alarm: asyncio.TimerHandle

    def look() -> None:
        nonlocal alarm
        left = watch.left
        if left > 0:
            alarm = loop.call_later(max(left, LOOK_SECONDS), look)
        else:
            deadline.reschedule(loop.time())

    alarm = loop.call_later(watch.left, look)
    try:
        yield
    finally:
        alarm.cancel()


def _look_at(answer: asyncio.Future[Answer]) -> None:
    """Keep asyncio from complaining of a failure that came while the question itself was still on its way."""
    if not answer.cancel() and not answer.cancelled():
        answer.exception()


def _obstacle(socket: Path) -> str:
    """Why no socket can be made there, as far as can be seen."""
    if not socket.parent.is_dir():
        return "its folder is gone"
    if len(str(socket)) > LONGEST_PATH:
        return f"a socket's path may have {LONGEST_PATH} characters, set TMPDIR to a shorter one"
    return "is its disk full?"


_DEAF = "it does not read what the referee sends"

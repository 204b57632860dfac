"""The bot's end of the connection: connect, answer, reconnect, end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
import traceback
from typing import TYPE_CHECKING, NoReturn

import pigpen.wire.transport  # noqa: F401  # before gRPC

# isort: split
import grpc
import grpc.aio

from pigpen.bot import Bot, WrongAnswer, decide, notify
from pigpen.rules.errors import PigpenError
from pigpen.v1.referee_pb2 import BotMessage, RefereeMessage
from pigpen.v1.referee_pb2_grpc import RefereeStub
from pigpen.version import __version__
from pigpen.wire.blocking_stream import CAN_BLOCK, BlockingStream, PartsDiffer, StreamBroke
from pigpen.wire.charges import Charges
from pigpen.wire.messages import (
    MAX_BYTES,
    answer_message,
    hello_message,
    notice_of,
    too_long,
    view_of,
    welcome_of,
)

if TYPE_CHECKING:
    from pigpen.rules import Rules

ADDRESS = "PIGPEN_ADDRESS"
TOKEN = "PIGPEN_TOKEN"

RETRY_SECONDS = 0.05
"""Pause between two attempts to reach the referee."""
PATIENCE_SECONDS = 10.0
"""Seconds that a bot without a connection tries to reach the referee."""

FINAL = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.PERMISSION_DENIED,
}
"""Status codes after which a second attempt is useless."""

CHANNEL_OPTIONS = [
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 2000),  # an attempt that takes longer is given up
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.enable_retries", 0),
    ("grpc.http2.bdp_probe", 0),
]


def run(bot: Bot, name: str) -> None:
    """Play the match that the environment names; see `pigpen.run`."""
    address, token = os.environ.get(ADDRESS), os.environ.get(TOKEN)
    if not address or not token:
        folder = os.path.dirname(sys.argv[0]) or "."
        _quit(f"This bot waits for a referee. Start it with: pigpen play {folder} random cautious counting", 2)
    with contextlib.redirect_stdout(sys.stderr):
        try:
            _play(bot, name, address, token)
        except (Refused, Unreachable) as error:
            _quit(str(error), error.exit_code)
        except BotFailed as failure:
            traceback.print_exception(failure.error)
            sys.exit(1)
        except KeyboardInterrupt:
            sys.exit(130)


def _play(bot: Bot, name: str, address: str, token: str) -> None:
    """Play one match in the way that takes the least CPU time with this version of gRPC."""
    if CAN_BLOCK:
        with contextlib.suppress(PartsDiffer):  # raised before anything is sent
            return BlockingClient(bot, name, address, token).play_match()
    return asyncio.run(Client(bot, name, address, token).play_match())


def _quit(sentence: str, code: int) -> NoReturn:
    print(sentence, file=sys.stderr)
    sys.exit(code)


class Refused(PigpenError):
    """A referee that does not let this bot play; the text says why."""

    exit_code = 2


class Unreachable(PigpenError):
    """A referee that does not answer."""

    exit_code = 2


class BotFailed(Exception):
    """An exception that a method of the bot raised, as opposed to those of the connection."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class _Conversation:
    """The conversation of a bot with its referee, over one stream after the other."""

    def __init__(self, bot: Bot, name: str, address: str, token: str, patience: float = PATIENCE_SECONDS) -> None:
        self._bot = bot
        self._hello = hello_message(token, name, f"pigpen-sdk/{__version__}")
        self._address = address
        self._patience = patience
        self._give_up = time.monotonic() + patience
        self._rules: Rules | None = None
        self._asked: tuple[int, float] = 0, 0.0
        """The last decision that was asked, and when that was read for the first time."""
        self._charges = Charges()
        self._connected = False

    def _begin(self) -> BotMessage:
        """Begin a stream with this message."""
        self._connected = False
        return self._hello

    def _broke(self, code: grpc.StatusCode | None, reason: str) -> None:
        """
        Note that the stream broke; another one is worth an attempt, unless this raises.

        Raises:
            Refused: If the referee does not accept this bot.
            Unreachable: If it has not been reached for too long.
        """
        if code in FINAL:
            raise Refused(f"The referee refused this bot: {reason}")
        if self._connected:
            self._give_up = time.monotonic() + self._patience
        elif time.monotonic() > self._give_up:
            raise Unreachable(f"No referee at {self._address}: {reason}")

    def _answer(self, message: RefereeMessage) -> BotMessage | None:
        """Act on one message; the answer to a request, None for anything else."""
        self._connected = True
        try:
            return self._handle(message)
        except Exception as error:  # a bot may raise anything
            raise BotFailed(error) from error

    def _handle(self, message: RefereeMessage) -> BotMessage | None:
        """Act on one message; the answer to a request, None for anything else."""
        kind = message.WhichOneof("body")
        if kind == "request" and self._rules is not None:
            view = view_of(message.request, self._rules)
            if view.decision == self._asked[0]:  # asked again on another stream, and its clock has not stopped
                view.asked_at = self._asked[1]
            self._asked = view.decision, view.asked_at
            self._charges.question(view)
            try:
                answer = answer_message(view, decide(self._bot, view))
                self._charges.answer(view)
                if (size := answer.ByteSize()) <= MAX_BYTES:
                    return answer
                print(f"An answer that cannot be sent: {too_long(size)}", file=sys.stderr)
                return answer_message(view, None)
            except WrongAnswer as wrong:
                print(wrong, file=sys.stderr)
                return answer_message(view, None)
        if kind == "welcome":
            welcome = welcome_of(message.welcome)
            if self._rules is None:
                self._bot.match_started(welcome)
            self._rules = welcome.rules
        elif notice := notice_of(message):
            notify(self._bot, notice)
        return None


class BlockingClient(_Conversation):
    """A bot's connection to its seat, made again when it breaks, in a thread that does nothing else meanwhile."""

    def play_match(self) -> None:
        """
        Play until the referee ends the match.

        Raises:
            Refused: If the referee does not accept this bot.
            Unreachable: If it cannot be reached for *patience* seconds.
            BotFailed: If the bot raised.
        """
        while True:
            try:
                return self._play_stream()
            except StreamBroke as broke:
                self._broke(broke.code, str(broke))
            time.sleep(RETRY_SECONDS)

    def _play_stream(self) -> None:
        """Play on one stream until the referee ends it; any other end is an error."""
        with BlockingStream(self._address, CHANNEL_OPTIONS, self._begin()) as stream:
            while (message := stream.read()) is not None:
                answer = self._answer(message)
                if answer is not None:
                    stream.write(answer)
                elif message.HasField("match_over"):
                    with contextlib.suppress(StreamBroke):  # it is over either way
                        stream.done_writing()
                        stream.read()
                    return


class Client(_Conversation):
    """The same in an event loop, in which other things may happen while the referee is waited for."""

    async def play_match(self) -> None:
        """
        Play until the referee ends the match.

        Raises:
            Refused: If the referee does not accept this bot.
            Unreachable: If it cannot be reached for *patience* seconds.
            BotFailed: If the bot raised.
        """
        while True:
            try:
                return await self._play_stream()
            except grpc.aio.AioRpcError as error:
                self._broke(error.code(), error.details() or str(error))
            except asyncio.InvalidStateError as error:
                self._broke(None, str(error))
            await asyncio.sleep(RETRY_SECONDS)

    async def _play_stream(self) -> None:
        """Play on one stream until the referee ends it; any other end is an error."""
        async with grpc.aio.insecure_channel(self._address, options=CHANNEL_OPTIONS) as channel:
            stream = RefereeStub(channel).Play()
            await stream.write(self._begin())
            while isinstance(message := await stream.read(), RefereeMessage):
                answer = self._answer(message)
                if answer is not None:
                    await stream.write(answer)
                elif message.HasField("match_over"):
                    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # it is over either way
                        await stream.done_writing()
                        await stream.read()
                    return

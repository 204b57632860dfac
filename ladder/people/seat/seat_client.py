"""The client of a person's seat: messages of the referee go to a listener, decisions of the person to the referee."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pigpen.client import CHANNEL_OPTIONS, FINAL, PATIENCE_SECONDS, RETRY_SECONDS, Refused, Unreachable

# isort: split
import grpc
import grpc.aio

from pigpen.v1.referee_pb2 import RefereeMessage
from pigpen.v1.referee_pb2_grpc import RefereeStub
from pigpen.version import __version__
from pigpen.wire.messages import (
    ASKS_WHY,
    AWAY,
    HERE,
    PLAYS,
    READS,
    READY,
    answer_message,
    hello_message,
    notice_of,
    presence_message,
    seen_of,
    view_of,
    welcome_of,
)
from referee.match.formats import NO_CLOCK_SECONDS
from referee.seats.person_seat import HELP_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules import Action
    from pigpen.v1.referee_pb2 import BotMessage
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import Seen, View

# isort: split


@dataclass(frozen=True)
class Question:
    """A question to a person; it is answered by the number of the decision that the view has."""

    view: View
    until: float
    """The time when the default is played instead, by the client's clock; infinite: the clock has stopped."""


class SeatListener(Protocol):
    """The display of a table for a person. Its methods are plain functions, and wait for nothing."""

    def welcomed(self, welcome: Welcome) -> None:
        """Take the person's seat; called again after a lost connection."""

    def saw(self, seen: Seen) -> None:
        """Show the state of the table."""

    def asked(self, question: Question) -> None:
        """Ask for a decision; asked again, with the same number, after a lost connection."""

    def notified(self, notice: Notice) -> None:
        """Show that a deal or match is over, or a default was played; results come again after a lost connection."""

    def connected(self, *, is_there: bool) -> None:
        """Show whether there is a connection to the referee; one that is lost is made again."""


class SeatActions(Protocol):
    """A person's actions in its seat; a `PersonClient` does it."""

    def answer(self, decision: int, action: Action) -> bool:
        """Answer a question."""

    def leave(self) -> None:
        """Let the default policy play."""

    def come_back(self) -> None:
        """Take the seat again."""

    def go_on(self, deal: int) -> None:
        """Say that the end of a deal has been looked at."""

    def read_help(self, *, is_open: bool) -> None:
        """Say that the person has opened the help, or closed it: meanwhile its clock stops."""


class PersonClient:
    """
    A person's connection to its seat, made again when it breaks.

    An answer to another question than the one that is open changes nothing. One that may have been lost with its
    connection is sent again.
    """

    def __init__(
        self,
        listener: SeatListener,
        address: str,
        token: str,
        patience: float = PATIENCE_SECONDS,
        now: Callable[[], float] = time.monotonic,
        help_seconds: float = HELP_SECONDS,
    ) -> None:
        """
        Prepare to play.

        Args:
            listener: Shows the table.
            address: Of the seat, such as ``unix:/path``.
            token: Of the seat.
            patience: Seconds for which the referee is looked for before it is given up.
            now: The client's clock.
            help_seconds: Seconds of a match for which the referee stops the clock while the person reads help.
        """
        self._listener = listener
        self._hello = hello_message(token, "person", f"pigpen-person/{__version__}")
        self._address = address
        self._patience = patience
        self._now = now
        self._welcome: Welcome | None = None
        self._question: Question | None = None
        self._answer: BotMessage | None = None
        self._outbox: asyncio.Queue[BotMessage] = asyncio.Queue()
        self._has_connected = False
        self._help_left = help_seconds
        self._help_is_open = False
        self._stopped: tuple[float, float] | None = None
        """While the help stops the clock: since when, and the seconds that the question has left."""
        self._help_timer: asyncio.TimerHandle | None = None

    async def play_match(self) -> None:
        """
        Play until the referee ends the match.

        Raises:
            Refused: If the referee does not accept this client.
            Unreachable: If it cannot be reached for *patience* seconds.
        """
        give_up = self._now() + self._patience
        while True:
            self._has_connected = False
            try:
                await self._play_stream()
                return
            except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
                if isinstance(error, grpc.aio.AioRpcError) and error.code() in FINAL:
                    raise Refused(f"The referee refused this person: {error.details()}") from None
                if self._has_connected:
                    self._listener.connected(is_there=False)
                    give_up = self._now() + self._patience
                elif self._now() > give_up:
                    raise Unreachable(f"No referee at {self._address}: {error}") from None
                await asyncio.sleep(RETRY_SECONDS)

    def answer(self, decision: int, action: Action) -> bool:
        """Answer the question of that number, and say whether it was the open one."""
        if self._question is None or self._question.view.decision != decision or self._answer is not None:
            return False
        self._let_run()
        self._answer = answer_message(self._question.view, action)
        self._outbox.put_nowait(self._answer)
        return True

    def leave(self) -> None:
        """Let the default policy play until `come_back`."""
        self._outbox.put_nowait(presence_message(AWAY))

    def come_back(self) -> None:
        """Take the seat again at the next decision."""
        self._outbox.put_nowait(presence_message(HERE))

    def go_on(self, deal: int) -> None:
        """Let the clock run: the person has looked at the end of that deal."""
        self._outbox.put_nowait(presence_message(READY, deal))

    def ask_why(self, decision: int) -> None:
        """Stop the clock of a question, if it is open: the person asks what its choices are worth, in practice."""
        if self._question is not None and self._question.view.decision == decision and self._answer is None:
            self._question = Question(self._question.view, math.inf)
            self._outbox.put_nowait(presence_message(ASKS_WHY))
            self._listener.asked(self._question)

    def read_help(self, *, is_open: bool) -> None:
        """Stop the clock of the questions as long as the help is open, as the referee does, or let it run again."""
        if is_open != self._help_is_open:
            self._help_is_open = is_open
            self._outbox.put_nowait(presence_message(READS if is_open else PLAYS))
            if self._question is not None and self._answer is None:
                self._let_run()
                self._stop_for_help()
                self._listener.asked(self._question)

    def _stop_for_help(self) -> None:
        question = self._question
        if self._help_is_open and question is not None and question.until < math.inf and self._help_left > 0:
            self._stopped = self._now(), question.until - self._now()
            self._question = Question(question.view, math.inf)
            if self._help_left < math.inf:
                self._help_timer = asyncio.get_running_loop().call_later(self._help_left, self._help_used_up)

    def _let_run(self) -> None:
        if self._help_timer is not None:
            self._help_timer.cancel()
        if self._stopped is not None and self._question is not None:
            since, left = self._stopped
            self._help_left -= self._now() - since
            self._question = Question(self._question.view, self._now() + left)
        self._stopped = self._help_timer = None

    def _help_used_up(self) -> None:
        self._let_run()
        self._help_left = 0.0
        if self._question is not None and self._answer is None:
            self._listener.asked(self._question)

    async def _play_stream(self) -> None:
        """Play on one stream until the referee ends it; any other end is an error."""
        async with grpc.aio.insecure_channel(self._address, options=CHANNEL_OPTIONS) as channel:
            stream = RefereeStub(channel).Play()
            await stream.write(self._hello)
            writing = asyncio.ensure_future(self._write(stream))
            try:
                while isinstance(message := await stream.read(), RefereeMessage):
                    self._receive(message)
                    if message.HasField("match_over"):
                        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # over either way
                            await stream.done_writing()
                            await stream.read()
                        return
            finally:
                writing.cancel()

    async def _write(self, stream: grpc.aio.StreamStreamCall[BotMessage, RefereeMessage]) -> None:
        with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # reading fails, too
            while True:
                await stream.write(await self._outbox.get())

    def _receive(self, message: RefereeMessage) -> None:
        if not self._has_connected:
            self._has_connected = True
            self._listener.connected(is_there=True)
            if self._help_is_open:
                self._outbox.put_nowait(presence_message(READS))
        kind = message.WhichOneof("body")
        if kind == "welcome":
            self._welcome = welcome_of(message.welcome)
            self._listener.welcomed(self._welcome)
        elif kind == "request" and self._welcome is not None:
            self._take(view_of(message.request, self._welcome.rules))
        elif kind == "seen" and self._welcome is not None:
            self._listener.saw(seen_of(message.seen, self._welcome.rules))
        elif notice := notice_of(message):
            self._listener.notified(notice)

    def _take(self, view: View) -> None:
        """Take a question; one that is put again keeps its time, and gets its answer again if there was one."""
        if self._question is not None and self._question.view.decision == view.decision:
            if self._answer is not None:
                self._outbox.put_nowait(self._answer)
        else:
            self._let_run()
            is_timed = view.limit < NO_CLOCK_SECONDS
            self._question, self._answer = Question(view, self._now() + view.limit if is_timed else math.inf), None
            self._stop_for_help()
        if self._answer is None:
            self._listener.asked(self._question)

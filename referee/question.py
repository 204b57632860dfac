"""One question to a bot that has not been answered yet."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from pigpen.v1.referee_pb2 import Answer, BotMessage
from pigpen.wire import MalformedMessage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pigpen.v1.referee_pb2 import RefereeMessage
    from referee.clock import Stopwatch

LOOK_SECONDS = 0.001
"""How long, at least, from one look at a bot's CPU time to the next."""


class Question:
    """
    A request and the answer to it.

    Attributes:
        message: What the bot is asked; when it comes back on another stream it is asked the same again.
        answer: What it says, once it has; or why nothing will come.
    """

    def __init__(self, decision: int, message: RefereeMessage) -> None:
        self.message = message
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._decision = decision

    def hear(self, data: bytes) -> None:
        """Take one message of the bot; an answer to another question is dropped."""
        if self.answer.done():
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
        """No answer will come."""
        if not self.answer.done():
            self.answer.set_exception(failure)

    def close(self) -> None:
        """Keep asyncio from complaining of a failure that came while the question itself was still on its way."""
        if not self.answer.cancel() and not self.answer.cancelled():
            self.answer.exception()


@contextlib.contextmanager
def ending(deadline: asyncio.Timeout, watch: Stopwatch) -> Iterator[None]:
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

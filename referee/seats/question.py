"""One question to a bot that has not been answered yet."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from pigpen.v1.referee_pb2 import Answer, BotMessage
from pigpen.wire.messages import MAX_BYTES, MalformedMessage, too_long

if TYPE_CHECKING:
    from pigpen.v1.referee_pb2 import RefereeMessage
    from referee.seats.clock import Stopwatch


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

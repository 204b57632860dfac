"""A seat that tests a bot: it can break the stream, refuse the protocol, and send unknown fields and messages."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pigpen.v1.referee_pb2 import RefereeMessage, Request, Welcome
from pigpen.wire.messages import PROTOCOL
from pigpen.wire.transport import grpc
from referee.seats.seat_server import other_protocol
from referee.seats.stream_seat import StreamSeat

if TYPE_CHECKING:
    from pathlib import Path

    from referee.seats.seat_server import Context


class TrialSeat(StreamSeat):
    """A seat as in a match, until a test case makes it fail in some way."""

    def __init__(self, socket: Path, token: str, refuses: bool = False) -> None:
        """
        Prepare a seat.

        Args:
            socket: Where to listen.
            token: What the bot must send.
            refuses: Whether every stream is refused as if the bot spoke another version of the protocol.
        """
        super().__init__(socket, token)
        self.streams = 0
        """Number of streams that the bot has opened with its token."""
        self.sends_unknown_fields = False
        """True if every message has fields that this version of the protocol does not know."""
        self.refused = asyncio.Event()
        """Set when a stream with its token has been refused."""
        self._refuses = refuses
        self._cuts = False
        self._cutting: asyncio.Task[None] | None = None

    def cut_at_next_answer(self) -> None:
        """Break the stream when the next answer comes, and lose that answer."""
        self._cuts = True

    async def send_unknown_message(self) -> None:
        """Send a message of a kind that this version of the protocol does not know."""
        await self._send(RefereeMessage.FromString(UNKNOWN))

    async def close(self) -> None:
        """Let the bot close its stream, then close the seat."""
        if self._cutting:
            await self._cutting
        await super().close()

    async def _check_hello(self, context: Context) -> None:
        await super()._check_hello(context)
        if self._refuses:
            self.refused.set()
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, other_protocol(PROTOCOL + 1, PROTOCOL))
        self.streams += 1

    async def _send_missed(self) -> None:
        if self.sends_unknown_fields and self._welcome is not None:
            self._welcome = _with_unknown_fields(self._welcome)
        await super()._send_missed()

    async def _send(self, message: RefereeMessage) -> None:
        await super()._send(_with_unknown_fields(message) if self.sends_unknown_fields else message)

    def _receive(self, data: bytes) -> None:
        if self._cuts:
            self._cuts = False
            self._cutting = asyncio.ensure_future(self._server.stop(None))
        else:
            super()._receive(data)


def _field(number: int, value: bytes) -> bytes:
    """Make a field of bytes, as protobuf writes it."""
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


UNKNOWN = _field(1000, b"of a later version")


def _with_unknown_fields(message: RefereeMessage) -> RefereeMessage:
    """Copy the message with unknown fields in it, and in its body, and in the view of a request."""
    more = UNKNOWN
    if message.HasField("request"):
        more += _field(RefereeMessage.REQUEST_FIELD_NUMBER, UNKNOWN + _field(Request.VIEW_FIELD_NUMBER, UNKNOWN))
    if message.HasField("welcome"):
        more += _field(RefereeMessage.WELCOME_FIELD_NUMBER, UNKNOWN + _field(Welcome.RULES_FIELD_NUMBER, UNKNOWN))
    return RefereeMessage.FromString(message.SerializeToString() + more)  # what comes later is merged in

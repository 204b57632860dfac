"""The first message of a bot: it proves with its token that a seat is its own."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from pigpen.v1.referee_pb2 import BotMessage
from pigpen.wire.messages import MAX_BYTES, PROTOCOL, too_long
from pigpen.wire.transport import grpc
from referee.seats.refusal import refuse

if TYPE_CHECKING:
    from referee.seats.seat_server import Context


_PAGE = "see docs/protocol.md"
_FIRST = f"send BotMessage.hello as soon as the stream is open ({_PAGE})"


def new_token() -> str:
    """Make a fresh seat token: 128 random bits in hex."""
    return secrets.token_hex(16)


async def check_hello(context: Context, token: str, seconds: float) -> None:
    """Read the first message, within *seconds*; end the stream unless it is a Hello with the seat's *token*."""
    try:
        async with asyncio.timeout(seconds):
            data = await context.read()
        if isinstance(data, bytes) and len(data) > MAX_BYTES:
            await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"{too_long(len(data))}: {_FIRST}")
        message = BotMessage.FromString(data if isinstance(data, bytes) else b"")
    except TimeoutError:
        await refuse(context, grpc.StatusCode.DEADLINE_EXCEEDED, f"no Hello within {seconds:g} s: {_FIRST}")
    except DecodeError:
        await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"the first message cannot be read: {_FIRST}")
    if message.WhichOneof("body") != "hello":
        await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, f"the first message is not a Hello: {_FIRST}")
    hello = message.hello
    if not hmac.compare_digest(hello.token.encode(), token.encode()):
        await refuse(
            context,
            grpc.StatusCode.UNAUTHENTICATED,
            f"that is not the token of this seat: hello.token has to be PIGPEN_TOKEN as it is ({_PAGE})",
        )
    if hello.protocol != PROTOCOL:
        await refuse(context, grpc.StatusCode.FAILED_PRECONDITION, other_protocol(PROTOCOL, hello.protocol))


def other_protocol(spoken: int, claimed: int) -> str:
    """Say that a referee that speaks one protocol is not spoken to in another."""
    return f"this referee speaks protocol {spoken}, and hello.protocol is {claimed}; update the bot's SDK ({_PAGE})"

"""The first message of a bot: it proves with its token that a seat is its own."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from typing import TYPE_CHECKING

import grpc
from google.protobuf.message import DecodeError

from pigpen.v1.referee_pb2 import BotMessage
from pigpen.wire.messages import PROTOCOL
from referee.seats.refusal import refuse

if TYPE_CHECKING:
    from referee.seats.seat_server import Context


def new_token() -> str:
    """A fresh seat token: 128 random bits in hex."""
    return secrets.token_hex(16)


async def check_hello(context: Context, token: str, seconds: float) -> None:
    """Read the first message, within *seconds*; end the stream unless it is a Hello with the seat's *token*."""
    try:
        async with asyncio.timeout(seconds):
            data = await context.read()
        hello = BotMessage.FromString(data if isinstance(data, bytes) else b"").hello
    except TimeoutError:
        await refuse(context, grpc.StatusCode.DEADLINE_EXCEEDED, f"no Hello within {seconds:g} s")
    except DecodeError:
        await refuse(context, grpc.StatusCode.INVALID_ARGUMENT, "the first message is not a Hello")
    if not hmac.compare_digest(hello.token.encode(), token.encode()):
        await refuse(context, grpc.StatusCode.UNAUTHENTICATED, "that is not the token of this seat")
    if hello.protocol != PROTOCOL:
        text = f"this referee speaks protocol {PROTOCOL}, the bot speaks {hello.protocol}; update the bot's SDK"
        await refuse(context, grpc.StatusCode.FAILED_PRECONDITION, text)

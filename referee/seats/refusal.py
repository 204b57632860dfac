"""Ending a stream with a reason."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pigpen.wire.transport import grpc

if TYPE_CHECKING:
    from typing import NoReturn

    from referee.seats.seat_server import Context


async def refuse(context: Context, code: grpc.StatusCode, reason: str) -> NoReturn:
    """
    End a stream with a reason, whether or not the other end is still there to read it.

    It always raises what gRPC expects: AbortError, or CancelledError if the other end has gone meanwhile. Any other
    exception would stand in the log as a failure of ours.
    """
    try:
        await context.abort(code, reason)
    except grpc.aio.InternalError:
        raise asyncio.CancelledError from None

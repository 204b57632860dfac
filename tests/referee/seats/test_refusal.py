"""A stream is ended with a reason, whether or not the other end still reads it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import grpc.aio
import pytest

from referee.seats.seat_server import refuse

if TYPE_CHECKING:
    from referee.seats.seat_server import Context


class Ending:
    """A stream that takes its end in some way."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.status: list[object] = []

    async def abort(self, *status: object) -> None:
        self.status += status
        raise self.error


@pytest.mark.parametrize(
    ("error", "raised"),
    [(grpc.aio.AbortError("ended"), grpc.aio.AbortError), (grpc.aio.InternalError("gone"), asyncio.CancelledError)],
)
async def test_grpc_gets_what_it_expects(error: Exception, raised: type[BaseException]) -> None:
    stream = Ending(error)
    with pytest.raises(raised):
        await refuse(cast("Context", stream), grpc.StatusCode.UNAUTHENTICATED, "no")
    assert stream.status == [grpc.StatusCode.UNAUTHENTICATED, "no"]

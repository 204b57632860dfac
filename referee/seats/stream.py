"""Messages to a bot: one stream at a time, one message after the other."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pigpen.wire.transport import grpc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pigpen.v1.referee_pb2 import RefereeMessage
    from referee.seats.seat_server import Context


class Stream:
    """The stream that a bot has opened to its seat, or none; while there is none, nothing is sent."""

    def __init__(self) -> None:
        self._context: Context | None = None
        self._writing = asyncio.Lock()

    @property
    def is_there(self) -> bool:
        """True while the bot has a stream."""
        return self._context is not None

    def attach(self, context: Context) -> None:
        """Note that the bot has connected."""
        self._context = context

    def detach(self) -> None:
        """Note that its stream has ended."""
        self._context = None

    async def begin(self, missed: Iterable[RefereeMessage]) -> None:
        """
        Begin the stream with what the bot has *missed*, before anything else is sent to it.

        The headers go alone: gRPC would send them twice if the first message were given up on its way.
        """
        context = self._context
        assert context is not None
        async with self._writing:
            try:
                await context.send_initial_metadata(())
                for message in missed:
                    await context.write(message)
            except (grpc.aio.BaseError, asyncio.InvalidStateError):
                return  # it has broken: the next one begins the same way

    async def send(self, message: RefereeMessage) -> None:
        """Write a message; if the stream breaks, or is another one by the time it is its turn, nothing is sent."""
        context = self._context
        async with self._writing:
            if context is not None and context is self._context:
                try:
                    await context.write(message)
                except (grpc.aio.BaseError, asyncio.InvalidStateError):
                    return

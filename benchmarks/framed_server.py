"""
A sketch of the referee's end of a wire without gRPC: the same messages on a Unix socket, with their length before each.

Seats, clocks and verdicts are the referee's own; only what carries the messages is replaced. It has no limits and
waits for no slow reader: it is measured, and no part of the referee.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, NoReturn

import grpc.aio

from benchmarks.framed_stream import HEADER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from pigpen.v1.referee_pb2 import RefereeMessage


class FramedContext(asyncio.Protocol):
    """One connection; has what `StreamSeat` uses of gRPC's context."""

    _transport: asyncio.Transport

    def __init__(self, play: Callable[[object, FramedContext], Awaitable[None]]) -> None:
        self._play = play
        self._data = b""
        self._messages: deque[object] = deque()
        self._waiting: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Serve it."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._serving = asyncio.ensure_future(self._play(None, self))
        self._serving.add_done_callback(lambda _: transport.close())

    def data_received(self, data: bytes) -> None:
        """Take the messages that are whole."""
        self._data += data
        while len(self._data) >= HEADER.size:
            end = HEADER.size + HEADER.unpack_from(self._data)[0]
            if len(self._data) < end:
                return
            self._arrived(self._data[HEADER.size : end])
            self._data = self._data[end:]

    def eof_received(self) -> bool:
        """Pass the end on: nothing more will come; what is to be sent still may be."""
        self._arrived(grpc.aio.EOF)
        return True

    def connection_lost(self, _: Exception | None) -> None:
        """Pass the end on: the bot is gone."""
        self._arrived(grpc.aio.EOF)

    def _arrived(self, message: object) -> None:
        self._messages.append(message)
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def read(self) -> object:
        """Wait for the next message."""
        if not self._messages:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        return self._messages.popleft()

    async def write(self, message: RefereeMessage) -> None:
        """Send a message."""
        data = message.SerializeToString()
        self._transport.write(HEADER.pack(len(data)) + data)

    async def send_initial_metadata(self, _: object) -> None:
        """Send nothing: there is none."""

    async def abort(self, _: grpc.StatusCode, reason: str) -> NoReturn:
        """End the connection."""
        self._transport.abort()
        raise asyncio.CancelledError(reason)


class FramedServer:
    """Takes the place of `referee.seats.seat_server.SeatServer`."""

    def __init__(
        self, socket: Path, play: Callable[[object, FramedContext], Awaitable[None]], _: Callable[[], object]
    ) -> None:
        self.socket = socket
        self._play = play
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        """Open the socket."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(lambda: FramedContext(self._play), self.socket)
        self.socket.chmod(0o666)

    def has_socket(self) -> bool:
        """Tell whether there is a socket to come to."""
        return self.socket.exists()

    def hide(self) -> None:
        """Remove the socket."""
        self.socket.unlink(missing_ok=True)

    async def stop(self, _: float | None) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

"""A wire between a bot and its seat that is cut once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Self


class CutWire:
    """
    Passes on every byte between two Unix sockets, and breaks the first connection in the middle.

    Args:
        bot_end: The socket to make, for the bot.
        seat_end: The seat's socket. While there is none, the bot finds its connection closed at once.
        cut_after: How many bytes reach the bot before the cut. None: the wire holds.
    """

    def __init__(self, bot_end: Path, seat_end: Path, cut_after: int | None) -> None:
        self.connections = 0
        """Number of connections that have reached the seat."""
        self._bot_end = bot_end
        self._seat_end = seat_end
        self._cut_after = cut_after
        self._running: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._begin, self._bot_end)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._connect(reader, writer))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _connect(self, from_bot: asyncio.StreamReader, to_bot: asyncio.StreamWriter) -> None:
        async with _closing(to_bot):
            try:
                from_seat, to_seat = await asyncio.open_unix_connection(self._seat_end)
            except OSError:
                return
            self.connections += 1
            limit = self._cut_after if self.connections == 1 else None
            async with _closing(to_seat):
                directions = [
                    asyncio.ensure_future(_pass_on(from_bot, to_seat, None)),
                    asyncio.ensure_future(_pass_on(from_seat, to_bot, limit)),
                ]
                try:
                    await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for direction in directions:
                        direction.cancel()
                    await asyncio.gather(*directions, return_exceptions=True)


async def _pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter, limit: int | None) -> None:
    """Pass bytes on until the source ends, the target breaks, or *limit* is reached."""
    left = limit
    with contextlib.suppress(ConnectionError):
        while data := await source.read(65536 if left is None else left):
            target.write(data)
            await target.drain()
            if left is not None:
                left -= len(data)
                if not left:
                    return


@contextlib.asynccontextmanager
async def _closing(writer: asyncio.StreamWriter) -> AsyncIterator[None]:
    try:
        yield
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

"""
Streams of server-sent events.

They are packed with gzip for browsers that take it, where each message goes out whole, at once.
"""

from __future__ import annotations

import asyncio
import zlib
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from ladder.site.rendering.cache import GZIP
from ladder.site.rendering.translations import to_translate
from ladder.site.server.viewer import address_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from typing import Any

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send

    from ladder.site.server.context import Site
    from ladder.site.server.places import Place

MAX_STREAMS = 3000
"""Streams that one process keeps open, of matches, tables and submissions together."""
TOO_MANY = to_translate("Too many visitors watch at the same time; try again soon.")
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Accept-Encoding, Authorization, Cookie"}
PULSE_SECONDS = 15.0
"""Seconds without a message after which a comment is sent, so that no proxy closes the stream as idle."""
PULSE = ": still here\n\n"
STOP = "event: stop\ndata: {}\n\n"
"""The last message of a stream to which nothing will be added; after any other end a browser connects again."""
LEVEL, WINDOW_BITS, MEMORY_LEVEL = 6, 13, 5
"""The window holds some states of a table, each of which is much like the one before; a stream takes 48 KiB."""
AS_GZIP = 16
"""Added to the bits of the window, for the head and the check sum of gzip."""


def event_stream(
    request: Request, messages: AsyncGenerator[str], closed: Callable[[], object] = lambda: None
) -> Response:
    """
    Answer with a stream of server-sent events.

    Args:
        request: What asks for it.
        messages: Closed when the stream ends; then a browser connects again, unless the last one was `STOP`.
        closed: Called when the stream has ended, also if it has not begun: then nothing has asked for a message.

    Raises:
        HTTPException: 503: there are too many streams, and no other visitors have more of them.
    """
    site: Site = request.app.state.site
    given_up = asyncio.Event()
    place = site.streams.take(address_of(request), given_up.set)
    if place is None:
        closed()
        raise HTTPException(503, TOO_MANY, {"Retry-After": "10"})
    stream, headers = _counted(site, with_pulses(messages, given_up=given_up)), HEADERS
    if GZIP.search(request.headers.get("accept-encoding", "")):
        headers = {**HEADERS, "Content-Encoding": "gzip"}
        return _Stream(_packed(stream), headers, place, closed)
    return _Stream(stream, headers, place, closed)


class _Stream(StreamingResponse):
    """Frees what a stream has taken when it ends, also if its visitor has left before the first message."""

    media_type = "text/event-stream"

    def __init__(
        self, content: AsyncGenerator[Any], headers: dict[str, str], place: Place, closed: Callable[[], object]
    ) -> None:
        super().__init__(content, headers=headers)
        self._place = place
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See starlette."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._place.leave()
            self._closed()


def retry_after(milliseconds: int) -> str:
    """Make the message that tells a browser when to connect again."""
    return f"retry: {milliseconds}\n\n"


def event(data: str, mark: str | int = "") -> str:
    """Make the message of one event, with its mark if a browser may continue after it."""
    return (f"id: {mark}\n" if mark != "" else "") + f"data: {data}\n\n"


async def _counted(site: Site, messages: AsyncGenerator[str]) -> AsyncGenerator[str]:
    site.metrics.stream_opened(1)
    try:
        async with aclosing(messages):
            async for message in messages:
                yield message
    finally:
        site.metrics.stream_opened(-1)


async def with_pulses(
    messages: AsyncGenerator[str], seconds: float = PULSE_SECONDS, given_up: asyncio.Event | None = None
) -> AsyncGenerator[str]:
    """Give the messages, and a comment whenever none has come for *seconds*; close them in the end, or if given up."""
    end = asyncio.ensure_future((given_up or asyncio.Event()).wait())
    async with aclosing(messages):
        coming = asyncio.ensure_future(anext(messages, None))
        try:
            while not end.done():
                done, _ = await asyncio.wait((coming, end), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    yield PULSE
                elif coming in done:
                    if (message := coming.result()) is None:
                        return
                    yield message
                    coming = asyncio.ensure_future(anext(messages, None))
        finally:
            end.cancel()
            coming.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await coming


async def _packed(messages: AsyncGenerator[str]) -> AsyncGenerator[bytes]:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, AS_GZIP + WINDOW_BITS, MEMORY_LEVEL)
    async with aclosing(messages):
        async for message in messages:
            yield packer.compress(message.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()

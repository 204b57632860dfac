"""
Streams of server-sent events.

They are packed with gzip for browsers that take it, where each message goes out whole, at once.
"""

from __future__ import annotations

import asyncio
import zlib
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from ladder.site.rendering.cache import GZIP

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import Request
    from starlette.responses import Response

    from ladder.site.server.context import Site

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


def event_stream(request: Request, messages: AsyncGenerator[str]) -> Response:
    """Answer with a stream of server-sent events; *messages* are closed when it ends."""
    site: Site = request.app.state.site
    stream, headers = _counted(site, with_pulses(messages)), HEADERS
    if GZIP.search(request.headers.get("accept-encoding", "")):
        headers = {**HEADERS, "Content-Encoding": "gzip"}
        return StreamingResponse(_packed(stream), headers=headers, media_type="text/event-stream")
    return StreamingResponse(stream, headers=headers, media_type="text/event-stream")


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


async def with_pulses(messages: AsyncGenerator[str], seconds: float = PULSE_SECONDS) -> AsyncGenerator[str]:
    """Give the messages, and a comment whenever none has come for *seconds*; then close them."""
    async with aclosing(messages):
        coming = asyncio.ensure_future(anext(messages, None))
        try:
            while True:
                done, _ = await asyncio.wait((coming,), timeout=seconds)
                if not done:
                    yield PULSE
                    continue
                if (message := coming.result()) is None:
                    return
                yield message
                coming = asyncio.ensure_future(anext(messages, None))
        finally:
            coming.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await coming


async def _packed(messages: AsyncGenerator[str]) -> AsyncGenerator[bytes]:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, AS_GZIP + WINDOW_BITS, MEMORY_LEVEL)
    async with aclosing(messages):
        async for message in messages:
            yield packer.compress(message.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()

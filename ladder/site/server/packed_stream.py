"""Streams of server-sent events, packed with gzip for browsers that take it: each event goes out whole, at once."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from ladder.site.rendering.cache import GZIP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Accept-Encoding"}
LEVEL, WINDOW_BITS, MEMORY_LEVEL = 6, 13, 5
"""The window holds some states of a table, each of which is much like the one before; a stream takes 48 KiB."""
AS_GZIP = 16
"""Added to the bits of the window, for the head and the check sum of gzip."""


def event_stream(request: Request, messages: AsyncIterator[str]) -> Response:
    """Answer with a stream of server-sent events."""
    if not GZIP.search(request.headers.get("accept-encoding", "")):
        return StreamingResponse(messages, headers=HEADERS, media_type="text/event-stream")
    headers = HEADERS | {"Content-Encoding": "gzip"}
    return StreamingResponse(_packed(messages), headers=headers, media_type="text/event-stream")


async def _packed(messages: AsyncIterator[str]) -> AsyncIterator[bytes]:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, AS_GZIP + WINDOW_BITS, MEMORY_LEVEL)
    async for message in messages:
        yield packer.compress(message.encode()) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()

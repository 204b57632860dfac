"""Limits of the size and the slowness of a visitor's requests."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

from ladder.site.rendering.translations import to_translate

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

USUAL_BYTES = 256 * 1024
"""The largest body of a request that is no upload."""
AROUND_UPLOAD = 64 * 1024
"""Bytes that a form may have besides the file."""
UPLOADS = re.compile(r"/api/v1/uploads/[^/]*|/me/submissions")
HEAD_BYTES = 32 * 1024
"""The longest head of a request: its address and its headers."""
FIRST_SECONDS = 30.0
MIN_RATE = 4096
"""Bytes in a second at which a body must arrive, after the first `FIRST_SECONDS`."""
LEFT_UNREAD = 1024 * 1024
"""Bytes of a too large body that are still read: a client that is sending does not read the answer."""
CLOSE = {"Connection": "close"}
TOO_LONG = "The address and the headers of a request have at most 32 KiB here.\n"
TOO_MUCH = to_translate(
    "That is more than this site takes; the organiser's setting upload_bytes says how large a bot may be."
)
TOO_SLOW = to_translate("What you send arrives too slowly; try again.")


class BodyLimits:
    """Ends requests whose head or body is too large, or whose body is too slow."""

    def __init__(self, app: ASGIApp, upload_bytes: int, first_seconds: float = FIRST_SECONDS) -> None:
        """
        Prepare.

        Args:
            app: What serves the others.
            upload_bytes: The largest upload.
            first_seconds: How long a small body may take.
        """
        self._app = app
        self._upload_bytes = upload_bytes
        self._first_seconds = first_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif len(scope["raw_path"]) + len(scope["query_string"]) + _length(scope) > HEAD_BYTES:
            await PlainTextResponse(TOO_LONG, 431, CLOSE)(scope, receive, send)
        else:
            max_bytes = self._upload_bytes + AROUND_UPLOAD if UPLOADS.fullmatch(scope["path"]) else USUAL_BYTES
            await self._app(scope, Body(receive, max_bytes, self._first_seconds), send)


def allowed_seconds(arrived: int, first_seconds: float = FIRST_SECONDS) -> float:
    """
    Give the seconds that a body may take of which *arrived* bytes have arrived.

    >>> allowed_seconds(0), allowed_seconds(4096 * 100)
    (30.0, 130.0)
    """
    return first_seconds + arrived / MIN_RATE


class Body:
    """The body of one request, as it arrives."""

    def __init__(self, receive: Receive, max_bytes: int, first_seconds: float) -> None:
        self._receive = receive
        self._max_bytes = max_bytes
        self._first_seconds = first_seconds
        self._began = time.monotonic()
        self._bytes = 0
        self._is_whole = False

    async def __call__(self) -> Message:
        """
        Give the next piece.

        Raises:
            HTTPException: 408: it comes too slowly; 413: it is too large.
        """
        if self._is_whole:  # what comes next is that the visitor leaves
            return await self._receive()
        message = await self._next()
        if self._bytes > self._max_bytes:
            await self._drain()
            raise HTTPException(413, TOO_MUCH, CLOSE)
        return message

    async def _next(self) -> Message:
        until = self._began + allowed_seconds(self._bytes, self._first_seconds)
        try:
            async with asyncio.timeout(until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, TOO_SLOW, CLOSE) from None
        self._bytes += len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        return message

    async def _drain(self) -> None:
        while not self._is_whole and self._bytes < self._max_bytes + LEFT_UNREAD:
            await self._next()


def _length(scope: Scope) -> int:
    return sum(len(name) + len(value) for name, value in scope["headers"])

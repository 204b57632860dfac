"""How much a request may bring: little, but where a bot is uploaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 256 * 1024
UPLOADS = "/api/v1/uploads/"
"""What is sent there is counted there."""
TOO_LARGE = f"This request is too large: it may have {MOST_BYTES:,} bytes."


class LimitedBodies:
    """Refuses what is too large as soon as it is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"].startswith(UPLOADS):
            await self._app(scope, receive, send)
            return
        taken = 0

        async def receive_little() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise HTTPException(413, TOO_LARGE, {"Connection": "close"})
            return message

        await self._app(scope, receive_little, send)

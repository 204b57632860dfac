"""
Plugin of pytest: each page that a browser goes to arrives late, and its text later than its head.

    .venv/bin/pytest -n 2 -m chromium -p tests.slow_pages tests/ladder/site

A test that looks at a page before it is there fails now and then on a busy machine, and nearly always with this plugin.
It slows the servers in the process of the tests; streams, scripts and pictures come as usual.
"""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn

SECONDS = 0.25
"""Before the head of a page, and again before its text."""


def slowed(app: Any) -> Any:
    """Give the ASGI application with late pages."""

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or dict(scope["headers"]).get(b"sec-fetch-mode") != b"navigate":
            await app(scope, receive, send)
            return

        async def send_late(message: Any) -> None:
            await send(message)
            if message["type"] == "http.response.start":
                await asyncio.sleep(SECONDS)

        await asyncio.sleep(SECONDS)
        await app(scope, receive, send_late)

    return slow


class SlowConfig(uvicorn.Config):
    """The configuration of a server that slows its pages."""

    def __init__(self, app: Any, *others: Any, **named: Any) -> None:
        super().__init__(slowed(app), *others, **named)


def pytest_configure() -> None:
    """Slow every server that is configured from now on."""
    uvicorn.Config = SlowConfig  # type: ignore[misc]

"""Limits of a body: its size, and its slowness."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI, Request

from ladder.site.server import body_limits
from ladder.site.server.body_limits import AROUND_UPLOAD, LEFT_UNREAD, USUAL_BYTES, BodyLimits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

UPLOAD = 3 * USUAL_BYTES
PATH = "/api/v1/submissions"
PIECE = b"x" * 65536
LARGE = UPLOAD + AROUND_UPLOAD
PATHS = [(PATH, USUAL_BYTES), ("/me/submissions", LARGE), ("/api/v1/uploads/abc", LARGE)]


async def answer(path: str, content: bytes | AsyncIterator[bytes], first_seconds: float = 600.0) -> httpx.Response:
    """Give the answer of a route that reads the whole body."""
    app = FastAPI()

    @app.post(path)
    async def read(request: Request) -> int:
        return len(await request.body())

    transport = httpx.ASGITransport(BodyLimits(app, UPLOAD, first_seconds))
    async with httpx.AsyncClient(transport=transport, base_url="http://site.test") as client:
        return await client.post(path, content=content)


@pytest.mark.parametrize(("path", "most"), PATHS)
async def test_only_uploads_may_be_large(path: str, most: int) -> None:
    taken, refused = await answer(path, b"x" * most), await answer(path, b"x" * (most + 1))
    assert (taken.status_code, taken.json()) == (200, most)
    assert (refused.status_code, refused.headers["connection"]) == (413, "close")
    assert refused.json()["detail"] == body_limits.TOO_MUCH


async def test_a_body_without_end_is_not_read_to_its_end() -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += len(PIECE)
            yield PIECE

    assert (await answer(PATH, endless())).status_code == 413
    assert sent <= USUAL_BYTES + LEFT_UNREAD + 2 * len(PIECE)


async def test_a_body_that_does_not_arrive_is_not_waited_for() -> None:
    async def stuck() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    refused = await answer(PATH, stuck(), first_seconds=0.1)
    assert (refused.status_code, refused.headers["connection"]) == (408, "close")


async def test_a_head_that_is_too_long_is_refused() -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(BodyLimits(FastAPI(), UPLOAD)), base_url="http://site.test"
    ) as client:
        for headers, query in (({"X-Long": "x" * 40_000}, ""), ({}, "x" * 40_000)):
            refused = await client.get("/", headers=headers, params={"q": query})
            assert (refused.status_code, refused.text) == (431, body_limits.TOO_LONG)


async def test_who_leaves_is_still_noticed_when_the_body_is_whole() -> None:
    received: list[Any] = []
    messages = iter([{"type": "http.request", "body": b"x"}, {"type": "http.disconnect"}])

    async def receive() -> Any:
        return next(messages)

    async def app(_: Any, receive: Any, __: Any) -> None:
        received.extend([await receive(), await receive()])

    scope = {"type": "http", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}
    await BodyLimits(app, UPLOAD)(scope, receive, receive)  # type: ignore[arg-type]
    assert [each["type"] for each in received] == ["http.request", "http.disconnect"]

"""Requests at the edge: limits of a body, one line of the log each, and redirects within the site."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fastapi import FastAPI, Request
from structlog.testing import capture_logs

from ladder.site.server import body_limits
from ladder.site.server.body_limits import AROUND_UPLOAD, LEFT_UNREAD, USUAL_BYTES, BodyLimits
from ladder.site.server.headers import REFUSED, REFUSED_SECONDS, EveryResponse, Refusals, relative
from ladder.site.server.metrics import Metrics
from tests.ladder.site.test_access import routes
from tests.ladder.site.visitor import empty_site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

NOW = 100.0


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def test_of_refused_requests_those_like_a_logged_one_are_counted_for_a_while() -> None:
    clock = Clock()
    refusals = Refusals(clock)
    assert [refusals.unlogged("192.0.2.1", 503) for _ in range(3)] == [0, None, None]
    assert refusals.unlogged("192.0.2.77", 503) is None, "its neighbour"
    assert (refusals.unlogged("192.0.2.1", 429), refusals.unlogged("198.51.100.1", 503)) == (0, 0)
    clock.now = NOW + REFUSED_SECONDS - 0.1
    assert refusals.unlogged("192.0.2.1", 503) is None
    clock.now = NOW + REFUSED_SECONDS
    assert refusals.unlogged("192.0.2.1", 503) == 4
    assert refusals.unlogged("192.0.2.1", 503) is None


@pytest.mark.parametrize("others", [1, 2, 3])
def test_no_more_addresses_are_counted_than_there_is_room_for(others: int) -> None:
    refusals = Refusals(Clock(), max_kept=3)
    for number in range(1 + others):
        assert refusals.unlogged(f"192.0.{number}.1", 503) == 0
    assert (refusals.unlogged("192.0.0.1", 503) is None) == (others < 3)


@pytest.mark.parametrize(("status", "lines"), [(200, 50), (404, 50), *((each, 1) for each in REFUSED)])
async def test_refused_requests_do_not_fill_the_log(status: int, lines: int) -> None:
    async def app(_: object, __: object, send: object) -> None:
        assert callable(send)
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def nothing(*_: object) -> None: ...

    every = EveryResponse(app, Metrics())
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "http", "client": ("192.0.2.1", 1)}
    with capture_logs() as logged:
        for _ in range(50):
            await every(scope, nothing, nothing)  # type: ignore[arg-type]
    assert [each["status"] for each in logged] == [status] * lines


@pytest.mark.parametrize(
    ("location", "found"),
    [
        ("http://127.0.0.1:8020/v/hearts?by=elo#top", "/v/hearts?by=elo#top"),
        ("http://127.0.0.1:8020", "/"),
        ("http://127.0.0.1:8020//evil.test/x", "/evil.test/x"),
        ("/b/Trotter", "/b/Trotter"),
        ("https://127.0.0.1:8020/x", "https://127.0.0.1:8020/x"),
        ("https://provider.example/authorize?x=1", "https://provider.example/authorize?x=1"),
        ("http://127.0.0.1/x", "http://127.0.0.1/x"),
    ],
)
def test_a_redirect_within_the_site_names_no_host(location: str, found: str) -> None:
    scope = {
        "type": "http", "scheme": "http", "path": "/", "query_string": b"", "headers": [(b"host", b"127.0.0.1:8020")]
    }  # fmt: skip
    assert relative(location, scope) == found


def test_no_page_redirects_to_the_host_that_a_visitor_or_a_proxy_names(tmp_path: Path) -> None:
    """Each route with a slash too many, or one too few."""
    with empty_site(tmp_path) as site:
        asked = (path for method, path in routes(site.app) if method == "GET")
        paths = {re.sub(r"{\w+}", "1", re.sub(r"{\w+:path}", "a/b", path)) for path in asked}
        other = sorted(path[:-1] if path.endswith("/") else f"{path}/" for path in paths if path != "/")
        assert len(other) > 100
        found = {}
        for path in other:
            answer = site.get(f"{path}?a=b", host="evil.test")
            if "location" in answer.headers:
                found[path] = answer.headers["location"]
    assert len(found) > 100
    assert {place for place in found.values() if not re.match("/[^/]", place)} == set()
    assert found["/v/1/"] == "/v/1?a=b"


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

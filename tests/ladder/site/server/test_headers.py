"""Log of requests: one line each, but of refused ones only some. Redirects within the site are relative."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from ladder.site.server.headers import REFUSED, REFUSED_SECONDS, EveryResponse, Refusals, relative
from ladder.site.server.metrics import Metrics
from tests.ladder.site.test_access import routes
from tests.ladder.site.visitor import empty_site

if TYPE_CHECKING:
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

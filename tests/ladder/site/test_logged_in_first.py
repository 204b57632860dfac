"""A visitor who has not logged in learns nothing of what it sends: neither whether it is valid, nor what would be."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.ladder.site.test_access import CASES
from tests.ladder.site.visitor import BASE, Visitor, small_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEFT_BY = ("/logout",)
"""Leads everybody to the log-in."""
CLOSED = [case for case in CASES if case.expected[0] in (303, 401) and case.route not in LEFT_BY]
"""All routes of which nothing is for a visitor without an account."""
NONSENSE = "?number=x&limit=x&before=x&after=-1&days=x&owner=" + "x" * 200
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
BODIES = {
    "no body": (JSON, b""),
    "no JSON": (JSON, b"{"),
    "another value": (JSON, b'{"bytes": -1, "file": 7, "variant": [], "card": {}, "scopes": "all"}'),
    "no form": ("text/plain", b"x"),
    "a form that cannot be read": (FORM, b"csrf=%ff&name=%ff"),
    "a form without a proof": (FORM, b"name=x&decision=confirm"),
    "a form that is too large": (FORM, b"x" * 100_000),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder: Path = tmp_path_factory.mktemp("closed")
    with small_site(folder) as site:
        yield site


def test_all_such_routes_are_known() -> None:
    assert len(CLOSED) > 50


@pytest.mark.parametrize("what", BODIES)
@pytest.mark.parametrize("path", ["as it is", "nonsense"])
def test_nothing_is_judged_before_the_visitor_has_logged_in(site: Visitor, what: str, path: str) -> None:
    kind, body = BODIES[what]
    headers = {"Content-Type": kind, "Origin": BASE, "Sec-Fetch-Site": "same-origin"}

    async def ask_all() -> list[tuple[str, str, int]]:
        transport = httpx.ASGITransport(app=site.app, raise_app_exceptions=False)
        found = []
        async with httpx.AsyncClient(transport=transport, base_url=BASE) as client:
            for case in CLOSED:
                address = re.sub(r"{\w+}", "1" if path == "as it is" else "x" * 200, case.route) + NONSENSE
                content = b"" if case.method == "GET" else body
                answer = await client.request(case.method, address, headers=headers, content=content)
                found.append((case.method, case.route, answer.status_code))
        return found

    expected = [(case.method, case.route, case.expected[0]) for case in CLOSED]
    assert asyncio.run(ask_all()) == expected

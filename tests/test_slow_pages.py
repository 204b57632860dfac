"""The plugin that makes pages late: pages only, and the text after the head."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests import slow_pages


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (b"navigate", ["late", "http.response.start", "late", "http.response.body"]),
        (b"cors", ["http.response.start", "http.response.body"]),
    ],
)
def test_a_page_is_late_and_nothing_else(mode: bytes, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[str] = []

    async def late(seconds: float) -> None:
        happened.append("late")

    async def page(scope: Any, receive: Any, send: Any) -> None:
        for part in ("start", "body"):
            await send({"type": f"http.response.{part}"})

    async def send(message: Any) -> None:
        happened.append(message["type"])

    monkeypatch.setattr("asyncio.sleep", late)
    scope = {"type": "http", "headers": [(b"sec-fetch-mode", mode)]}
    asyncio.run(slow_pages.slowed(page)(scope, None, send))
    assert happened == expected

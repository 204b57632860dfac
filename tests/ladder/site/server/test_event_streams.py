"""Streams of server-sent events, whatever they carry."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING

import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ladder.site.server.event_streams import PULSE, STOP, event, event_stream, retry_after, with_pulses

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Counted:
    """The part of a site that a stream needs."""

    def __init__(self) -> None:
        self.metrics = self
        self.open = 0

    def stream_opened(self, change: int) -> None:
        self.open += change


class Messages:
    """Messages that come when the test says so; remembers that they were closed."""

    def __init__(self) -> None:
        self.may_come = asyncio.Event()
        self.closed = False

    async def stream(self) -> AsyncGenerator[str]:
        try:
            yield event("first", 1)
            await self.may_come.wait()
            yield event("second", 2)
            yield STOP
        finally:
            self.closed = True


def answer(site: Counted, source: Messages, encoding: str) -> Response:
    app = FastAPI()
    app.state.site = site
    scope = {"type": "http", "app": app, "headers": [(b"accept-encoding", encoding.encode())]}
    return event_stream(Request(scope), source.stream())


async def test_a_quiet_stream_has_pulses_and_loses_no_message() -> None:
    source = Messages()
    stream = with_pulses(source.stream(), seconds=0.01)
    assert await anext(stream) == "id: 1\ndata: first\n\n"
    assert [await anext(stream), await anext(stream)] == [PULSE, PULSE]
    source.may_come.set()
    assert [message async for message in stream if message != PULSE] == ["id: 2\ndata: second\n\n", STOP]
    assert source.closed


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
async def test_a_stream_is_counted_while_it_lasts_and_closes_what_it_sends(encoding: str) -> None:
    site, source = Counted(), Messages()
    response = answer(site, source, encoding)
    assert isinstance(response, StreamingResponse)
    assert (response.headers.get("content-encoding") == "gzip") == (encoding == "gzip")
    parts = aiter(response.body_iterator)
    await anext(parts)
    assert (site.open, source.closed) == (1, False)
    await parts.aclose()  # type: ignore[attr-defined]  # a generator: the reader has gone
    assert (site.open, source.closed) == (0, True)


async def test_a_packed_stream_says_the_same() -> None:
    source = Messages()
    source.may_come.set()
    packed, plain = (answer(Counted(), source, encoding) for encoding in ("br, gzip", ""))
    assert isinstance(packed, StreamingResponse)
    assert isinstance(plain, StreamingResponse)
    whole = b"".join([bytes(part) async for part in packed.body_iterator])  # type: ignore[arg-type]
    assert gzip.decompress(whole).decode() == "".join([str(part) async for part in plain.body_iterator])


def test_messages_are_written_as_the_format_wants() -> None:
    assert [retry_after(500), event("{}"), event("{}", 0)] == ["retry: 500\n\n", "data: {}\n\n", "id: 0\ndata: {}\n\n"]

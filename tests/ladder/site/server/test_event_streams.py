"""Streams of server-sent events, whatever they carry."""

from __future__ import annotations

import asyncio
import gzip
from typing import TYPE_CHECKING

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ladder.site.server.event_streams import PULSE, STOP, TOO_MANY, event, event_stream, retry_after, with_pulses
from ladder.site.server.places import SharedPlaces

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.types import Message


class Counted:
    """The part of a site that a stream needs."""

    def __init__(self) -> None:
        self.metrics = self
        self.open = 0
        self.streams = SharedPlaces(2)

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


def request(site: Counted, encoding: str = "", address: str = "192.0.2.1") -> Request:
    app = FastAPI()
    app.state.site = site
    headers = [(b"accept-encoding", encoding.encode())]
    return Request({"type": "http", "app": app, "headers": headers, "client": (address, 1)})


def answer(site: Counted, source: Messages, encoding: str) -> Response:
    return event_stream(request(site, encoding), source.stream())


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


async def sent(response: Response, leave: asyncio.Event | None = None) -> bytes:
    """Serve an answer; gives all that is sent until it ends, or until the visitor leaves."""
    parts: list[bytes] = []

    async def receive() -> Message:
        await (leave or asyncio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        parts.append(message.get("body", b""))

    await response({"type": "http", "asgi": {"spec_version": "2.3"}}, receive, send)
    return b"".join(parts)


async def test_a_visitor_who_leaves_before_the_first_message_takes_nothing_along() -> None:
    site, source, left, closed = Counted(), Messages(), asyncio.Event(), list[str]()
    left.set()
    for number in range(1, 4):
        response = event_stream(request(site), source.stream(), lambda: closed.append("closed"))
        assert await sent(response, left) == b""
        assert (len(site.streams), len(closed)) == (0, number)


async def test_one_stream_too_many_is_refused_or_takes_the_place_of_one_of_who_has_the_most() -> None:
    site, source, closed = Counted(), Messages(), list[str]()
    open_streams = [asyncio.create_task(sent(event_stream(request(site), source.stream()))) for _ in range(2)]
    while site.open < 2:
        await asyncio.sleep(0)
    with pytest.raises(HTTPException) as refused:
        event_stream(request(site), source.stream(), lambda: closed.append("closed"))
    assert (refused.value.status_code, refused.value.detail, closed) == (503, TOO_MANY, ["closed"])
    honest = event_stream(request(site, address="198.51.100.1"), source.stream())
    assert await open_streams[1] == event("first", 1).encode(), "without a stop: a browser connects again"
    source.may_come.set()
    whole = (event("first", 1) + event("second", 2) + STOP).encode()
    assert [await open_streams[0], await sent(honest)] == [whole, whole]
    assert (site.open, len(site.streams)) == (0, 0)

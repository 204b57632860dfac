"""Places that visitors share, of which no visitor has all while another wants some, and streams of events in them."""

from __future__ import annotations

import asyncio
import gzip
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest
from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ladder.app.accounts.passwords import MAX_WAITING
from ladder.errors import Busy
from ladder.site.accounts.login import hashing_turns
from ladder.site.server.event_streams import PULSE, STOP, TOO_MANY, event, event_stream, retry_after, with_pulses
from ladder.site.server.flows import Flows
from ladder.site.server.places import Place, SharedPlaces, Turns
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from starlette.types import Message

LIMIT = 4
FLOOD, NEAR, FAR, FURTHER = "192.0.2.1", "192.0.2.77", "198.51.100.1", "2001:db8::1"


class Work:
    """Slow work of visitors, which ends when the test says so; remembers whose has begun."""

    def __init__(self, at_once: int, max_waiting: int = 100) -> None:
        self.turns = Turns(at_once, max_waiting, "busy")
        self.begun: list[str] = []
        self.may_end = threading.Event()

    def asked(self, *addresses: str) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self.turns.do(each, partial(self._work, each))) for each in addresses]

    def _work(self, address: str) -> None:
        self.begun.append(address)
        assert self.may_end.wait(PATIENCE)


class Taken:
    """Visitors who take places, and those that were given up."""

    def __init__(self, count: int = LIMIT) -> None:
        self.places = SharedPlaces(count)
        self.given_up: list[str] = []

    def take(self, address: str, name: str = "", *, is_idle: bool = False) -> Place | None:
        name = name or address
        return self.places.take(address, lambda: self.given_up.append(name), is_idle=is_idle)

    def takes(self, *addresses: str) -> list[bool]:
        return [self.take(each) is not None for each in addresses]


@pytest.mark.parametrize(
    ("number", "expected"), [(LIMIT - 1, [True] * 3), (LIMIT, [True] * 4), (LIMIT + 1, [True] * 4 + [False])]
)
def test_one_visitor_may_have_all_places_but_no_more(number: int, expected: Sequence[bool]) -> None:
    taken = Taken()
    assert taken.takes(*[FLOOD] * number) == expected
    assert (len(taken.places), taken.given_up) == (sum(expected), [])


@pytest.mark.parametrize(
    ("there", "comes", "given_up"),
    [
        ([FLOOD] * 3, [FAR], []),
        ([FLOOD] * 4, [FAR], [FLOOD]),
        ([FLOOD] * 4, [FAR, FAR], [FLOOD, FLOOD]),
        ([FLOOD, NEAR, "192.0.2.2", NEAR], [FAR], [NEAR]),
        ([FLOOD] * 3 + [FAR], [NEAR], [FLOOD]),
        ([f"2001:db8:0:{number}::1" for number in range(4)], [FLOOD], ["2001:db8:0:0::1"]),
        ([FLOOD] * 3 + [FAR], [FURTHER, FURTHER], [FLOOD]),
    ],
)
def test_who_has_the_most_gives_up_a_place(there: list[str], comes: list[str], given_up: list[str]) -> None:
    taken = Taken()
    assert all(taken.takes(*there))
    taken.takes(*comes)
    assert taken.given_up == given_up
    assert len(taken.places) <= LIMIT


def test_who_has_no_fewer_is_refused() -> None:
    taken = Taken(2)
    assert taken.takes(FLOOD, FAR, FURTHER, FAR) == [True, True, False, False]
    assert taken.given_up == []


def test_a_flood_that_renews_itself_keeps_no_other_visitor_out() -> None:
    taken = Taken(50)
    honest = [taken.take(FAR, "honest") for _ in range(3)]
    for _ in range(500):
        taken.take(FLOOD, "flood")
    assert None not in [*honest, taken.take(FURTHER)]
    assert "honest" not in taken.given_up


def test_idle_places_go_first_the_longest_idle_one_before_others() -> None:
    taken = Taken()
    first, second = taken.take(FLOOD, "first", is_idle=True), taken.take(FLOOD, "second", is_idle=True)
    taken.take(FLOOD, "third")
    taken.take(FLOOD, "fourth")
    assert first
    assert second
    first.set_idle(False)
    first.set_idle(True)
    for _ in range(3):
        taken.take(FAR)
    assert taken.given_up == ["second", "first"]
    assert taken.take(FAR) is None, "each has two"


def test_who_has_all_loses_an_idle_one_of_its_own() -> None:
    taken = Taken()
    for number in range(6):
        assert taken.take(FLOOD, str(number), is_idle=True)
    assert taken.given_up == ["0", "1"]


def test_a_place_that_was_left_or_given_up_is_free_once() -> None:
    taken = Taken(1)
    place = taken.take(FLOOD)
    assert place
    place.leave()
    place.leave()
    place.set_idle(True)
    assert len(taken.places) == 0
    assert taken.takes(FAR, FURTHER) == [True, False]


async def test_work_is_done_in_turns_and_those_who_wait_share_their_places() -> None:
    turns, may_end, begun = Turns(1, 2, "busy"), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def work() -> str:
        loop.call_soon_threadsafe(begun.set)
        assert may_end.wait(PATIENCE)
        return "done"

    first = asyncio.create_task(turns.do(FLOOD, work))
    await begun.wait()
    waiting = [asyncio.create_task(turns.do(FLOOD, work)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Busy, match="busy"):
        await turns.do(FLOOD, work)
    honest = asyncio.create_task(turns.do(FAR, work))
    with pytest.raises(Busy, match="busy"):
        await waiting[1]
    may_end.set()
    assert [await each for each in (first, waiting[0], honest)] == ["done"] * 3


async def test_as_many_passwords_wait_until_they_are_hashed_as_are_allowed_and_no_more() -> None:
    work = Work(1)
    work.turns = hashing_turns()
    asked = work.asked(*[FLOOD] * (1 + MAX_WAITING))
    await comes(lambda: work.begun)
    assert not any(each.done() for each in asked)
    with pytest.raises(Busy):
        await work.asked(FLOOD)[0]
    work.may_end.set()
    await asyncio.gather(*asked)


@pytest.mark.parametrize(
    ("at_once", "addresses", "begun"),
    [
        (8, [FLOOD] * 4, 4),
        (8, [FLOOD] * 5, 4),
        (8, [FLOOD, NEAR] * 9, 4),
        (8, [FLOOD] * 9 + [FAR], 5),
        (8, [FLOOD] * 9 + [FAR] * 9, 6),
        (8, [FLOOD] * 9 + [FAR] * 9 + [FURTHER] * 9, 7),
        (8, [FLOOD] * 9 + [FAR] * 9 + [FURTHER] * 9 + ["203.0.113.1"], 8),
        (2, [FLOOD] * 9, 1),
        (2, [FLOOD] * 9 + [FAR], 2),
        (1, [FLOOD] * 9, 1),
    ],
)
async def test_one_sender_has_a_share_of_the_threads_and_another_one_finds_one_free(
    at_once: int, addresses: list[str], begun: int
) -> None:
    work = Work(at_once)
    tasks = work.asked(*addresses)
    await comes(lambda: len(work.begun) >= begun)
    assert len(work.begun) == begun
    work.may_end.set()
    await asyncio.gather(*tasks)
    assert len(work.begun) == len(addresses)


async def test_those_who_wait_are_served_in_turn_however_many_wait_for_the_same_sender() -> None:
    work = Work(1)
    tasks = work.asked(*[FLOOD] * 5, *[NEAR] * 2, FAR, FAR)
    await comes(lambda: work.begun)
    work.may_end.set()
    await asyncio.gather(*tasks)
    assert work.begun == [FLOOD, FLOOD, FAR, NEAR, FAR, FLOOD, NEAR, FLOOD, FLOOD]


async def test_a_visitor_who_goes_while_waiting_leaves_the_turn_to_others() -> None:
    work = Work(1, max_waiting=2)
    first, leaves, stays = work.asked(FLOOD, FAR, FURTHER)
    await comes(lambda: work.begun)
    leaves.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaves
    (later,) = work.asked(FAR)
    work.may_end.set()
    await asyncio.gather(first, stays, later)
    assert work.begun == [FLOOD, FURTHER, FAR]


async def test_one_whose_turn_begins_as_it_goes_gives_it_back() -> None:
    work = Work(1)
    first, leaves, stays = work.asked(FLOOD, FAR, FURTHER)
    await comes(lambda: work.begun)
    work.may_end.set()
    first.add_done_callback(lambda _: leaves.cancel())  # it runs before the task that has just got its turn
    await asyncio.gather(first, stays)
    assert work.begun[-1] == FURTHER
    assert leaves.cancelled() or leaves.done()


@pytest.mark.parametrize(("number", "is_kept"), [(2, True), (3, True), (4, False)])
def test_who_begins_very_many_log_ins_ends_only_its_own(number: int, is_kept: bool) -> None:
    flows = Flows[str](max_flows=LIMIT)
    honest = flows.keep("honest", FAR)
    of_flood = [flows.keep("flood", FLOOD) for _ in range(number)]
    assert (flows.take(of_flood[0]) == "flood") == is_kept
    assert (flows.take(honest), flows.take(honest)) == ("honest", None)


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

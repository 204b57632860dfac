"""
One attempt to send a message, the times of the next ones, and signatures as a receiver verifies them.

The receiver is on this machine, and its library is that of Standard Webhooks.
"""

from __future__ import annotations

import asyncio
import base64
import datetime
import ipaddress
import random
import socket
import ssl
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from ladder.runner.delivering import ATTEMPTS, JITTER, LONGEST, pause_after
from ladder.webhooks import sending
from ladder.webhooks.public_addresses import AddressPolicy, target_of
from ladder.webhooks.sending import (
    MAX_HEAD_BYTES,
    hash_of,
    secret_of,
    send,
    signed_headers,
)
from tests.ladder.site.certificates import HOST, make_pair
from tests.ladder.webhooks.receivers import odd_receiver, receiver
from tests.waiting import PATIENCE, comes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ladder.webhooks.public_addresses import Target

HOUR = 3600.0


def pauses(rng: random.Random) -> list[float]:
    found = [pause_after(refusals, rng) for refusals in range(1, ATTEMPTS)]
    return [each for each in found if each is not None]


def test_pauses_grow_by_themselves_and_chance_until_about_a_day_has_passed() -> None:
    middle = pauses(_Middle())
    assert middle == sorted(middle)
    assert middle[:3] == [10.0, 40.0, 160.0]
    assert middle[-1] == LONGEST
    assert 20 * HOUR < sum(middle) < 26 * HOUR


def test_two_messages_that_were_refused_together_do_not_come_again_together() -> None:
    rng = random.Random(1)
    many = {pause_after(3, rng) for _ in range(100)}
    assert len(many) == 100
    assert all(each and 160 * (1 - JITTER) <= each <= 160 * (1 + JITTER) for each in many)


def test_after_the_last_attempt_a_message_is_given_up() -> None:
    assert pause_after(ATTEMPTS - 1, random.Random(1)) is not None
    assert pause_after(ATTEMPTS, random.Random(1)) is None
    assert pause_after(10**6, random.Random(1)) is None


@pytest.mark.parametrize("wait", [0.0, 5.0, 60.0, LONGEST, 10**9])
def test_a_receiver_that_asks_to_wait_is_not_asked_sooner_and_no_later_than_the_longest_pause(wait: float) -> None:
    for refusals in range(1, ATTEMPTS):
        own = pause_after(refusals, random.Random(refusals))
        found = pause_after(refusals, random.Random(refusals), wait)
        assert own is not None
        assert found is not None
        assert max(own, min(wait, LONGEST)) <= found <= max(own, LONGEST * (1 + JITTER))
    assert pause_after(ATTEMPTS, random.Random(1), wait) is None


class _Middle(random.Random):
    """Chance that does neither."""

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2


HERE = AddressPolicy(loopback=True)
HEADERS, BODY = {"webhook-id": "msg_1"}, '{"type":"webhook.test"}'


async def test_a_message_is_one_request_with_its_headers() -> None:
    with receiver() as there:
        outcome = await send(there.url, HERE, HEADERS, BODY)
        assert (outcome.status, outcome.is_accepted, outcome.sentence) == (204, True, "The receiver answered 204.")
        got = there.next()
        assert (got.path, got.body, got.key) == ("/hook?room=7", BODY, "msg_1")
        assert got.headers["content-type"] == "application/json"
        assert got.headers["host"] in there.url
        assert there.arrivals.empty()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_redirects_are_not_followed(status: int) -> None:
    with receiver() as there:
        there.answers.append(status)
        outcome = await send(there.url, HERE, HEADERS, BODY)
        assert not outcome.is_accepted
        assert f"answered {status}. Redirects" in outcome.sentence
        assert there.next().path == "/hook?room=7"
        assert there.arrivals.empty()


@pytest.mark.parametrize(("status", "is_gone"), [(400, False), (404, False), (410, True), (500, False)])
async def test_errors_are_not_accepted(status: int, is_gone: bool) -> None:
    with receiver() as there:
        there.answers.append(status)
        outcome = await send(there.url, HERE, HEADERS, BODY)
        assert (outcome.status, outcome.is_accepted, outcome.is_gone) == (status, False, is_gone)


async def test_a_receiver_that_answers_a_letter_at_a_time_is_left_after_a_time() -> None:
    ended = threading.Event()

    def trickle(connection: socket.socket) -> None:
        try:
            connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
            while not ended.wait(0.01):
                connection.sendall(b"x")
        finally:
            ended.set()

    with odd_receiver(trickle) as url:
        outcome = await send(url, HERE, HEADERS, BODY, seconds=0.3)
        assert (outcome.status, " 0.3 s" in outcome.sentence) == (None, True)
        await comes(ended.is_set, "the end of the connection")


async def test_of_a_huge_answer_only_the_head_is_read() -> None:
    broken = threading.Event()

    def flood(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n")
        try:
            while True:
                connection.sendall(bytes(65536))
        except OSError:
            broken.set()

    with odd_receiver(flood) as url:
        outcome = await send(url, HERE, HEADERS, BODY, seconds=PATIENCE)
        assert outcome.is_accepted
        await comes(broken.is_set, "the end of the connection")


async def test_a_head_without_end_is_refused() -> None:
    sent = []

    def flood(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while True:
            connection.sendall(b"x: " + 1000 * b"x" + b"\r\n")
            sent.append(1000)

    with odd_receiver(flood) as url:
        outcome = await send(url, HERE, HEADERS, BODY, seconds=PATIENCE)
        assert "not HTTP" in outcome.sentence
    assert sum(sent) >= MAX_HEAD_BYTES


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"", "The receiver could not be reached: it closed the connection without an answer."),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "The answer was not HTTP, or its headers were too long."),
    ],
)
async def test_what_is_no_answer_is_named(answer: bytes, sentence: str) -> None:
    with odd_receiver(lambda connection: connection.sendall(answer)) as url:
        outcome = await send(url, HERE, HEADERS, BODY)
        assert (outcome.status, outcome.sentence) == (None, sentence)


async def test_where_nothing_listens_the_reason_is_named() -> None:
    with odd_receiver(lambda connection: None) as url:
        pass
    outcome = await send(url, HERE, HEADERS, BODY)
    assert outcome.sentence.endswith(": Connection refused.")


async def test_an_interim_answer_is_not_the_answer() -> None:
    answer = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 503 Later\r\n\r\n"
    with odd_receiver(lambda connection: connection.sendall(answer)) as url:
        assert (await send(url, HERE, HEADERS, BODY)).status == 503


async def test_nothing_is_sent_to_an_address_that_is_refused() -> None:
    with receiver() as there:
        outcome = await send(there.url, AddressPolicy(http=True), HEADERS, BODY)
        assert "not sent to 127.0.0.1: " in outcome.sentence
        assert there.arrivals.empty()


async def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_checked() -> None:
    """A name server that gives a public address first, and then one of this network, gains nothing."""
    asked = []

    def resolve(target: Target) -> list[str]:
        asked.append(target.host)
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.7"]

    with receiver() as there:
        url = there.url.replace("127.0.0.1", "rebinding.invalid")
        assert (await send(url, HERE, HEADERS, BODY, resolve=resolve)).is_accepted
        assert there.next().headers["host"].startswith("rebinding.invalid:")
        assert asked == ["rebinding.invalid"]
        refused = await send(url, HERE, HEADERS, BODY, resolve=resolve)
        assert "rebinding.invalid, which is 10.0.0.7: a private" in refused.sentence
        assert there.arrivals.empty()


async def test_of_several_addresses_the_next_is_tried_where_one_does_not_answer() -> None:
    with receiver() as there:
        outcome = await send(there.url, HERE, HEADERS, BODY, resolve=lambda target: ["::1", "127.0.0.1"])
        assert outcome.is_accepted


@contextmanager
def silent(*, accepts: bool, address: str = "127.0.0.3") -> Iterator[tuple[str, int]]:
    """
    An address and port that says nothing.

    Args:
        accepts: The kernel takes connections, and no one reads them; else it drops what comes, as a firewall does.
        address: One of this machine.
    """
    with ExitStack() as held, socket.create_server((address, 0), backlog=64 if accepts else 0) as server:
        there = server.getsockname()
        waiting = [] if accepts else [held.enter_context(socket.socket()) for _ in range(8)]
        for each in waiting:  # they fill the queue of those that wait to be accepted
            each.setblocking(False)
            with suppress(BlockingIOError):
                each.connect(there)
        yield there


@pytest.mark.parametrize("dead", [1, 3])
async def test_an_address_that_drops_what_comes_keeps_no_message_from_the_next(dead: int) -> None:
    with silent(accepts=False) as (first, port), receiver(port=port) as there:
        found = [*[first, "127.0.0.4", "127.0.0.5"][:dead], "127.0.0.1"]
        outcome = await send(there.url, HERE, HEADERS, BODY, seconds=PATIENCE, resolve=lambda _: found)
        assert outcome.is_accepted
        assert there.next().body == BODY
        assert there.arrivals.empty(), "one attempt is one message"


async def test_one_that_takes_the_connection_and_never_speaks_tls_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = make_pair(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pair.certificate, pair.key)
    monkeypatch.setattr(sending, "_trusted", lambda: ssl.create_default_context(cafile=str(pair.certificate)))
    with silent(accepts=True) as (first, port), receiver(server, port=port) as there:
        named = there.url.replace("127.0.0.1", HOST)
        found = [first, "127.0.0.1"]
        assert (await send(named, HERE, HEADERS, BODY, seconds=PATIENCE, resolve=lambda _: found)).is_accepted


async def test_an_attempt_begins_with_another_address_than_the_one_before() -> None:
    """The first address takes the request and never answers: a second attempt is not spent on it."""
    with silent(accepts=True) as (first, port), receiver(port=port) as there:
        found = [first, "127.0.0.1"]
        lost = await send(there.url, HERE, HEADERS, BODY, seconds=0.3, resolve=lambda _: found)
        assert " 0.3 s" in lost.sentence
        again = await send(there.url, HERE, HEADERS, BODY, turn=1, seconds=PATIENCE, resolve=lambda _: found)
        assert again.is_accepted


def test_both_families_are_tried_by_turns_and_never_too_many_addresses() -> None:
    sixes = [ipaddress.ip_address(f"2a00::{number}") for number in range(1, 40)]
    four = ipaddress.ip_address("8.8.8.8")
    tried = sending._in_turn([*sixes, four], 0)
    assert tried[:2] == [sixes[0], four]
    assert len(tried) == sending.MAX_ADDRESSES
    assert sending._in_turn([*sixes, four], 1)[0] == four
    assert sorted(map(str, sending._in_turn(sixes[:3], 7))) == sorted(map(str, sixes[:3]))


class Opened:
    """A connection in the place of a stream's writer and its transport."""

    def __init__(self) -> None:
        self.is_aborted = False

    @property
    def transport(self) -> Opened:
        return self

    def abort(self) -> None:
        self.is_aborted = True


async def test_of_connections_that_come_at_the_same_time_one_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    opened, all_there = list[Opened](), asyncio.Event()

    async def open_connection(host: str, port: int) -> tuple[None, Opened]:
        opened.append(Opened())
        mine = opened[-1]
        if len(opened) == 3:
            all_there.set()
        await all_there.wait()
        return None, mine

    monkeypatch.setattr(sending, "NEXT_SECONDS", 0.0)
    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    addresses = [ipaddress.ip_address(f"192.0.2.{number}") for number in (1, 2, 3)]
    await sending._connected(target_of("http://hooks.example/"), addresses)
    assert sorted(one.is_aborted for one in opened) == [False, True, True]


NOW = datetime.datetime(2026, 12, 1, 12, tzinfo=datetime.UTC).timestamp()


@pytest.mark.parametrize("status", [429, 503, 500, 404])
@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("9" * 4000, float(sending.LONGEST_WAIT)),
        ("Tue, 01 Dec 2026 12:02:00 GMT", 120.0),
        ("Tuesday, 01-Dec-26 12:02:00 GMT", 120.0),
        ("Tue, 01 Dec 2026 11:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", float(sending.LONGEST_WAIT)),
        ("-5", None), ("1.5", None), ("soon", None), ("\u0663", None), ("", None),
        ("Tue, 99 Dec 2026 12:02:00 GMT", None),
    ],
)  # fmt: skip
async def test_a_receiver_may_ask_to_wait(status: int, header: str, wait: float | None) -> None:
    answer = f"HTTP/1.1 {status} No\r\nRetry-After: {header}\r\n\r\n".encode()
    with odd_receiver(lambda connection: connection.sendall(answer)) as url:
        outcome = await send(url, HERE, HEADERS, BODY, seconds=PATIENCE, clock=lambda: NOW)
    asked = wait if status in (429, 503) else None
    assert (outcome.status, outcome.wait) == (status, asked)
    assert ("asks to wait" in outcome.sentence) == (asked is not None)


async def test_a_certificate_must_be_that_of_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = make_pair(tmp_path)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pair.certificate, pair.key)
    with receiver(server) as there:
        unknown = await send(there.url, HERE, HEADERS, BODY)
        assert "certificate is not trusted (" in unknown.sentence
        monkeypatch.setattr(sending, "_trusted", lambda: ssl.create_default_context(cafile=str(pair.certificate)))
        named = there.url.replace("127.0.0.1", HOST)
        assert (await send(named, HERE, HEADERS, BODY, resolve=lambda target: ["127.0.0.1"])).is_accepted
        other = there.url.replace("127.0.0.1", "other.example")
        refused = await send(other, HERE, HEADERS, BODY, resolve=lambda target: ["127.0.0.1"])
        assert "certificate is not trusted" in refused.sentence


KEY, SIGNING_BODY = bytes(range(32)), '{"type":"event.over","data":{"event":"猪"}}'


def test_a_receiver_verifies_what_was_signed() -> None:
    secret = secret_of(KEY, "salt")
    headers = signed_headers(secret, "msg_1", SIGNING_BODY, time.time())
    assert headers["webhook-id"] == "msg_1"
    assert Webhook(secret).verify(SIGNING_BODY, headers) == {"type": "event.over", "data": {"event": "猪"}}
    assert Webhook(secret).verify(SIGNING_BODY.encode(), headers)["type"] == "event.over"


@pytest.mark.parametrize("changed", ["body", "webhook-id", "webhook-timestamp", "secret"])
def test_what_was_changed_on_its_way_is_not_verified(changed: str) -> None:
    secret, now = secret_of(KEY, "salt"), time.time()
    headers = signed_headers(secret, "msg_1", SIGNING_BODY, now)
    other = {"webhook-id": "msg_2", "webhook-timestamp": str(int(now) - 1)}
    if changed in headers:
        headers[changed] = other[changed]
    with pytest.raises(WebhookVerificationError, match="No matching signature"):
        Webhook(secret_of(KEY, "other") if changed == "secret" else secret).verify(
            SIGNING_BODY + " " if changed == "body" else SIGNING_BODY, headers
        )


def test_an_old_message_cannot_be_played_again() -> None:
    secret = secret_of(KEY, "salt")
    with pytest.raises(WebhookVerificationError, match="too old"):
        Webhook(secret).verify(SIGNING_BODY, signed_headers(secret, "msg_1", SIGNING_BODY, time.time() - 3600))


def test_a_secret_is_256_bits_that_only_key_and_salt_together_give() -> None:
    secret = secret_of(KEY, "salt")
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    assert secret == secret_of(KEY, "salt")
    others = {secret_of(KEY, "salt2"), secret_of(bytes(32), "salt"), secret}
    assert len(others) == 3
    assert len({hash_of(each) for each in others}) == 3
    assert secret not in hash_of(secret)

"""Messages are delivered at least once, by one deliverer at a time, whatever becomes of receivers and deliverers."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app import webhooks
from ladder.app.ladder import Ladder
from ladder.errors import LadderError
from ladder.results.files import WakeFile
from ladder.runner.delivering import DelivererThread
from ladder.runner.lease_loop import LeaseLoop
from ladder.store.commands.outbox import post
from ladder.store.database import Database
from ladder.store.webhook_models import WebhookMessage
from ladder.values.accounts import LOCAL
from ladder.values.webhooks import MessageKind
from ladder.webhooks.message_work import MAX_AT_ONCE, OTHER_KEY, Deliveries, OutboxRows
from ladder.webhooks.sending import Outcome
from tests.ladder.databases import backend
from tests.ladder.virtual import Time
from tests.ladder.webhooks.receivers import receiver
from tests.waiting import comes, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from ladder.settings.settings import Settings

__all__ = ["backend"]

OK = Outcome(204, "The receiver answered 204.")
FAILED = Outcome(500, "The receiver answered 500.")


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def ladder(settings: Settings, database: Database, clock: Time) -> Ladder:
    changed = settings.model_copy(update={"webhook_loopback": True})
    return Ladder(changed, database, clock)


class Sent:
    """Notes what is sent, and answers as it is told."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.turns: list[int] = []
        self.under_way: list[str] = []
        """By address."""
        self.most = 0
        self.answer = OK
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def __call__(self, url: str, headers: Mapping[str, str], body: str, turn: int) -> Outcome:
        self.turns.append(turn)
        assert url not in self.under_way, "two messages at once to one receiver"
        self.under_way.append(url)
        self.most = max(self.most, len(self.under_way))
        self.keys.append(headers["webhook-id"])
        try:
            await self.may_answer.wait()
        finally:
            self.under_way.remove(url)
        return self.answer


def key() -> bytes:
    return bytes(32)


def add(ladder: Ladder, number: int = 1) -> str:
    """Add a webhook; gives its secret."""
    (ladder.settings.data_dir / "webhooks").mkdir(exist_ok=True)
    (ladder.settings.data_dir / "webhooks" / "key").write_text(key().hex())
    return webhooks.add(ladder, LOCAL, f"http://127.0.0.1:9/{number}", None, []).secret


def write(ladder: Ladder, count: int = 1) -> None:
    with ladder.database.write() as session:
        for number in range(count):
            post(session, MessageKind.BOT_ENTERED, {"bot": f"Bot-{number}"}, ladder.clock())


def statuses(ladder: Ladder) -> list[str]:
    with ladder.database.read() as session:
        return list(session.scalars(select(WebhookMessage.status).order_by(WebhookMessage.id)))


def are(ladder: Ladder, status: str) -> Callable[[], bool]:
    return lambda: set(statuses(ladder)) == {status}


@asynccontextmanager
async def delivering(
    ladder: Ladder, sent: Sent, holder: str = "one", keys: Callable[[], bytes] = key
) -> AsyncIterator[Callable[[], None]]:
    """A deliverer; gives what lets it look at once."""
    files = WakeFile(ladder.settings.data_dir / holder)
    rows = OutboxRows(ladder.database, ladder.clock, holder)
    task = asyncio.ensure_future(
        LeaseLoop([Deliveries(rows, files, sent, keys, random.Random(1), retry_seconds=0.01)]).run()
    )
    try:
        yield files.wake
    finally:
        task.cancel()
        await asyncio.wait([task])
        rows.close()


async def test_messages_are_sent_in_order_one_after_the_other(ladder: Ladder) -> None:
    add(ladder)
    write(ladder, 5)
    sent = Sent()
    async with delivering(ladder, sent):
        await comes(are(ladder, "delivered"))
    with ladder.database.read() as session:
        assert sent.keys == list(session.scalars(select(WebhookMessage.key).order_by(WebhookMessage.id)))
    assert sent.most == 1


async def test_a_slow_receiver_keeps_no_other_one_waiting(ladder: Ladder) -> None:
    for number in range(MAX_AT_ONCE):
        add(ladder, number)
    write(ladder, 2)
    sent = Sent()
    sent.may_answer.clear()
    async with delivering(ladder, sent):
        await comes(lambda: len(sent.under_way) == MAX_AT_ONCE)
        sent.may_answer.set()
        await comes(are(ladder, "delivered"))
    assert sent.most == MAX_AT_ONCE
    assert len(sent.keys) == 2 * MAX_AT_ONCE


async def test_two_deliverers_never_both_send_the_same_attempt(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.runner.leased_rows.LEASE_SECONDS", 86_400.0)  # of real time, in PostgreSQL
    add(ladder, 1)
    add(ladder, 2)
    write(ladder, 10)
    sent = Sent()  # it notices two messages at once to one receiver
    async with delivering(ladder, sent, "one"), delivering(ladder, sent, "other"):
        await comes(are(ladder, "delivered"))
    assert len(sent.keys) == len(set(sent.keys)) == 20


async def test_a_message_that_is_refused_comes_again_later_with_the_same_name(ladder: Ladder, clock: Time) -> None:
    add(ladder)
    write(ladder)
    sent = Sent()
    sent.answer = FAILED
    async with delivering(ladder, sent) as wake:
        await comes(lambda: sent.keys and are(ladder, "queued")())
        sent.answer = OK
        wake()
        clock.now += 7  # the first pause is 10 s, by chance a quarter shorter
        wake()
        assert (len(sent.keys), statuses(ladder)) == (1, ["queued"])
        clock.now += 6
        wake()
        await comes(are(ladder, "delivered"))
    assert len(sent.keys) == 2
    assert len(set(sent.keys)) == 1


async def test_a_receiver_that_asks_to_wait_gets_none_of_the_waiting_messages_before(
    ladder: Ladder, clock: Time
) -> None:
    """Those of another receiver are sent meanwhile, and what is written later."""
    add(ladder, 1)
    write(ladder, 3)
    sent = Sent()
    sent.answer = Outcome(429, "The receiver answered 429.", wait=3600.0)
    async with delivering(ladder, sent) as wake:
        await comes(lambda: sent.keys and are(ladder, "queued")())
        sent.answer = OK
        add(ladder, 2)
        write(ladder)
        clock.now += 3599.0
        wake()
        await comes(lambda: statuses(ladder).count("delivered") == 2)
        assert statuses(ladder) == ["queued"] * 3 + ["delivered"] * 2, "those that waited when it asked still wait"
        clock.now += 3600.0
        wake()
        await comes(are(ladder, "delivered"))
    assert sent.turns[:1] == [0]
    assert sorted(sent.turns) == [0, 0, 0, 0, 0, 1], "the message that was refused is tried at another address"


async def test_after_a_day_of_refusals_a_message_is_given_up(ladder: Ladder, clock: Time) -> None:
    add(ladder)
    write(ladder)
    sent = Sent()
    sent.answer = FAILED
    async with delivering(ladder, sent) as wake:
        for attempt in range(1, 11):
            await comes(lambda: len(sent.keys) == attempt and not are(ladder, "leased")())  # noqa: B023
            clock.now += 8 * 3600
            wake()
    assert statuses(ladder) == ["given_up"]
    (row,) = webhooks.webhooks(ladder, LOCAL)
    assert (row.given_up, row.reason, row.disabled) == (1, "The receiver answered 500.", None)


async def test_a_receiver_that_is_gone_gets_no_more_messages(ladder: Ladder) -> None:
    add(ladder)
    write(ladder, 3)
    sent = Sent()
    sent.answer = Outcome(410, "The receiver answered 410.")
    async with delivering(ladder, sent):
        await comes(are(ladder, "given_up"))
    assert len(sent.keys) == 1
    (row,) = webhooks.webhooks(ladder, LOCAL)
    assert row.disabled
    assert row.reason == "The receiver answered 410 (gone)."


async def test_nothing_is_sent_with_another_key(ladder: Ladder) -> None:
    add(ladder)
    write(ladder)
    sent = Sent()
    async with delivering(ladder, sent, keys=lambda: bytes(31) + b"1"):
        await comes(are(ladder, "given_up"))
    assert sent.keys == []
    (row,) = webhooks.webhooks(ladder, LOCAL)
    assert row.reason.endswith(OTHER_KEY)


async def test_a_key_that_cannot_be_read_now_loses_no_message(ladder: Ladder) -> None:
    def broken() -> bytes:
        raise LadderError("The key of webhooks cannot be read.")

    add(ladder)
    write(ladder)
    async with delivering(ladder, Sent(), keys=broken):
        await comes(lambda: webhooks.webhooks(ladder, LOCAL)[0].reason == "The key of webhooks cannot be read.")
    assert statuses(ladder) == ["queued"]


async def test_a_deliverer_that_stops_gives_back_what_it_was_sending(ladder: Ladder) -> None:
    add(ladder)
    write(ladder)
    sent = Sent()
    sent.may_answer.clear()
    async with delivering(ladder, sent):
        await comes(lambda: sent.under_way)
    assert statuses(ladder) == ["queued"]
    sent.may_answer.set()
    async with delivering(ladder, sent, "other"):
        await comes(are(ladder, "delivered"))
    assert len(sent.keys) == 2
    assert len(set(sent.keys)) == 1


async def test_a_webhook_that_is_removed_meanwhile_is_no_failure(ladder: Ladder) -> None:
    add(ladder)
    write(ladder, 2)
    sent = Sent()
    sent.may_answer.clear()
    async with delivering(ladder, sent):
        await comes(lambda: sent.under_way)
        webhooks.remove(ladder, LOCAL, 1)
        add(ladder, 2)
        write(ladder)
        sent.may_answer.set()
        await comes(are(ladder, "delivered"))
    assert len(sent.keys) == 2


def test_a_thread_sends_what_is_written_while_the_ladder_does_other_things(ladder: Ladder) -> None:
    with receiver() as there:
        secret = webhooks.add(ladder, LOCAL, there.url, None, []).secret
        real = Ladder(ladder.settings, ladder.database)  # with the time of now: signatures have a time
        write(real, 2)
        with webhooks.delivering(real):
            for number in range(2):
                assert there.next().verified(secret)["data"] == {"bot": f"Bot-{number}"}
            until(are(ladder, "delivered"))


def test_a_mistake_of_the_platform_ends_no_deliverer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ladder.runner.delivering.RETRY_SECONDS", 0.0)
    tries = []

    @contextmanager
    def made() -> Iterator[Deliveries]:
        tries.append(1)
        raise ZeroDivisionError
        yield

    thread = DelivererThread("webhooks", made)
    until(lambda: len(tries) > 2)
    thread.stop()
    thread.stop()


PROGRAM = """
import sys
from ladder.app import webhooks
from ladder.app.ladder import Ladder
from ladder.settings.settings import load_settings
from threading import Event

settings = load_settings(data_dir=sys.argv[1], database_url=sys.argv[2], webhook_loopback=True)
with Ladder.open(settings) as ladder, webhooks.delivering(ladder):
    Event().wait()
"""


def started(ladder: Ladder) -> subprocess.Popen[bytes]:
    """A process that delivers, to be killed."""
    url = ladder.database.engine.url.render_as_string(hide_password=False)
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(ladder.settings.data_dir), url])


def killed(process: subprocess.Popen[bytes]) -> None:
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_a_message_whose_deliverer_is_killed_comes_again_with_the_same_name(ladder: Ladder) -> None:
    """It is killed between the request and the answer; the process that follows finds out and sends again."""
    with receiver() as there:
        secret = webhooks.add(ladder, LOCAL, there.url, None, []).secret
        write(Ladder(ladder.settings, ladder.database), 2)
        there.may_answer.clear()
        process = started(ladder)
        first = there.next()
        killed(process)
        assert statuses(ladder) == ["leased", "queued"]
        there.may_answer.set()
        process = started(ladder)
        again, following = there.next(), there.next()
        until(are(ladder, "delivered"))
        killed(process)
    assert again.key == first.key
    assert [json.loads(each.body)["data"]["bot"] for each in (again, following)] == ["Bot-0", "Bot-1"]
    assert again.verified(secret) == json.loads(first.body)
    assert there.arrivals.empty()

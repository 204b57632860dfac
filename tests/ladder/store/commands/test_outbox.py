"""The outbox: which message is sent next, by whom, and what becomes of it; in both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.store.commands import outbox
from ladder.store.commands.outbox import DELIVERED_SECONDS, GIVEN_UP_SECONDS, MAX_GIVEN_UP, OUTBOX, accept, post, refuse
from ladder.store.commands.webhooks import add_webhook, all_webhooks, enable_webhook, find_webhook
from ladder.store.leases import MAX_LOSSES
from ladder.store.webhook_models import WebhookMessage
from ladder.values.webhooks import MessageKind
from tests.ladder.databases import backend
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.store.commands.outbox import MessageLease
    from ladder.store.database import Database

__all__ = ["backend"]

SECONDS = 60.0


def hooks(database: Database, count: int = 1) -> list[int]:
    """Webhooks that are for everything."""
    with database.write() as session:
        return [
            add_webhook(session, f"https://hooks.example/{number}", None, [], "ab" * 16, "cd" * 32, NOW).id
            for number in range(count)
        ]


def write(database: Database, count: int = 1, now: float = NOW) -> None:
    with database.write() as session:
        for number in range(count):
            post(session, MessageKind.BOT_ENTERED, {"bot": f"Bot-{number}"}, now)


def claim(database: Database, now: float = NOW, holder: str = "one", count: int = 8) -> Sequence[MessageLease]:
    with database.write() as session:
        return outbox.claim(session, holder, now, SECONDS, count)


def rows(database: Database) -> list[WebhookMessage]:
    with database.read() as session:
        return list(session.scalars(select(WebhookMessage).order_by(WebhookMessage.id)))


def test_each_webhook_gets_a_message_of_its_own(database: Database) -> None:
    hooks(database, 3)
    write(database)
    found = rows(database)
    assert len({each.key for each in found}) == 3
    assert {each.body for each in found} == {
        '{"type":"bot.entered","timestamp":"2027-01-15T08:00:00Z","data":{"bot":"Bot-0"}}'
    }


def test_of_each_webhook_one_message_is_sent_at_a_time_the_oldest_first(database: Database) -> None:
    first, second = hooks(database, 2)
    write(database, 3)
    leases = claim(database)
    assert [(each.webhook, each.attempt) for each in leases] == [(first, 1), (second, 1)]
    assert claim(database, holder="other") == []
    with database.write() as session:
        assert accept(session, leases[0], NOW + 1)
    (following,) = claim(database, NOW + 1, "other")
    assert (following.webhook, following.id > leases[0].id) == (first, True)


def test_a_message_is_leased_to_one_deliverer_until_its_lease_ends(database: Database) -> None:
    hooks(database)
    write(database)
    (one,) = claim(database)
    with database.write() as session:
        assert OUTBOX.requeue_expired(session, NOW + SECONDS - 1) == []
    assert claim(database, NOW + SECONDS - 1, "other") == []
    with database.write() as session:
        OUTBOX.requeue_expired(session, NOW + SECONDS + 1)
    (again,) = claim(database, NOW + SECONDS + 1, "other")
    assert (again.key, again.attempt) == (one.key, 2)
    with database.write() as session:  # what the first one reports comes too late
        assert not accept(session, one, NOW + SECONDS + 2)
        assert not refuse(session, one, "No.", NOW, None)
        assert accept(session, again, NOW + SECONDS + 2)
    assert [(each.status, each.finished) for each in rows(database)] == [("delivered", NOW + SECONDS + 2)]


def test_a_message_that_was_refused_waits_for_its_turn(database: Database) -> None:
    (number,) = hooks(database)
    write(database)
    (lease,) = claim(database)
    with database.write() as session:
        assert not refuse(session, lease, "The receiver answered 500.", NOW, 40.0)
    assert claim(database, NOW + 39.9) == []
    (again,) = claim(database, NOW + 40.0)
    assert (again.key, again.refusals, again.attempt) == (lease.key, 1, 2)
    with database.write() as session:
        assert find_webhook(session, number).reason == "The receiver answered 500."
        accept(session, again, NOW + 41)
        hook = find_webhook(session, number)
        assert (hook.reason, hook.delivered) == ("", NOW + 41)


@pytest.mark.parametrize("hold", [None, False, True])
def test_all_messages_to_a_receiver_wait_only_if_it_has_asked_for_that(database: Database, hold: bool | None) -> None:
    first, second = hooks(database, 2)
    write(database, 3)
    lease, other = claim(database)
    asked = {} if hold is None else {"hold": hold}
    with database.write() as session:
        assert accept(session, other, NOW)
        assert not refuse(session, lease, "The receiver answered 429.", NOW, 40.0, **asked)
    due = {
        hook: [row.due - NOW for row in rows(database) if row.webhook_id == hook and row.status == "queued"]
        for hook in (first, second)
    }
    assert due == {first: [40.0, 40.0, 40.0] if hold else [40.0, 0.0, 0.0], second: [0.0, 0.0]}
    assert {each.webhook for each in claim(database, NOW + 39.9)} == ({second} if hold else {first, second})


def give_up(database: Database) -> bool:
    (lease,) = claim(database)
    with database.write() as session:
        return refuse(session, lease, "The receiver answered 500.", NOW, None)


def test_after_many_that_were_given_up_in_a_row_a_webhook_is_disabled(database: Database) -> None:
    (number,) = hooks(database)
    write(database, MAX_GIVEN_UP + 4)
    assert not any(give_up(database) for _ in range(MAX_GIVEN_UP - 1))
    (lease,) = claim(database)
    with database.write() as session:  # one that is accepted begins the count anew
        accept(session, lease, NOW)
    assert not any(give_up(database) for _ in range(MAX_GIVEN_UP - 1))
    write(database, 3)
    assert give_up(database)
    with database.read() as session:
        (row,) = all_webhooks(session)
    assert row.disabled
    assert row.reason.startswith("5 messages in a row")
    assert "answered 500" in row.reason
    assert (row.waiting, claim(database)) == (0, [])
    write(database)
    assert len(rows(database)) == MAX_GIVEN_UP + 7
    with database.write() as session:
        enable_webhook(session, number, NOW)
    write(database)
    assert len(claim(database)) == 1


def test_a_message_that_ends_its_senders_is_given_up(database: Database) -> None:
    hooks(database)
    write(database)
    for number in range(MAX_LOSSES):
        assert len(claim(database, NOW + 100 * number)) == 1
        with database.write() as session:
            OUTBOX.requeue_expired(session, NOW + 100 * number + 99)
    (row,) = rows(database)
    assert (row.status, row.finished) == ("given_up", NOW + 100 * number + 99)


def test_old_messages_are_removed_and_others_are_not(database: Database) -> None:
    hooks(database)
    write(database, 3)
    (lease,) = claim(database)
    with database.write() as session:
        accept(session, lease, NOW)
    assert not give_up(database)
    for seconds, left in ((DELIVERED_SECONDS, 3), (DELIVERED_SECONDS + 1, 2), (GIVEN_UP_SECONDS + 1, 1)):
        with database.write() as session:
            outbox.tidy(session, NOW + seconds)
        assert len(rows(database)) == left
    assert rows(database)[0].status == "queued"

"""
Outbox of webhooks (`ladder.store.leases`): messages that are written, sent next, and accepted or refused.

Each function needs a transaction that writes. A message about a bot or an event is written by `post` in the transaction
that does what it is about. Of each webhook one message is sent at a time, so a slow receiver keeps no other one
waiting.

What has been announced of an event is kept with it. A message is written for what the public knows more than that:
it follows from what is public alone, so it cannot tell what an event with `show = "round"` or `"manual"` hides.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson
from sqlalchemy import delete, func, or_, select, text, update

from ladder.store.commands.notices import notice_suspended
from ladder.store.leases import Lease, LeaseQueue
from ladder.store.models import StoredBot, Version
from ladder.store.webhook_models import UNSENT, Webhook, WebhookMessage
from ladder.values.value import time_of
from ladder.values.webhooks import MessageKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.orm import Session

    from ladder.store.event_models import EventTable
    from ladder.store.models import StoredMatch

    Tables = Mapping[int, Sequence[tuple[EventTable, StoredMatch]]]

DELIVERED_SECONDS, GIVEN_UP_SECONDS = 7 * 86_400.0, 30 * 86_400.0
"""Seconds for which messages are kept that were delivered, or given up."""
MAX_GIVEN_UP = 5
"""A webhook is disabled when this number of messages in a row was given up."""
DISABLED = "{count} messages in a row were not accepted, each for about a day. The last attempt: {reason}"
GONE = "The receiver answered 410 (gone)."
NOT_SENT = "The webhook is disabled."


def _leaving(session: Session, row: WebhookMessage, status: str, now: float) -> None:
    """Note when a message has ended."""
    if status in ("delivered", "given_up"):
        row.finished = now


OUTBOX = LeaseQueue(
    WebhookMessage,
    ready="queued",
    leased="leased",
    given_up="given_up",
    ready_rows=f"{UNSENT} AND status = 'queued'",
    leased_rows=f"{UNSENT} AND status = 'leased'",
    lost_reason="The process that sent it has ended.",
    leaving=_leaving,
)


@dataclass(frozen=True)
class MessageLease(Lease):
    """One attempt to send a message."""

    webhook: int
    url: str
    salt: str
    secret_hash: str
    key: str
    body: str
    refusals: int
    """Attempts before that were not accepted."""


def webhooks_for(session: Session, kinds: Collection[MessageKind], event: int | None) -> list[Webhook]:
    """Find the webhooks that are for any of some kinds of messages, about an event or about none."""
    own = or_(Webhook.event_id.is_(None), Webhook.event_id == event)  # no row has an event_id that equals NULL
    found = session.scalars(select(Webhook).where(Webhook.disabled.is_(None), own).order_by(Webhook.id))
    return [each for each in found if not each.kinds or not set(kinds).isdisjoint(each.kinds)]


def post(session: Session, kind: MessageKind, data: dict[str, Any], now: float, *, event: int | None = None) -> None:
    """
    Write a message to each webhook that is for it.

    Args:
        session: The transaction that does what the message is about.
        kind: What it is about.
        data: What it says; nothing that the public may not know when this transaction is committed.
        now: Unix time.
        event: The event that it is about.
    """
    if found := webhooks_for(session, [kind], event):
        body = body_of(kind, data, now)
        for each in found:
            session.add(
                WebhookMessage(
                    webhook_id=each.id, key=new_key(), kind=kind, body=body, added=now, due=now, status=OUTBOX.ready
                )
            )
        session.flush()


def body_of(kind: MessageKind, data: dict[str, Any], now: float) -> str:
    """Write a message as it is sent."""
    return orjson.dumps({"type": kind, "timestamp": time_of(now), "data": data}, option=orjson.OPT_UTC_Z).decode()


def new_key() -> str:
    """Name a new message."""
    return f"msg_{secrets.token_hex(16)}"


def next_due(session: Session, now: float, count: int) -> list[int]:
    """
    Find messages that are to be sent now, at most one of each webhook to which none is being sent, the oldest first.

    A transaction that reads will do.
    """
    busy = select(WebhookMessage.webhook_id).where(text(OUTBOX.leased_rows))
    first = (
        select(func.min(WebhookMessage.id))
        .where(text(OUTBOX.ready_rows), WebhookMessage.due <= now, WebhookMessage.webhook_id.not_in(busy))
        .group_by(WebhookMessage.webhook_id)
    )
    wanted = select(WebhookMessage.id).where(WebhookMessage.id.in_(first))
    return list(session.scalars(wanted.order_by(WebhookMessage.due, WebhookMessage.id).limit(count)))


def claim(session: Session, holder: str, now: float, seconds: float, count: int) -> Sequence[MessageLease]:
    """
    Lease messages that are to be sent now.

    Args:
        session: A transaction that writes.
        holder: Who sends them (`owners.this_process`).
        now: Unix time.
        seconds: Seconds for which a lease is valid, if it is not renewed.
        count: How many at most.
    """
    leases = []
    for number in next_due(session, now, count):
        row = session.get_one(WebhookMessage, number)
        hook = session.get_one(Webhook, row.webhook_id)
        OUTBOX.take(session, row, holder, now + seconds)
        leases.append(
            MessageLease(
                row.id, row.attempt, hook.id, hook.url, hook.salt, hook.secret_hash, row.key, row.body, row.refusals
            )
        )
    return leases


def accept(session: Session, lease: Lease, now: float) -> bool:
    """Note that the receiver has accepted a message; say whether the lease still held."""
    row = OUTBOX.held(session, lease)
    if row is not None:
        OUTBOX.end(session, row, "delivered", now)
        hook = session.get_one(Webhook, row.webhook_id)
        hook.delivered, hook.reason, hook.given_up = now, "", 0
    return row is not None


def refuse(session: Session, lease: Lease, reason: str, now: float, again: float | None, *, hold: bool = False) -> bool:
    """
    Note that a message was not accepted.

    Args:
        session: A transaction that writes.
        lease: The attempt.
        reason: Why, in a sentence.
        now: Unix time.
        again: Seconds until the next attempt; None: it is given up.
        hold: Keep all messages that wait for this receiver until then: it has asked for that.

    Returns:
        Whether the webhook is disabled now, because too many were given up.
    """
    row = OUTBOX.held(session, lease)
    if row is None:
        return False
    hook = session.get_one(Webhook, row.webhook_id)
    row.refusals, hook.reason = row.refusals + 1, reason
    if again is not None:
        row.reason, row.due = reason, now + again
        OUTBOX.release(session, row, now)
        if hold:
            of = WebhookMessage
            waiting = (text(OUTBOX.ready_rows), of.webhook_id == hook.id, of.due < now + again)
            session.execute(update(of).where(*waiting).values(due=now + again))
        return False
    OUTBOX.end(session, row, OUTBOX.given_up, now, reason)
    hook.given_up += 1
    if hook.given_up < MAX_GIVEN_UP:
        return False
    disable(session, hook, DISABLED.format(count=hook.given_up, reason=reason), now)
    return True


def disable(session: Session, hook: Webhook, reason: str, now: float) -> None:
    """Send no more messages to a webhook; those that wait are given up."""
    hook.disabled, hook.reason = now, reason
    waiting = select(WebhookMessage).where(text(UNSENT), WebhookMessage.webhook_id == hook.id)
    for row in session.scalars(waiting).all():
        OUTBOX.end(session, row, OUTBOX.given_up, now, NOT_SENT)


def tidy(session: Session, now: float) -> None:
    """Remove messages that ended long ago."""
    of = WebhookMessage
    for status, seconds in (("delivered", DELIVERED_SECONDS), (OUTBOX.given_up, GIVEN_UP_SECONDS)):
        session.execute(delete(of).where(of.status == status, of.finished < now - seconds))


def announce_entered(session: Session, bot: str, version: int, variants: Sequence[str], now: float) -> None:
    """Write the message that a version plays now."""
    data = {"bot": bot, "version": version, "variants": list(variants), "path": _page(bot)}
    post(session, MessageKind.BOT_ENTERED, data, now)


def announce_suspended(session: Session, bot: str, variant: str, reason: str, now: float) -> None:
    """Write the message that a bot is suspended, with the reason that its page shows; its owner gets a letter, too."""
    data = {"bot": bot, "variant": variant, "reason": reason, "path": _page(bot)}
    post(session, MessageKind.BOT_SUSPENDED, data, now)
    notice_suspended(session, bot, variant, reason, now)


def _page(bot: str) -> str:
    return f"/b/{quote(bot)}"


def bot_of(session: Session, version: int) -> str:
    """Give the name of a version's bot."""
    return session.get_one(StoredBot, session.get_one(Version, version).bot_id).name

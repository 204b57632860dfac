"""Webhooks, as their organiser adds, lists and removes them; each function needs a transaction that writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, select, text

from ladder.errors import LadderError
from ladder.store.event_rows import find_event
from ladder.store.models import StoredEvent
from ladder.store.webhook_models import UNSENT, Webhook, WebhookMessage
from ladder.values.value import time_of
from ladder.values.webhooks import WebhookRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.values.webhooks import MessageKind

MAX_WEBHOOKS = 50
"""Of a ladder; each writes a row for each message."""


def add_webhook(
    session: Session,
    url: str,
    event: str | None,
    kinds: Sequence[MessageKind],
    salt: str,
    secret_hash: str,
    now: float,
) -> Webhook:
    """
    Add a webhook. It gets messages about what happens from now on.

    Raises:
        LadderError: If there is no such event, or there are too many webhooks.
    """
    if session.execute(select(func.count(Webhook.id))).scalar_one() >= MAX_WEBHOOKS:
        raise LadderError(
            f"There are {MAX_WEBHOOKS} webhooks, the most that a ladder may have. Remove one: "
            "pigpen ladder webhook remove NUMBER"
        )
    event_id = None if event is None else find_event(session, event).id
    hook = Webhook(
        url=url, event_id=event_id, kinds=[str(kind) for kind in kinds], salt=salt, secret_hash=secret_hash, added=now
    )
    session.add(hook)
    session.flush()
    return hook


def remove_webhook(session: Session, number: int) -> Webhook:
    """
    Remove a webhook, with its messages.

    Raises:
        LadderError: If there is none of that number.
    """
    hook = find_webhook(session, number)
    session.execute(delete(WebhookMessage).where(WebhookMessage.webhook_id == number))
    session.delete(hook)
    session.flush()
    return hook


def enable_webhook(session: Session, number: int, now: float) -> None:
    """Note that a webhook has accepted a message; one that was disabled gets those about what happens from now on."""
    hook = find_webhook(session, number)
    hook.disabled, hook.reason, hook.given_up, hook.delivered = None, "", 0, now


def find_webhook(session: Session, number: int) -> Webhook:
    """
    Find a webhook by its number.

    Raises:
        LadderError: If there is none.
    """
    hook = session.get(Webhook, number)
    if hook is None:
        raise LadderError(f"There is no webhook {number}. To list all: pigpen ladder webhook list")
    return hook


def all_webhooks(session: Session) -> list[WebhookRow]:
    """Read all webhooks; a transaction that reads will do."""
    return [webhook_row(session, each) for each in session.scalars(select(Webhook).order_by(Webhook.id))]


def webhook_secrets(session: Session) -> list[tuple[int, str, str]]:
    """Read numbers, salts and the hashes of secrets; a transaction that reads will do."""
    rows = session.execute(select(Webhook.id, Webhook.salt, Webhook.secret_hash).order_by(Webhook.id))
    return [(number, salt, secret_hash) for number, salt, secret_hash in rows]


def webhook_row(session: Session, hook: Webhook) -> WebhookRow:
    """Give a webhook as organisers see it."""
    of = WebhookMessage
    mine = select(func.count(of.id)).where(of.webhook_id == hook.id)
    event = None if hook.event_id is None else session.get_one(StoredEvent, hook.event_id).name
    return WebhookRow.model_validate(
        {
            "number": hook.id, "url": hook.url, "event": event, "kinds": hook.kinds, "added": time_of(hook.added),
            "disabled": None if hook.disabled is None else time_of(hook.disabled), "reason": hook.reason,
            "delivered": None if hook.delivered is None else time_of(hook.delivered),
            "waiting": session.execute(mine.where(text(UNSENT))).scalar_one(),
            "given_up": session.execute(mine.where(of.status == "given_up")).scalar_one(),
        }
    )  # fmt: skip


def has_messages(session: Session) -> bool:
    """Tell whether the outbox has any row; a transaction that reads will do."""
    return bool(session.scalar(select(exists().select_from(WebhookMessage))))

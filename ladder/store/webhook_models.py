"""
Webhooks, and the outbox of their messages.

A message is written in the transaction that does what it is about. So it is there if, and only if, that has happened.
Together with its status `webhook_messages` is a queue, as matches are.
"""

from __future__ import annotations

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.account_models import HASH_LENGTH
from ladder.store.models import Base, LeasedRow
from ladder.values.webhooks import MAX_URL

SALT_LENGTH = 32
"""Hexadecimal digits."""
UNSENT = "status IN ('queued', 'leased')"
"""Messages that are to be sent, or are being sent."""


class Webhook(Base):
    """An address to which messages are sent."""

    __tablename__ = "webhooks"
    __table_args__ = ({"sqlite_autoincrement": True},)  # a number that was removed means no other webhook

    id: Mapped[int] = mapped_column(primary_key=True)
    url: Mapped[str] = mapped_column(String(MAX_URL))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("events.id"))
    """Only messages about this event; None: about all, and about bots."""
    kinds: Mapped[list[str]] = mapped_column(JSON)
    """Only these messages; none: all."""
    salt: Mapped[str] = mapped_column(String(SALT_LENGTH))
    """Its secret follows from this and from a key in the ladder's folder: who reads the database has no secret."""
    secret_hash: Mapped[str] = mapped_column(String(HASH_LENGTH))
    """SHA-256 of the secret, to notice another key."""
    added: Mapped[float]
    disabled: Mapped[float | None]
    """Since when nothing is sent; None: messages are sent."""
    reason: Mapped[str] = mapped_column(default="")
    """Reason that it is disabled, or that the last attempt failed; empty: that one succeeded."""
    delivered: Mapped[float | None]
    """Unix time at which a message was accepted last."""
    given_up: Mapped[int] = mapped_column(default=0, server_default="0")
    """Messages in a row that were given up."""


class WebhookMessage(LeasedRow, Base):
    """A message to one webhook."""

    __tablename__ = "webhook_messages"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'leased', 'delivered', 'given_up')", name="status"),
        Index("ix_webhook_messages_webhook", "webhook_id"),
        Index("ix_webhook_messages_finished", "finished"),
        {"sqlite_autoincrement": True},  # number and attempt are the fence, also when the row is removed
    )

    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id"))
    key: Mapped[str] = mapped_column(String(64), unique=True)
    """Value of the header webhook-id, the same at each attempt."""
    kind: Mapped[str] = mapped_column(String(32))
    body: Mapped[str]
    """Content of the message, as it is signed: JSON."""
    added: Mapped[float]
    due: Mapped[float]
    """Unix time before which it is not sent."""
    refusals: Mapped[int] = mapped_column(default=0)
    """Attempts that the receiver did not accept."""
    finished: Mapped[float | None]

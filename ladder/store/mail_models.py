"""
E-mail addresses of accounts, and the outbox of letters.

A letter is written in the transaction that does what it is about, and has what its template needs; secrets of links
follow from a salt in it and a key in the ladder's folder. When it has ended, address and content are removed.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.account_models import HASH_LENGTH
from ladder.store.models import Base, LeasedRow
from ladder.store.webhook_models import SALT_LENGTH
from ladder.values.mail import MAX_ADDRESS

UNSENT_LETTERS = "status IN ('queued', 'leased')"
"""Letters that are to be sent, or are being sent."""
LETTER_KEY_LENGTH = 160
"""Characters of what names the reason of a letter."""


class MailAddress(Base):
    """The address of an account; no row: it has none."""

    __tablename__ = "mail_addresses"

    owner_id: Mapped[int] = mapped_column(ForeignKey("accounts.owner_id"), primary_key=True, autoincrement=False)
    address: Mapped[str | None] = mapped_column(String(MAX_ADDRESS))
    """Confirmed; None: the first one waits for its confirmation."""
    confirmed: Mapped[float | None]
    pending: Mapped[str | None] = mapped_column(String(MAX_ADDRESS))
    """That is to take its place, once it is confirmed."""
    pending_hash: Mapped[str | None] = mapped_column(String(HASH_LENGTH), unique=True)
    """SHA-256 of the secret of the link with which it is confirmed."""
    pending_until: Mapped[float | None]
    """Unix time at which that link ends."""
    language: Mapped[str] = mapped_column(String(8))
    notices: Mapped[list[str]] = mapped_column(JSON)
    """Letters that its owner wants (`ladder.values.mail.NOTICES`)."""
    salt: Mapped[str] = mapped_column(String(SALT_LENGTH))
    """The links with which letters are ended follow from this and from a key in the ladder's folder."""
    refusals: Mapped[int] = mapped_column(default=0)
    """Number of letters in a row that the server has refused because there is no such address."""


class Letter(LeasedRow, Base):
    """A letter to one address."""

    __tablename__ = "mail_letters"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'leased', 'delivered', 'given_up')", name="status"),
        Index("ix_mail_letters_owner", "owner_id"),
        Index("ix_mail_letters_finished", "finished"),
        {"sqlite_autoincrement": True},  # number and attempt are the fence, also when the row is removed
    )

    owner_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.owner_id"))
    """None: a visitor has asked for a link, and may have named no account."""
    kind: Mapped[str] = mapped_column(String(16))
    key: Mapped[str] = mapped_column(String(LETTER_KEY_LENGTH), unique=True)
    """The reason that the letter has: there is one letter for it."""
    address: Mapped[str | None] = mapped_column(String(MAX_ADDRESS))
    """None: it has ended, or is none yet."""
    language: Mapped[str] = mapped_column(String(8))
    data: Mapped[dict[str, Any]]
    """Values of its template; empty when it has ended."""
    added: Mapped[float]
    due: Mapped[float]
    """Unix time before which it is not sent."""
    until: Mapped[float]
    """Unix time after which it is not sent: it would come too late."""
    refusals: Mapped[int] = mapped_column(default=0)
    """Attempts that the server refused for this letter."""
    finished: Mapped[float | None]

"""
The tables of people: accounts and their credentials, submissions, and the audit log.

Secrets are stored as SHA-256 (of 256 random bits) or argon2 (of passwords): who reads the database can use none of
them. Times are Unix times in seconds, as everywhere.
"""

from __future__ import annotations

import enum
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, ForeignKey, Index, String, false
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.models import Base, LeasedRow
from ladder.values.names import NAME_LENGTH
from ladder.values.submission import SubmissionOrder

HASH_LENGTH = 64
"""Hexadecimal digits of SHA-256."""
MAX_NOTE = 200
"""Characters of a note that people read."""


class SubmissionStatus(enum.StrEnum):
    """Progress of a submission."""

    QUEUED = "queued"
    LEASED = "leased"
    ENTERED = "entered"
    REFUSED = "refused"
    """The bot failed, or the ladder does not take it."""
    FAILED = "failed"
    """The platform failed too often in it; that says nothing about the bot."""
    WITHDRAWN = "withdrawn"
    """Its owner, or the organiser, took it back before it was tried."""


class AccountGroup(Base):
    """Accounts that belong together, such as those of a course."""

    __tablename__ = "account_groups"

    name: Mapped[str] = mapped_column(String(NAME_LENGTH), primary_key=True)
    submissions_a_day: Mapped[int | None]
    """Of each of its accounts that has no quota of its own; None: as the settings say."""
    bots: Mapped[int | None]
    """Number of bots of each of its accounts that may play; None: any."""
    changed: Mapped[float]
    """Unix time at which its quotas, or who is in it, changed last."""


class Account(Base):
    """An owner who can log in."""

    __tablename__ = "accounts"
    __table_args__ = (CheckConstraint("role IN ('contestant', 'organiser')", name="role"),)

    owner_id: Mapped[int] = mapped_column(ForeignKey("owners.id"), primary_key=True, autoincrement=False)
    role: Mapped[str] = mapped_column(String(16))
    password: Mapped[str | None]
    """By argon2; None: no password has been set, or an identity provider vouches for this account."""
    subject: Mapped[str | None] = mapped_column(unique=True)
    """Its identity at the identity provider: issuer, a space, and the subject; None: not known there."""
    disabled: Mapped[float | None]
    """Since when it is disabled; None: it is not."""
    reason: Mapped[str] = mapped_column(default="")
    """Reason that it is disabled."""
    submissions_a_day: Mapped[int | None]
    """A quota of its own; None: as its group or the settings say."""
    group_name: Mapped[str | None] = mapped_column(ForeignKey("account_groups.name"), index=True)
    """The group in which it is; None: in none."""
    is_team: Mapped[bool] = mapped_column(default=False, server_default=false())
    """True if no one logs in to it: its members, which are accounts of their own, act for it."""
    team_id: Mapped[int | None] = mapped_column(ForeignKey("owners.id"), index=True)
    """The team of which it is a member; None: of none."""
    joined: Mapped[float | None]
    """Unix time at which it joined the team."""
    added: Mapped[float]


class FormerName(Base):
    """A name that an account had before it was renamed or deleted: no other owner gets it."""

    __tablename__ = "former_names"
    __table_args__ = (Index("ix_former_names_owner", "owner_id"),)

    hash: Mapped[str] = mapped_column(String(HASH_LENGTH), primary_key=True)
    """SHA-256 of what a reader sees of the name (`ladder.entry.claims.skeleton`): the name itself is not kept."""
    owner_id: Mapped[int] = mapped_column(ForeignKey("owners.id"))


class Invitation(Base):
    """A link with which one person may register, once."""

    __tablename__ = "invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    role: Mapped[str] = mapped_column(String(16))
    name: Mapped[str | None] = mapped_column(String(NAME_LENGTH))
    """The account's name: the only way to an owner who has bots already; None: the invited person chooses it."""
    note: Mapped[str] = mapped_column(String(MAX_NOTE), default="")
    """For whom it is."""
    group_name: Mapped[str | None] = mapped_column(ForeignKey("account_groups.name"))
    """Group of the account to be; None: none."""
    by: Mapped[str] = mapped_column(String(NAME_LENGTH))
    added: Mapped[float]
    expires: Mapped[float]
    used: Mapped[float | None]
    used_by: Mapped[str | None] = mapped_column(String(NAME_LENGTH))


class TeamInvitation(Base):
    """A link with which one account may join a team, once."""

    __tablename__ = "team_invitations"

    id: Mapped[int] = mapped_column(primary_key=True)
    hash: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    team_id: Mapped[int] = mapped_column(ForeignKey("owners.id"), index=True)
    by: Mapped[str] = mapped_column(String(NAME_LENGTH))
    added: Mapped[float]
    expires: Mapped[float]
    used: Mapped[float | None]
    used_by: Mapped[str | None] = mapped_column(String(NAME_LENGTH))


class Credential(Base):
    """A secret with which a browser (a session) or a program (a token) acts for an account."""

    __tablename__ = "credentials"
    __table_args__ = (CheckConstraint("kind IN ('session', 'token')", name="kind"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("accounts.owner_id"), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    hash: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    name: Mapped[str] = mapped_column(String(MAX_NOTE), default="")
    """Name that its owner gives a token; of a session the browser's words."""
    scopes: Mapped[list[str]] = mapped_column(JSON)
    added: Mapped[float]
    expires: Mapped[float]
    used: Mapped[float]
    """Unix time of its last use, to within some minutes."""
    revoked: Mapped[float | None]


class LoginCode(Base):
    """A log-in of the command that waits for its user to confirm it in a browser (RFC 8628)."""

    __tablename__ = "login_codes"

    id: Mapped[int] = mapped_column(primary_key=True)
    device_hash: Mapped[str] = mapped_column(String(HASH_LENGTH), unique=True)
    """Of the secret that the command keeps."""
    user_code: Mapped[str] = mapped_column(String(16), unique=True)
    """Code that its user sees at both ends."""
    client: Mapped[str] = mapped_column(String(MAX_NOTE))
    """Program and machine of the command, in its own words."""
    address: Mapped[str] = mapped_column(String(64))
    """From where it asked."""
    added: Mapped[float]
    expires: Mapped[float]
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.owner_id"))
    """The account that confirmed it; None: it is not confirmed."""
    scopes: Mapped[list[str]] = mapped_column(JSON)
    """Permissions of the token, once the log-in is confirmed."""


class AuditEntry(Base):
    """One thing that a person did."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[float]
    actor: Mapped[str] = mapped_column(String(NAME_LENGTH))
    """The account's name; empty: a person with access to the ladder's machine."""
    action: Mapped[str] = mapped_column(String(32))
    """``account.disable``, ``token.create``, …"""
    subject: Mapped[str] = mapped_column(String(MAX_NOTE))
    """The object of the action: an account's, a bot's or an image's name, a number."""
    details: Mapped[dict[str, Any]]
    address: Mapped[str] = mapped_column(String(64))
    """From where; empty: from the ladder's machine."""


class StoredSubmission(LeasedRow, Base):
    """
    A row of the queue of submissions: what was ordered, how far it has come, and its result.

    It holds what neither `SubmissionOrder` nor `SubmissionRow` may carry: the lease, the folder on the ladder's disk
    and the failures of the platform.
    """

    __tablename__ = "submissions"
    __table_args__ = (
        CheckConstraint("status IN ('queued', 'leased', 'entered', 'refused', 'failed', 'withdrawn')", name="status"),
        Index("ix_submissions_owner", "owner", "id"),
        {"sqlite_autoincrement": True},
    )

    owner: Mapped[str] = mapped_column(String(NAME_LENGTH))
    """A name: there may be no such owner before the first of its bots is entered."""
    remote: Mapped[bool]
    """True if it came through the site; else from a person with access to the ladder's machine."""
    ordered: Mapped[dict[str, Any]] = mapped_column(JSON)
    """`ladder.values.submission.SubmissionOrder`, as it came."""
    image: Mapped[str | None]
    """The image reference by which the engine of a worker finds it; None for a folder."""
    folder: Mapped[str | None] = mapped_column(String(HASH_LENGTH))
    """Name of its folder in the ladder's folder `submissions`, until the submission has ended."""
    sandbox: Mapped[str] = mapped_column(String(16))
    size: Mapped[int] = mapped_column(BigInteger)
    """Bytes that were uploaded; 0 if nothing was."""
    status: Mapped[str] = mapped_column(String(16), default=SubmissionStatus.QUEUED)
    phase: Mapped[str] = mapped_column(String(16), default="received")
    """``received``, ``building``, ``trying``, ``ended``: the last one that was reported."""
    done: Mapped[int] = mapped_column(default=0)
    """Cases and deals of the trial that are over."""
    steps: Mapped[int] = mapped_column(default=0)
    """Number of cases and deals of the trial; 0: not known yet."""
    lost_containers: Mapped[int] = mapped_column(default=0, server_default="0")
    """Number of its failures in which the bot's own container was killed, and not through its engine."""
    added: Mapped[float]
    started: Mapped[float | None]
    """Unix time at which it was leased last."""
    finished: Mapped[float | None]
    trial_seconds: Mapped[float] = mapped_column(default=0.0)
    """Wall time of all attempts at it."""
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    """`ladder.values.submission.SubmissionResult`, once it has been tried."""

    @property
    def order(self) -> SubmissionOrder:
        """The order; never changed."""
        return SubmissionOrder.model_validate(self.ordered)

    @property
    def bot(self) -> str:
        """Name of the bot."""
        return self.order.name

    @property
    def source(self) -> str:
        """Folder or image that was submitted, in the owner's words: a folder's name, or an image reference."""
        return self.image or self.order.source or self.order.name

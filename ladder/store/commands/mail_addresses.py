"""E-mail addresses of accounts: asked for, confirmed, removed. Each function needs a transaction that writes."""

from __future__ import annotations

import datetime
import secrets
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from ladder.errors import LadderError
from ladder.store.account_models import Account
from ladder.store.account_names import account_of, find_account
from ladder.store.commands.letters import MAX_REFUSALS, forget_letters, post_letter
from ladder.store.lookup import name_of
from ladder.store.mail_models import MailAddress
from ladder.store.webhook_models import SALT_LENGTH
from ladder.values.mail import NOTICES, USUAL_NOTICES, AccountMail, LetterKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.orm import Session

CONFIRM_SECONDS = 86_400.0
"""Seconds for which the link is valid with which an address is confirmed."""
NOT_GOOD = (
    "This link is no longer valid: it was used, has expired, or another address or another password was given since. "
    "Give the address again on the page of your account."
)
NO_ADDRESS = "{name!r} has no e-mail address."
MAX_ACCOUNTS = 5
"""Accounts with one address that get a link each, when a visitor asks for one by that address."""


def new_salt() -> str:
    """Make what a secret follows from, together with the ladder's key."""
    return secrets.token_hex(SALT_LENGTH // 2)


def mail_of(session: Session, name: str) -> AccountMail | None:
    """
    Read the address of an account; None: it has none. A transaction that reads will do.

    Raises:
        LadderError: If there is no such account.
    """
    row = session.get(MailAddress, find_account(session, name).owner_id)
    if row is None:
        return None
    return AccountMail(
        address=row.address,
        pending=row.pending,
        language=row.language,
        notices=tuple(kind for kind in NOTICES if kind in row.notices),
        is_refused=row.refusals >= MAX_REFUSALS,
    )


def ask_for(session: Session, name: str, address: str, language: str, salt: str, hashed: str, now: float) -> None:
    """
    Let an address wait for its confirmation, and write the letter with the link. An older one is forgotten.

    The confirmed address gets a letter, too: another person may have asked.

    Args:
        session: A transaction that writes.
        name: Of the account, which is there.
        address: What it is to have.
        language: Of its letters.
        salt: What the secret of the link follows from.
        hashed: SHA-256 of that secret.
        now: Unix time.
    """
    account = find_account(session, name)
    owner = account.owner_id
    row = session.get(MailAddress, owner)
    if row is not None and row.address is not None and row.address.lower() != address.lower():
        data = {"name": name, "by_password": account.password is not None}
        _warn(session, LetterKind.ASKED, row, row.address, data, now)
    if row is None:
        row = MailAddress(owner_id=owner, notices=[str(kind) for kind in USUAL_NOTICES], salt=new_salt())
        session.add(row)
    row.language = language
    row.pending, row.pending_hash, row.pending_until = address, hashed, now + CONFIRM_SECONDS
    session.flush()
    forget_letters(session, owner, LetterKind.CONFIRM)
    post_letter(
        session, LetterKind.CONFIRM, salt, now, owner=owner, address=address, language=language,
        data={"name": name, "salt": salt}, seconds=CONFIRM_SECONDS,
    )  # fmt: skip


def waiting_for(session: Session, hashed: str, now: float) -> tuple[str, str]:
    """
    Find the account and the address that a link confirms; a transaction that reads will do.

    Raises:
        LadderError: If the link is not good any more.
    """
    row = _pending(session, hashed, now)
    assert row.pending is not None
    return name_of(session, row.owner_id), row.pending


def confirm(session: Session, hashed: str, now: float) -> tuple[str, bool]:
    """
    Give an account the address that a link confirms; the one before hears of it.

    Returns:
        The name of the account, and True if it had another address before.

    Raises:
        LadderError: If the link is not good any more.
    """
    row = _pending(session, hashed, now)
    before, row.address, row.confirmed, row.refusals = row.address, row.pending, now, 0
    row.pending = row.pending_hash = row.pending_until = None
    row.salt = new_salt() if before != row.address else row.salt
    session.flush()
    name = name_of(session, row.owner_id)
    if before is None or before == row.address:
        return name, False
    _left(session, row, before, name, now)
    return name, True


def forget_pending(session: Session, owner: int) -> None:
    """Forget an address that waits for its confirmation, and its link: another person may have asked for it."""
    row = session.get(MailAddress, owner)
    if row is None or row.pending is None:
        return
    forget_letters(session, owner, LetterKind.CONFIRM)
    row.pending = row.pending_hash = row.pending_until = None
    if row.address is None:
        session.delete(row)
    session.flush()


def _pending(session: Session, hashed: str, now: float) -> MailAddress:
    good = MailAddress.pending_hash == hashed, MailAddress.pending_until > now, MailAddress.pending.is_not(None)
    row = session.scalar(select(MailAddress).where(*good))
    if row is None:
        raise LadderError(NOT_GOOD)
    return row


def remove(session: Session, name: str, now: float) -> None:
    """
    Remove the address of an account; it hears of that.

    Raises:
        LadderError: If there is no such account, or it has none.
    """
    row = _row(session, name)
    if row.address is not None:
        _left(session, row, row.address, name, now)
    else:
        forget_letters(session, row.owner_id)
    session.delete(row)
    session.flush()


def _left(session: Session, row: MailAddress, before: str, name: str, now: float) -> None:
    """Send nothing more to an address but warnings, one of them that it is the account's no more."""
    forget_letters(session, row.owner_id)
    _warn(session, LetterKind.MOVED, row, before, {"name": name}, now)


def _warn(
    session: Session, kind: LetterKind, row: MailAddress, address: str, data: Mapping[str, Any], now: float
) -> None:
    """Write one of the letters by which a person learns that another one changes the account."""
    post_letter(
        session, kind, new_salt(), now, owner=row.owner_id, address=address, language=row.language, data=data
    )  # fmt: skip


def end_of_password(session: Session, owner: int, now: float) -> None:
    """
    Let what the old password of an account has led to end: an address that waits, letters with links for a new one.

    A letter says to its confirmed address, if it has one, that its password is another one now.
    """
    forget_pending(session, owner)
    forget_letters(session, owner, LetterKind.PASSWORD)
    row = session.get(MailAddress, owner)
    if row is not None and row.address is not None and row.refusals < MAX_REFUSALS:
        changed = datetime.datetime.fromtimestamp(now, datetime.UTC)
        data = {"name": name_of(session, owner), "at": changed.isoformat()}
        _warn(session, LetterKind.CHANGED, row, row.address, data, now)


def choose(session: Session, name: str, kinds: Collection[LetterKind], language: str) -> None:
    """
    Say which letters an account wants, and in which language.

    Raises:
        LadderError: If there is no such account, or it has no address.
    """
    row = _row(session, name)
    row.notices, row.language = [str(kind) for kind in NOTICES if kind in kinds], language


def _row(session: Session, name: str) -> MailAddress:
    row = session.get(MailAddress, find_account(session, name).owner_id)
    if row is None:
        raise LadderError(NO_ADDRESS.format(name=name))
    return row


def salt_of(session: Session, owner: int) -> str:
    """Give what the links follow from that end an account's letters; empty: it has no address."""
    row = session.get(MailAddress, owner)
    return row.salt if row is not None else ""


def no_more(session: Session, owner: int, kind: LetterKind | None) -> None:
    """Send an account no more letters of a kind; None: no notices."""
    row = session.get(MailAddress, owner)
    if row is not None:
        row.notices = [each for each in row.notices if kind is not None and each != kind]


def named_by(session: Session, asked: str) -> list[tuple[Account, MailAddress]]:
    """
    Find the accounts with a confirmed address that a visitor means, by a name or by that address.

    Those that are disabled, or have no password and log in at the identity provider, are left out.
    """
    wanted = select(Account, MailAddress).join(MailAddress, MailAddress.owner_id == Account.owner_id)
    wanted = wanted.where(MailAddress.address.is_not(None), MailAddress.refusals < MAX_REFUSALS)
    wanted = wanted.where(Account.disabled.is_(None), Account.password.is_not(None) | Account.subject.is_(None))
    if "@" in asked:
        wanted = wanted.where(func.lower(MailAddress.address) == asked.lower())
    else:
        found = account_of(session, asked)
        wanted = wanted.where(Account.owner_id == (found.owner_id if found else -1))
    return [(account, row) for account, row in session.execute(wanted.order_by(Account.owner_id).limit(MAX_ACCOUNTS))]

"""Accounts: made, and changed by their owners and by organisers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.entry.claims import check_name, check_new_name
from ladder.errors import LadderError
from ladder.store.account_lookup import account_of
from ladder.store.account_models import Account, Invitation
from ladder.store.commands.credentials import revoke_all
from ladder.store.commands.login_codes import forget_confirmed
from ladder.store.models import Owner

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.values.accounts import Role


def add_account(
    session: Session,
    name: str,
    role: Role,
    now: float,
    *,
    password: str | None = None,
    subject: str | None = None,
    is_reserved: bool = False,
) -> Account:
    """
    Make an account; an owner of that name, if there is none.

    Args:
        session: A transaction that writes.
        name: The account's, which is its owner's.
        role: What it is for.
        now: Unix time.
        password: Its hash; None: there is none yet, or ever.
        subject: Who it is at the identity provider; None: not known there.
        is_reserved: Whether the invitation names this account, so that it may be that of an owner with bots.

    Raises:
        LadderError: If the name cannot be, is taken, or looks like another one.
    """
    check_name(name, "an account")
    _check_free(session, name, now, is_reserved)
    owner = session.scalar(select(Owner).where(Owner.name == name))
    if owner is None:
        owner = Owner(name=name, added=now)
        session.add(owner)
        session.flush()
    account = Account(owner_id=owner.id, role=str(role), password=password, subject=subject, reason="", added=now)
    session.add(account)
    session.flush()
    return account


def _check_free(session: Session, name: str, now: float, is_reserved: bool) -> None:
    if account_of(session, name) is not None:
        raise LadderError(f"There is an account {name!r} already. Choose another name.")
    if check_alike(session, name, now) and not is_reserved:
        raise LadderError(f"The name {name!r} is taken. Choose another, or ask the organiser for an invitation to it.")


def check_alike(session: Session, name: str, now: float) -> bool:
    """
    Tell whether a name belongs to an owner, or is reserved by an invitation.

    Raises:
        LadderError: If neither, and it looks like the name of one, or cannot be that of a new account.
    """
    open_ones = select(Invitation.name).where(Invitation.used.is_(None), Invitation.expires > now)
    known = {*session.scalars(select(Owner.name)), *session.scalars(open_ones.where(Invitation.name.is_not(None)))}
    names = {other for other in known if other}
    if name not in names:
        check_new_name(name, "an account", names)
    return name in names


def set_password(session: Session, account: Account, password: str, now: float, spared: int | None = None) -> None:
    """
    Give an account a password, and end its other sessions, and log-ins of the command that have no token yet.

    Args:
        session: A transaction that writes.
        account: Whose.
        password: Its hash.
        now: Unix time.
        spared: Number of the session that stays.
    """
    account.password = password
    revoke_all(session, account.owner_id, now, kind="session", spared=spared)
    forget_confirmed(session, account.owner_id)


def renew_hash(account: Account, hashed: str | None) -> None:
    """Keep the same password in another hash; sessions stay."""
    account.password = hashed


def set_role(account: Account, role: Role) -> None:
    """Say what an account is for."""
    account.role = str(role)


def set_quota(account: Account, submissions_a_day: int | None) -> None:
    """Say how often an account may submit in 24 hours; None: as the settings say."""
    account.submissions_a_day = submissions_a_day


def disable(session: Session, account: Account, reason: str, now: float) -> None:
    """Disable an account, and end its sessions, its tokens, and log-ins of the command that have no token yet."""
    account.disabled, account.reason = now, reason
    revoke_all(session, account.owner_id, now)


def enable(account: Account) -> None:
    """Let the account's owner log in again."""
    account.disabled, account.reason = None, ""

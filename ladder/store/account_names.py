"""
Lookup of accounts in a ladder's database.

It stands apart from the lookup of bots, which every command needs: the tables of accounts take long to declare.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.entry.claims import skeleton
from ladder.errors import LadderError
from ladder.store.account_models import Account, FormerName
from ladder.store.models import Owner

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

NO_ACCOUNT = "There is no account {name!r}. To list all: pigpen account list"
FORMER = "The name {name!r} was that of another account, and is not given away again. Choose another name."


def account_of(session: Session, name: str) -> Account | None:
    """Find an account; None if there is none of that name."""
    return session.scalar(select(Account).join(Owner, Owner.id == Account.owner_id).where(Owner.name == name))


def find_account(session: Session, name: str) -> Account:
    """
    Find an account.

    Raises:
        LadderError: If there is none of that name.
    """
    account = account_of(session, name)
    if account is None:
        raise LadderError(NO_ACCOUNT, name=name)
    return account


def account_by_subject(session: Session, subject: str) -> Account | None:
    """Find the account of a person whom the identity provider has authenticated."""
    return session.scalar(select(Account).where(Account.subject == subject))


def has_organiser(session: Session) -> bool:
    """Tell whether there is an organiser's account that can log in."""
    can = select(func.count()).where(Account.role == "organiser", Account.disabled.is_(None))
    return bool(session.scalar(can.where(Account.password.is_not(None) | Account.subject.is_not(None))))


def hash_of_name(name: str) -> str:
    """Give what is kept of a name that an account had."""
    return hashlib.sha256(skeleton(name).encode()).hexdigest()


def check_not_former(session: Session, name: str, owner: int | None = None) -> None:
    """
    Make sure that no other account had a name that looks like this one.

    Raises:
        LadderError: If one had; images in the registry, and what others have read, are still that one's.
    """
    former = session.get(FormerName, hash_of_name(name))
    if former is not None and former.owner_id != owner:
        raise LadderError(FORMER, name=name)

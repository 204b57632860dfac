"""
Lookup of accounts in a ladder's database.

It stands apart from the lookup of bots, which every command needs: the tables of accounts take long to declare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.errors import LadderError
from ladder.store.account_models import Account
from ladder.store.models import Owner

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


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
        raise LadderError(f"There is no account {name!r}. To list all: pigpen account list")
    return account


def account_by_subject(session: Session, subject: str) -> Account | None:
    """Find the account of a person whom the identity provider has authenticated."""
    return session.scalar(select(Account).where(Account.subject == subject))


def has_organiser(session: Session) -> bool:
    """Tell whether there is an organiser's account that can log in."""
    can = select(func.count()).where(Account.role == "organiser", Account.disabled.is_(None))
    return bool(session.scalar(can.where(Account.password.is_not(None) | Account.subject.is_not(None))))

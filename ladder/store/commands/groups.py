"""Groups of accounts: made when an account is put into them, with quotas that hold for each of their accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, select, update

from ladder.entry.claims import check_new_name, check_not_none
from ladder.errors import LadderError
from ladder.store.account_models import Account, AccountGroup, Invitation
from ladder.store.models import Owner
from ladder.values.accounts import GroupRow

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

LOOKS_LIKE_GROUP = (
    "The name {name!r} looks like {taken!r}, which is taken. Write {taken} if you mean it, or choose a name less "
    "like it."
)
NO_GROUP = "There is no group {name!r}. Choose one of {known}."
NO_GROUPS = "There is no group {name!r}. To put an account into one: pigpen account group NAME GROUP"


def make_group(session: Session, name: str, now: float) -> AccountGroup:
    """
    Give a group; a new one, if there is none of that name.

    Raises:
        LadderError: If the name cannot be, or looks like that of another group.
    """
    found = session.get(AccountGroup, name)
    if found is None:
        check_not_none(name, "a group")
        others = session.scalars(select(AccountGroup.name)).all()
        check_new_name(name, "a group", others, LOOKS_LIKE_GROUP)
        found = AccountGroup(name=name, changed=now)
        session.add(found)
        session.flush()
    return found


def find_group(session: Session, name: str) -> AccountGroup:
    """
    Find a group.

    Raises:
        LadderError: If there is none of that name.
    """
    found = session.get(AccountGroup, name)
    if found is None:
        known = ", ".join(session.scalars(select(AccountGroup.name).order_by(AccountGroup.name)))
        raise LadderError(NO_GROUP if known else NO_GROUPS, name=name, known=known)
    return found


def put_into_group(session: Session, account: Account, name: str | None, now: float) -> None:
    """
    Put an account into a group, out of the one in which it was; None: into none.

    A group that no account is in and no open invitation names is removed.

    Raises:
        LadderError: If the name of a new group cannot be.
    """
    before = account.group_name
    account.group_name = None if name is None else make_group(session, name, now).name
    for each in filter(None, (before, name)):
        find_group(session, each).changed = now
    remove_unused_groups(session, now)


def remove_unused_groups(session: Session, now: float) -> None:
    """Remove groups that no account is in and no open invitation names; needs a transaction that writes."""
    session.flush()
    has_accounts = exists().where(Account.group_name == AccountGroup.name)
    is_open = Invitation.used.is_(None), Invitation.expires > now
    has_invitation = exists().where(Invitation.group_name == AccountGroup.name, *is_open)
    unused = session.scalars(select(AccountGroup.name).where(~has_accounts, ~has_invitation)).all()
    session.execute(update(Invitation).where(Invitation.group_name.in_(unused)).values(group_name=None))
    session.execute(delete(AccountGroup).where(AccountGroup.name.in_(unused)))


def group_owners(session: Session, name: str) -> frozenset[str]:
    """
    Read the names of the accounts of a group.

    Raises:
        LadderError: If there is none of that name.
    """
    find_group(session, name)
    of_group = select(Owner.name).join(Account, Account.owner_id == Owner.id).where(Account.group_name == name)
    return frozenset(session.scalars(of_group))


def group_rows(session: Session, name: str | None = None) -> list[GroupRow]:
    """Read all groups by name, or one of them."""
    accounts = select(func.count()).where(Account.group_name == AccountGroup.name).scalar_subquery()
    wanted = select(AccountGroup, accounts).order_by(AccountGroup.name)
    if name is not None:
        wanted = wanted.where(AccountGroup.name == name)
    return [
        GroupRow(name=each.name, accounts=count, submissions_a_day=each.submissions_a_day, bots=each.bots)
        for each, count in session.execute(wanted)
    ]

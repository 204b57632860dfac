"""Teams: owners of bots for whom their members act. An account is a member of one team at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from ladder.entry.claims import check_not_none
from ladder.errors import LadderError
from ladder.store.account_models import Account, TeamInvitation
from ladder.store.account_names import account_of, find_account
from ladder.store.commands.accounts import add_account
from ladder.store.commands.event_entries import open_entries
from ladder.store.models import Owner
from ladder.store.turns import other_bots
from ladder.values.accounts import Role, TeamInvitationRow, TeamRow
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

NO_TEAM = "There is no team {name!r}. To list all: pigpen account teams"
NOT_A_MEMBER = "{name!r} is a team, and no member of one. Name a person."
ANOTHER_TEAM = "{name!r} is a member of the team {team!r}. An account is in one team at most: leave it first."
OWN_BOTS = (
    "{name!r} has bots of its own: {bots}. A member of a team has only the team's. Retire them first: "
    "pigpen retire {first}"
)
OWN_ENTRIES = (
    "{name!r} has bots of its own in events that are not over: {bots}. A member of a team has only the team's. "
    "Withdraw them first: pigpen event withdraw {first}"
)
FULL_TEAM = "The team {team!r} has {limit} members: the most that a team may have on this ladder (setting team_size)."
NOT_OPEN = "This link is no longer valid: it was used, has expired, or was withdrawn. Ask the team for a new one."


def find_team(session: Session, name: str) -> Account:
    """
    Find a team.

    Raises:
        LadderError: If there is none of that name.
    """
    found = account_of(session, name)
    if found is None or not found.is_team:
        raise LadderError(NO_TEAM, name=name)
    return found


def make_team(session: Session, name: str, group: str | None, now: float, *, is_reserved: bool = False) -> Account:
    """
    Make a team without members.

    Args:
        session: A transaction that writes.
        name: Its name.
        group: The group of accounts into which it comes, which is there; None: none.
        now: Unix time.
        is_reserved: Whether it may be the name of an owner with bots.

    Raises:
        LadderError: If the name cannot be, is taken, or looks like another one.
    """
    check_not_none(name, "a team")
    made = add_account(session, name, Role.CONTESTANT, now, group=group, is_reserved=is_reserved)
    made.is_team = True
    return made


def join(session: Session, account: Account, team: Account, limit: int, now: float) -> None:
    """
    Make an account a member of a team.

    A member has no bots at play but the team's: two bots of one person never sit at one table.

    Raises:
        LadderError: If it is in another one, has bots of its own that play, wait or are in events, or the team has as
            many members as it may have.
    """
    name = session.get_one(Owner, account.owner_id).name
    if account.is_team:
        raise LadderError(NOT_A_MEMBER, name=name)
    if account.team_id == team.owner_id:
        return
    if playing := other_bots(session, name, ""):
        raise LadderError(OWN_BOTS, name=name, bots=", ".join(playing), first=playing[0])
    if entered := open_entries(session, account.owner_id):
        raise LadderError(OWN_ENTRIES, name=name, bots=in_words(entered), first=" ".join(entered[0]))
    if account.team_id is not None:
        raise LadderError(ANOTHER_TEAM, name=name, team=session.get_one(Owner, account.team_id).name)
    members = session.scalar(select(func.count()).where(Account.team_id == team.owner_id)) or 0
    if members >= limit:
        raise LadderError(FULL_TEAM, team=session.get_one(Owner, team.owner_id).name, limit=members)
    account.team_id, account.joined = team.owner_id, now
    session.flush()


def in_words(entered: Iterable[tuple[str, str]]) -> str:
    """
    List bots that are in events.

    >>> in_words([("cup", "Trotter"), ("open", "Canter")])
    'Trotter in cup, Canter in open'
    """
    return ", ".join(f"{bot} in {event}" for event, bot in entered)


def leave(session: Session, account: Account, now: float) -> None:
    """Take an account out of its team; invitations that it has made are revoked."""
    revoke_team_invitations(session, session.get_one(Owner, account.owner_id).name, now)
    account.team_id = account.joined = None
    session.flush()


def revoke_team_invitations(session: Session, by: str, now: float) -> None:
    """Revoke open links into a team that an account has made."""
    open_ones = TeamInvitation.by == by, TeamInvitation.used.is_(None), TeamInvitation.expires > now
    session.execute(update(TeamInvitation).where(*open_ones).values(expires=now))


def members(session: Session, team: int) -> list[str]:
    """Read the names of the members of a team, the oldest member first; a transaction that reads will do."""
    found = select(Owner.name).join(Account, Account.owner_id == Owner.id).where(Account.team_id == team)
    return list(session.scalars(found.order_by(Account.joined, Owner.id)))


def team_row(session: Session, name: str, limit: int) -> TeamRow:
    """
    Read a team; a transaction that reads will do.

    Raises:
        LadderError: If there is none of that name.
    """
    return TeamRow(name=name, members=tuple(members(session, find_team(session, name).owner_id)), limit=limit)


def team_rows(session: Session, limit: int) -> list[TeamRow]:
    """Read all teams by name; a transaction that reads will do."""
    names = select(Owner.name).join(Account, Account.owner_id == Owner.id).where(Account.is_team)
    return [team_row(session, name, limit) for name in session.scalars(names.order_by(Owner.name)).all()]


def invite_to_team(session: Session, team: Account, hashed: str, by: str, now: float, expires: float) -> TeamInvitation:
    """
    Add an invitation to a team.

    Args:
        session: A transaction that writes.
        team: The team.
        hashed: SHA-256 of the invitation's secret.
        by: The member who invites.
        now: Unix time.
        expires: Unix time until which it is valid.
    """
    made = TeamInvitation(hash=hashed, team_id=team.owner_id, by=by, added=now, expires=expires)
    session.add(made)
    session.flush()
    return made


def open_team_invitation(session: Session, hashed: str, now: float) -> TeamInvitation:
    """
    Find an invitation by the hash of its secret; a transaction that reads will do.

    Raises:
        LadderError: If it is not valid any more, or never was.
    """
    good = TeamInvitation.hash == hashed, TeamInvitation.used.is_(None), TeamInvitation.expires > now
    found = session.scalar(select(TeamInvitation).where(*good))
    if found is None or session.get_one(Account, found.team_id).disabled is not None:
        raise LadderError(NOT_OPEN)
    return found


def open_team_invitations(session: Session, team: int, now: float) -> list[TeamInvitationRow]:
    """Read the open invitations of a team, the newest first; a transaction that reads will do."""
    good = TeamInvitation.team_id == team, TeamInvitation.used.is_(None), TeamInvitation.expires > now
    return [
        TeamInvitationRow(id=each.id, by=each.by, added=time_of(each.added), expires=time_of(each.expires))
        for each in session.scalars(select(TeamInvitation).where(*good).order_by(TeamInvitation.id.desc()))
    ]


def revoke_team_invitation(session: Session, team: Account, number: int, now: float) -> bool:
    """Revoke an open invitation of a team; False if it has none of that number."""
    good = TeamInvitation.id == number, TeamInvitation.team_id == team.owner_id, TeamInvitation.used.is_(None)
    found = session.scalar(select(TeamInvitation).where(*good, TeamInvitation.expires > now))
    if found is not None:
        found.expires = now
    return found is not None


def disband(session: Session, team: Account) -> None:
    """Take all members out of a team that is to be deleted, and remove its invitations."""
    of_team = Account.team_id == team.owner_id
    session.execute(update(Account).where(of_team).values(team_id=None, joined=None))
    session.execute(delete(TeamInvitation).where(TeamInvitation.team_id == team.owner_id))


def team_of_one(session: Session, name: str) -> str | None:
    """Find the team of which an account is the only member, which goes with it; a transaction that reads will do."""
    account = find_account(session, name)
    if account.team_id is None or members(session, account.team_id) != [name]:
        return None
    return session.get_one(Owner, account.team_id).name

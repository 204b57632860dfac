"""Accounts: the owner of a secret, and the lists that organisers and owners see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from ladder.store.account_models import Account, AuditEntry, Credential, Invitation, StoredSubmission
from ladder.store.models import Owner, StoredBot
from ladder.values.accounts import AccountRow, AuditRow, CredentialRow, InvitationRow, Role, Scope
from ladder.values.value import time_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class Holder:
    """Account that a secret opens."""

    credential: int
    name: str
    role: Role
    team: str | None
    """The team of which it is a member; None: of none, or it is disabled."""
    scopes: frozenset[Scope]
    used: float
    """Unix time of the last use of the secret, to within some minutes."""


def holder_of(session: Session, hashed: str, kind: str, now: float) -> Holder | None:
    """Find whose account a session or token opens; None: it opens none, or none any more."""
    good = Credential.hash == hashed, Credential.kind == kind, Credential.revoked.is_(None), Credential.expires > now
    wanted = (
        select(Credential.id, Owner.name, Account.role, Account.team_id, Credential.scopes, Credential.used)
        .join_from(Credential, Account, Account.owner_id == Credential.owner_id)
        .join(Owner, Owner.id == Account.owner_id)
        .where(*good, Account.disabled.is_(None))
    )
    row = session.execute(wanted).one_or_none()
    if row is None:
        return None
    team = None if row.team_id is None else team_name(session, row.team_id)
    return Holder(row.id, row.name, Role(row.role), team, frozenset(map(Scope, row.scopes)), row.used)


def team_name(session: Session, team: int) -> str | None:
    """Give the name of a team by its number; None: it is disabled."""
    found = select(Owner.name).join(Account, Account.owner_id == Owner.id)
    return session.scalar(found.where(Account.owner_id == team, Account.disabled.is_(None)))


def bots_of(session: Session, owner: str) -> tuple[str, ...]:
    """Give the names of an owner's bots."""
    of_owner = select(StoredBot.name).join(Owner, Owner.id == StoredBot.owner_id).where(Owner.name == owner)
    return tuple(session.scalars(of_owner.order_by(StoredBot.name)))


def accounts(session: Session, name: str | None = None) -> list[AccountRow]:
    """List all accounts by name, or one of them."""
    bots = select(func.count()).where(StoredBot.owner_id == Account.owner_id).scalar_subquery()
    teams = aliased(Owner)
    wanted = select(Account, Owner.name, bots, teams.name).join(Owner, Owner.id == Account.owner_id)
    wanted = wanted.outerjoin(teams, teams.id == Account.team_id)
    if name is not None:
        wanted = wanted.where(Owner.name == name)
    return [
        AccountRow(
            name=its_name,
            role=Role(account.role),
            added=time_of(account.added),
            disabled=None if account.disabled is None else time_of(account.disabled),
            reason=account.reason,
            submissions_a_day=account.submissions_a_day,
            group=account.group_name,
            team=team,
            is_team=account.is_team,
            bots=count,
            signs_in_by="password" if account.password else "provider" if account.subject else "nothing",
        )
        for account, its_name, count, team in session.execute(wanted.order_by(func.lower(Owner.name), Owner.name))
    ]


def submissions_by_owner(session: Session) -> dict[str, tuple[int, float]]:
    """Count the submissions of each owner, and give the Unix time at which the last one came."""
    row = StoredSubmission
    found = session.execute(select(row.owner, func.count(), func.max(row.added)).group_by(row.owner))
    return {owner: (count, last) for owner, count, last in found}


def invitations(session: Session, now: float) -> list[InvitationRow]:
    """List the invitations that are open or were used, the newest first."""
    shown = Invitation.used.is_not(None) | (Invitation.expires > now)
    found = session.scalars(select(Invitation).where(shown).order_by(Invitation.id.desc()))
    return [
        InvitationRow(
            id=each.id,
            role=Role(each.role),
            name=each.name,
            note=each.note,
            group=each.group_name,
            by=each.by,
            added=time_of(each.added),
            expires=time_of(each.expires),
            used=None if each.used is None else time_of(each.used),
            used_by=each.used_by,
        )
        for each in found
    ]


def credentials(session: Session, owner_id: int, now: float) -> list[CredentialRow]:
    """Read the valid sessions and tokens of an account, the newest first."""
    mine = Credential.owner_id == owner_id, Credential.revoked.is_(None), Credential.expires > now
    found = session.scalars(select(Credential).where(*mine).order_by(Credential.id.desc()))
    return [
        CredentialRow(
            id=each.id,
            kind="session" if each.kind == "session" else "token",
            name=each.name,
            scopes=tuple(map(Scope, each.scopes)),
            added=time_of(each.added),
            used=time_of(each.used),
            expires=time_of(each.expires),
        )
        for each in found
    ]


def audit(session: Session, limit: int, before: int | None = None) -> list[AuditRow]:
    """Read the audit log, the newest entries first."""
    wanted = select(AuditEntry).order_by(AuditEntry.id.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(AuditEntry.id < before)
    return [
        AuditRow(
            id=each.id,
            at=time_of(each.at),
            actor=each.actor,
            action=each.action,
            subject=each.subject,
            details=each.details,
            address=each.address,
        )
        for each in session.scalars(wanted)
    ]

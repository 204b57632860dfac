"""Invitations: made, used once, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.errors import LadderError
from ladder.store.account_models import MAX_NOTE, Invitation

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.values.accounts import Role

NOT_GOOD = "This invitation is no longer valid: it was used, has expired, or was withdrawn. Ask for a new one."


def add_invitation(
    session: Session, hashed: str, role: Role, name: str | None, note: str, by: str, now: float, expires: float
) -> Invitation:
    """
    Add an invitation.

    Args:
        session: A transaction that writes.
        hashed: SHA-256 of the invitation's secret.
        role: Of the account to be.
        name: Its name; None: the invited person chooses it.
        note: For whom it is.
        by: Who invites.
        now: Unix time.
        expires: Unix time until which it is valid.
    """
    made = Invitation(
        hash=hashed, role=str(role), name=name, note=note[:MAX_NOTE], by=by, added=now, expires=expires
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def open_invitation(session: Session, hashed: str, now: float) -> Invitation:
    """
    Find an invitation by the hash of its secret.

    Raises:
        LadderError: If it is not good any more, or never was.
    """
    good = Invitation.hash == hashed, Invitation.used.is_(None), Invitation.expires > now
    found = session.scalar(select(Invitation).where(*good))
    if found is None:
        raise LadderError(NOT_GOOD)
    return found


def use_invitation(session: Session, invitation: Invitation, name: str, now: float) -> None:
    """Mark an invitation as used, and revoke others for the same name: they would open its account."""
    invitation.used, invitation.used_by = now, name
    revoke_invitations(session, now, name=name)


def revoke_invitation(session: Session, number: int, now: float) -> Invitation:
    """
    Revoke an invitation that has not been used.

    Raises:
        LadderError: If there is none of that number, or it is not good any more.
    """
    found = session.get(Invitation, number)
    if found is None or found.used is not None or found.expires <= now:
        raise LadderError(f"There is no open invitation {number}. To list all: pigpen account invitations")
    found.expires = now
    return found


def revoke_invitations(
    session: Session, now: float, *, note: str | None = None, name: str | None = None, by: str | None = None
) -> int:
    """
    Revoke open invitations.

    Args:
        session: A transaction that writes.
        now: Unix time.
        note: Only those with this note that were made on the ladder's machine.
        name: Only those for this name.
        by: Only those that this account has made.

    Returns:
        How many there were.
    """
    wanted = select(Invitation).where(Invitation.used.is_(None), Invitation.expires > now)
    if note is not None:
        wanted = wanted.where(Invitation.by == "", Invitation.note == note)
    if name is not None:
        wanted = wanted.where(Invitation.name == name)
    if by is not None:
        wanted = wanted.where(Invitation.by == by)
    found = session.scalars(wanted).all()
    for each in found:
        each.expires = now
    return len(found)

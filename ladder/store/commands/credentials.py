"""Sessions and tokens: made, used, revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from ladder.store.account_models import MAX_NOTE, Credential
from ladder.store.commands.login_codes import forget_confirmed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from ladder.values.accounts import Kind, Scope

KEPT_SECONDS = 30 * 24 * 3600.0
"""Seconds after its end that a session or token is kept."""


def add_credential(
    session: Session,
    owner_id: int,
    kind: Kind,
    hashed: str,
    name: str,
    scopes: Iterable[Scope],
    now: float,
    expires: float,
) -> Credential:
    """
    Let a secret open an account.

    Args:
        session: A transaction that writes.
        owner_id: Whose account.
        kind: What for.
        hashed: SHA-256 of the secret.
        name: For people.
        scopes: What it permits.
        now: Unix time.
        expires: Until when.
    """
    session.execute(delete(Credential).where(Credential.expires < now - KEPT_SECONDS))
    made = Credential(
        owner_id=owner_id, kind=kind, hash=hashed, name=name[:MAX_NOTE], scopes=sorted(scopes),
        added=now, expires=expires, used=now,
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def revoke(session: Session, owner_id: int, number: int, kind: Kind, now: float) -> bool:
    """Revoke a session or token of an account; False if there is no valid one."""
    mine = Credential.id == number, Credential.owner_id == owner_id, Credential.kind == kind
    found = session.scalar(select(Credential).where(*mine, Credential.revoked.is_(None), Credential.expires > now))
    if found is not None:
        found.revoked = now
    return found is not None


def revoke_all(
    session: Session, owner_id: int, now: float, *, kind: Kind | None = None, spared: int | None = None
) -> int:
    """
    Revoke all sessions and tokens of an account, and with both the log-ins of the command that would give it a token.

    Args:
        session: A transaction that writes.
        owner_id: Whose account.
        now: Unix time.
        kind: Only those; None: both.
        spared: Number of the one that stays.

    Returns:
        How many there were.
    """
    wanted = select(Credential).where(Credential.owner_id == owner_id, Credential.revoked.is_(None))
    wanted = wanted.where(Credential.expires > now)
    if kind is not None:
        wanted = wanted.where(Credential.kind == kind)
    found = [each for each in session.scalars(wanted) if each.id != spared]
    for each in found:
        each.revoked = now
    if kind is None:
        forget_confirmed(session, owner_id)
    return len(found)


def touch(session: Session, number: int, now: float) -> None:
    """Remember that a session or token was used."""
    session.execute(update(Credential).where(Credential.id == number).values(used=now))

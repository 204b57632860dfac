"""Log-ins of the command that wait for a confirmation in a browser (RFC 8628)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select

from ladder.store.account_models import MAX_NOTE, LoginCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

    from ladder.values.accounts import Scope


def add_login_code(
    session: Session, device_hash: str, user_code: str, client: str, address: str, now: float, expires: float
) -> LoginCode:
    """Let a log-in wait; those that have expired are forgotten."""
    session.execute(delete(LoginCode).where(LoginCode.expires <= now))
    made = LoginCode(
        device_hash=device_hash, user_code=user_code, client=client[:MAX_NOTE], address=address[:64],
        added=now, expires=expires, scopes=[],
    )  # fmt: skip
    session.add(made)
    session.flush()
    return made


def waiting_codes(session: Session, now: float) -> int:
    """Count the log-ins that wait."""
    return session.scalar(select(func.count()).where(LoginCode.expires > now)) or 0


def unconfirmed_codes(session: Session, now: float) -> Sequence[LoginCode]:
    """Give the log-ins that are not confirmed yet, the oldest first."""
    open_ones = LoginCode.owner_id.is_(None), LoginCode.expires > now
    return session.scalars(select(LoginCode).where(*open_ones).order_by(LoginCode.added, LoginCode.id)).all()


def login_code(session: Session, user_code: str, now: float) -> LoginCode | None:
    """Find a log-in that is not confirmed yet, by the code that people see."""
    open_one = LoginCode.user_code == user_code, LoginCode.owner_id.is_(None), LoginCode.expires > now
    return session.scalar(select(LoginCode).where(*open_one))


def device_login(session: Session, device_hash: str, now: float) -> LoginCode | None:
    """Find a log-in, by the hash of the secret that the command keeps."""
    return session.scalar(select(LoginCode).where(LoginCode.device_hash == device_hash, LoginCode.expires > now))


def confirm(code: LoginCode, owner_id: int, scopes: Iterable[Scope]) -> None:
    """Let the command that waits have a token of this owner's."""
    code.owner_id, code.scopes = owner_id, sorted(scopes)


def forget(session: Session, code: LoginCode) -> None:
    """End a log-in: it was refused, or the command has its token."""
    session.delete(code)
    session.flush()


def forget_confirmed(session: Session, owner_id: int) -> None:
    """End the log-ins that an account has confirmed, and whose commands have no token yet."""
    session.execute(delete(LoginCode).where(LoginCode.owner_id == owner_id))

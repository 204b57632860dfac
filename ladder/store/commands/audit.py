"""The audit log: each action is stored in the transaction that does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.store.account_models import MAX_NOTE, AuditEntry
from ladder.values.names import NAME_LENGTH

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.values.accounts import Viewer


def write_audit(
    session: Session, viewer: Viewer, action: str, subject: str, now: float, **details: str | int | bool | None
) -> None:
    """
    Add an action to the audit log.

    Args:
        session: The transaction in which it is done.
        viewer: Who does it.
        action: What: ``account.disable``, ``token.create``, …
        subject: What it is done to: the name of an account, a bot or an image, or a number.
        now: Unix time.
        details: What else an organiser may want to know; no secrets.
    """
    entry = AuditEntry(
        at=now,
        actor=(viewer.name or "")[:NAME_LENGTH],
        action=action,
        subject=subject[:MAX_NOTE],
        details={name: text[:MAX_NOTE] if isinstance(text, str) else text for name, text in details.items()},
        address=viewer.address[:64],
    )
    session.add(entry)

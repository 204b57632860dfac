"""Submissions that have not ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, text

from ladder.store.account_models import StoredSubmission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

# Written out, so that SQLite uses the index with that condition.
_OPEN = text("submissions.status IN ('queued', 'leased')")


def open_submissions(session: Session) -> Sequence[StoredSubmission]:
    """Read those that have not ended, the oldest first."""
    return session.scalars(select(StoredSubmission).where(_OPEN).order_by(StoredSubmission.id)).all()

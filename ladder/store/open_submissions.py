"""Submissions that have not ended, and whose turn it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select, text

from ladder.store import turns
from ladder.store.account_models import StoredSubmission, SubmissionStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.orm import Session

OPEN = "submissions.status IN ('queued', 'leased')"
"""Submissions that have not ended; written out, so that SQLite uses the index with that condition."""


def open_submissions(session: Session) -> Sequence[StoredSubmission]:
    """Read those that have not ended, the oldest first."""
    return session.scalars(select(StoredSubmission).where(text(OPEN)).order_by(StoredSubmission.id)).all()


def in_turn(session: Session, rows: Iterable[StoredSubmission]) -> list[StoredSubmission]:
    """
    Sort those that wait as they will be tried.

    Owners take turns (`ladder.store.turns`): whose last trial is the longest ago goes first.

    Args:
        session: A transaction.
        rows: Submissions that have not ended, the oldest first.
    """
    waiting = [row for row in rows if row.status == SubmissionStatus.QUEUED]
    if len(waiting) < 2:
        return waiting
    return turns.in_turn(waiting, lambda row: row.owner, _served(session, {row.owner for row in waiting}))


def _served(session: Session, owners: Iterable[str]) -> dict[str, float]:
    """Say by owner when a submission of theirs was leased last."""
    last = func.max(StoredSubmission.started)
    wanted = select(StoredSubmission.owner, last).where(StoredSubmission.owner.in_(list(owners)))
    found = session.execute(wanted.group_by(StoredSubmission.owner))
    return {owner: started or 0.0 for owner, started in found}

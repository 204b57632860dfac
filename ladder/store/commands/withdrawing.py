"""Matches that are withdrawn without a result: their numbers are not used again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete

from ladder.store.models import StoredMatch, StoredSeat, VoidAttempt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


def remove_matches(session: Session, matches: Sequence[int]) -> None:
    """Remove matches that have no result, by number; what a runner still returns of them comes too late."""
    if not matches:
        return
    session.execute(delete(VoidAttempt).where(VoidAttempt.match_id.in_(matches)))
    session.execute(delete(StoredSeat).where(StoredSeat.match_id.in_(matches)))
    session.execute(delete(StoredMatch).where(StoredMatch.id.in_(matches)))

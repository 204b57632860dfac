"""The ladder as a whole: how much there is of everything, and whether it has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.store.models import Rating, StateChange, Status, StoredEstimate, StoredMatch, Version
from ladder.values.site import LadderCounts

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def revision(session: Session) -> str:
    """A text that changes whenever anything does that a page shows; it takes a few looks into indices."""
    leased = StoredMatch.status == Status.LEASED
    newest = (
        select(func.max(StoredMatch.ordinal)).scalar_subquery(),
        select(func.max(StoredMatch.id)).scalar_subquery(),
        select(func.max(StateChange.id)).scalar_subquery(),
        select(func.max(Version.id)).scalar_subquery(),
        select(func.sum(StoredEstimate.ordinal)).scalar_subquery(),
        select(func.count()).where(leased).scalar_subquery(),
        select(func.max(StoredMatch.started)).where(leased).scalar_subquery(),
    )
    return " ".join(str(value) for value in session.execute(select(*newest)).one())


def counts(session: Session) -> LadderCounts:
    """Count matches and entries of bots."""
    done = session.scalar(select(func.max(StoredMatch.ordinal))) or 0
    waiting = {
        status: session.scalar(select(func.count()).where(StoredMatch.status == status)) or 0
        for status in (Status.QUEUED, Status.LEASED)
    }
    all_matches = session.scalar(select(func.count()).select_from(StoredMatch)) or 0
    failures = session.scalar(
        select(func.sum(StoredMatch.failures)).where(StoredMatch.status.in_((Status.QUEUED, Status.LEASED)))
    )
    states = dict(session.execute(select(Rating.state, func.count()).group_by(Rating.state)).tuples().all())
    return LadderCounts(
        matches={
            **{str(status): number for status, number in waiting.items()},
            str(Status.DONE): done,
            str(Status.QUARANTINED): all_matches - done - sum(waiting.values()),
        },
        bots=states,
        failures=failures or 0,
    )

"""Submissions as they are shown, and the amount that an owner has submitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.turns import open_submissions, submissions_in_turn
from ladder.values.submission import SubmissionResult, SubmissionRow
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy.orm import Session

DAY = 24 * 3600.0


@dataclass(frozen=True)
class Usage:
    """Amount that some owners have submitted together."""

    waiting: int
    """Submissions that have not ended."""
    today: int
    """Those of the last 24 hours, but for what was withdrawn before it was tried."""
    seconds: float
    """Wall time of their trials."""


def usage(session: Session, owners: Collection[str], now: float) -> Usage:
    """Read how much these owners have submitted through the site, together."""
    of = StoredSubmission
    counted = (of.status != SubmissionStatus.WITHDRAWN) | (of.attempt > 0)
    recent = select(func.count(), func.coalesce(func.sum(of.trial_seconds), 0.0)).where(
        of.owner.in_(owners), of.remote, of.added > now - DAY, counted
    )
    today, seconds = session.execute(recent).one()
    waiting = sum(row.owner in owners for row in open_submissions(session))
    return Usage(waiting, today, seconds)


def submission_row(session: Session, submission: int) -> SubmissionRow | None:
    """Read one submission; None if there is none of that number."""
    found = session.get(StoredSubmission, submission) if 0 < submission < 2**31 else None
    return None if found is None else _row(found, _places(session))


def submission_in(session: Session, owner: str, folder: str) -> SubmissionRow | None:
    """Read the submission of that owner's whose folder has that name; None if there is none."""
    of = StoredSubmission
    found = session.scalar(select(of.id).where(of.owner == owner, of.folder == folder))
    return None if found is None else submission_row(session, found)


def submission_rows(
    session: Session, owners: Collection[str] | None, before: int | None, limit: int
) -> list[SubmissionRow]:
    """Read submissions of these owners, or of all, the newest first; those with numbers below *before*."""
    wanted = select(StoredSubmission).order_by(StoredSubmission.id.desc()).limit(limit)
    if owners is not None:
        wanted = wanted.where(StoredSubmission.owner.in_(owners))
    if before is not None:
        wanted = wanted.where(StoredSubmission.id < before)
    places = _places(session)
    return [_row(found, places) for found in session.scalars(wanted)]


def _places(session: Session) -> dict[int, int]:
    """Give the places of those that wait, by number; owners take turns, so a place can move."""
    return {row.id: place for place, row in enumerate(submissions_in_turn(session, open_submissions(session)), 1)}


def _row(found: StoredSubmission, places: Mapping[int, int]) -> SubmissionRow:
    return SubmissionRow(
        id=found.id,
        owner=found.owner,
        bot=found.bot,
        source=found.source,
        status=found.status,
        phase=found.phase,
        place=places.get(found.id),
        done=found.done,
        steps=found.steps,
        attempt=found.attempt,
        added=time_of(found.added),
        started=None if found.started is None else time_of(found.started),
        finished=None if found.finished is None else time_of(found.finished),
        reason=found.reason,
        result=None if found.result is None else SubmissionResult.model_validate(found.result),
    )

"""
Overview of a ladder as a whole: how much there is of everything, by status and state.

The figures on webhooks, for health, are apart from the commands of webhooks, which need all that events need.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import exists, func, select, text

from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.computing_models import UNANSWERED, Computation
from ladder.store.models import Rating, Status, StoredMatch, visible_matches
from ladder.store.queries.people_tables import count_by_status
from ladder.store.webhook_models import Webhook
from ladder.values.people import TableStatus
from ladder.values.standings import LadderCounts

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def count_webhooks(session: Session) -> tuple[int, list[int]]:
    """Count all webhooks, and give the numbers of those that are disabled."""
    rows = session.execute(select(Webhook.id, Webhook.disabled).order_by(Webhook.id)).all()
    return len(rows), [number for number, disabled in rows if disabled is not None]


MAX_REASONS = 20
"""Kinds of failures that are counted apart; all others are counted together."""
REASON_LENGTH = 100


def counts(session: Session) -> LadderCounts:
    """Count matches and entries of bots."""
    done = session.scalar(select(func.max(StoredMatch.ordinal))) or 0
    each = StoredMatch.status, func.count(), func.sum(StoredMatch.failures)
    # What is done has an ordinal: the index finds the few others.
    open_ones = StoredMatch.ordinal.is_(None), StoredMatch.status != Status.DONE, visible_matches()
    others = session.execute(select(*each).where(*open_ones).group_by(StoredMatch.status)).all()
    matches = {str(status): 0 for status in Status} | {status: number for status, number, _ in others}
    per_state = select(Rating.state, func.count(), func.sum(Rating.decisions), func.sum(Rating.faults))
    entries = session.execute(per_state.group_by(Rating.state)).all()
    by_status = select(StoredSubmission.status, func.count()).group_by(StoredSubmission.status)
    submissions = session.execute(by_status).all()
    return LadderCounts(
        matches=matches | {str(Status.DONE): done},
        bots={state: number for state, number, _, _ in entries},
        failures=sum(failures for status, _, failures in others if status != Status.QUARANTINED),
        decisions=sum(decisions for _, _, decisions, _ in entries),
        faults=sum(faults for *_, faults in entries),
        submissions={str(status): 0 for status in SubmissionStatus} | dict(submissions),
        tables={str(status): 0 for status in TableStatus} | count_by_status(session),
        computations={"queued": 0, "leased": 0} | _open_computations(session),
    )


def newest_attempt(session: Session) -> tuple[int, int] | None:
    """Give the number and attempt of the match whose result is the newest; None: there is none."""
    newest = select(StoredMatch.id, StoredMatch.attempt).where(StoredMatch.ordinal.is_not(None))
    found = session.execute(newest.order_by(StoredMatch.ordinal.desc()).limit(1)).one_or_none()
    return None if found is None else (found.id, found.attempt)


def oldest_queued(session: Session) -> float | None:
    """Say when the oldest match in the queue was added, in Unix time; None: none waits."""
    queued = StoredMatch.ordinal.is_(None), StoredMatch.status == Status.QUEUED, visible_matches()
    return session.scalar(select(func.min(StoredMatch.added)).where(*queued))


def oldest_computation(session: Session) -> float | None:
    """Say when the question that waits longest for the computing process was put, in Unix time; None: none waits."""
    waiting = text(UNANSWERED), Computation.status == "queued"
    return session.scalar(select(func.min(Computation.added)).where(*waiting))


def unfinished_tasks(session: Session, *, everything: bool) -> int:
    """Count matches and submissions that wait, or are under way; *everything*: also matches not public yet."""
    visible = () if everything else (visible_matches(),)
    matches = StoredMatch.ordinal.is_(None), StoredMatch.status.in_((Status.QUEUED, Status.LEASED)), *visible
    open_ones = StoredSubmission.status.in_((SubmissionStatus.QUEUED, SubmissionStatus.LEASED))
    counted = (select(func.count()).where(*matches), select(func.count()).where(open_ones))
    return sum(session.execute(each).scalar_one() for each in counted)


def are_sealed(session: Session) -> bool:
    """Tell whether there are matches that are not public yet."""
    return session.scalar(select(exists().where(StoredMatch.event_id.is_not(None), ~visible_matches()))) is True


def _open_computations(session: Session) -> dict[str, int]:
    """Count the questions that wait, and those that are being computed."""
    counted = select(Computation.status, func.count()).where(text(UNANSWERED)).group_by(Computation.status)
    return dict(session.execute(counted).all())


def failure_reasons(session: Session) -> dict[str, int]:
    """
    Count the matches that are not done by what went wrong with their last attempt that failed.

    Words with a number in them stand as ``…``, so that what fails in the same way is counted together.
    """
    why = select(StoredMatch.reason, func.count()).where(
        StoredMatch.ordinal.is_(None), StoredMatch.reason != "", StoredMatch.status != Status.DONE, visible_matches()
    )
    found: Counter[str] = Counter()
    for reason, number in session.execute(why.group_by(StoredMatch.reason)):
        found[re.sub(r"\S*\d\S*", "…", reason)[:REASON_LENGTH]] += number
    named = dict(found.most_common(MAX_REASONS))
    others = found.total() - sum(named.values())
    return named | ({"others": others} if others else {})

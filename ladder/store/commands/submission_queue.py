"""
The table of submissions as a queue: who tries which attempt at what, and what becomes of attempts that fail.

As with matches (`ladder.store.commands.queue`) the number of the attempt is the fence, and each function wants a
transaction that writes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import or_, select, update

from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.commands.queue import GRACE, MOST_ATTEMPTS, MOST_FAILURES
from ladder.store.open_submissions import in_turn, open_submissions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from ladder.trials.tasks import TrialProgress

NOT_BACK = "The worker that tried it did not come back."


@dataclass(frozen=True)
class NewSubmission:
    """What somebody hands in; the fields are those of `StoredSubmission`."""

    owner: str
    remote: bool
    bot: str
    source: str
    image: str | None
    folder: str | None
    word: str
    variants: Sequence[Any]
    keep_old: bool
    sandbox: str
    size: int = 0


def add(session: Session, new: NewSubmission, now: float) -> StoredSubmission:
    """Put a submission at the end of the queue."""
    row = StoredSubmission(**asdict(new) | {"variants": list(new.variants)}, added=now)
    session.add(row)
    session.flush()
    return row


def claim(
    session: Session, holder: str, now: float, seconds: float, count: int, busy: Collection[str] = frozenset()
) -> list[StoredSubmission]:
    """
    Lease submissions, at most one of each owner; those whose owner has waited longest since the last one go first.

    Args:
        session: A transaction that writes.
        holder: Who takes them (`owners.this_process`).
        now: Unix time.
        seconds: How long a trial may take.
        count: How many at most.
        busy: Owners of whom none may be tried now.
    """
    rows = open_submissions(session)
    taken = set(busy) | _tried(rows)
    chosen: list[StoredSubmission] = []
    for row in in_turn(session, rows):
        if len(chosen) < count and row.owner not in taken:
            taken.add(row.owner)
            chosen.append(lease(session, row, holder, now, seconds))
    return chosen


def lease(session: Session, row: StoredSubmission, holder: str, now: float, seconds: float) -> StoredSubmission:
    """Lease this one, for the next attempt."""
    row.status, row.phase, row.done, row.steps = SubmissionStatus.LEASED, "building", 0, 0
    row.attempt, row.holder, row.lease_until, row.started = row.attempt + 1, holder, now + seconds + GRACE, now
    session.flush()
    return row


def in_the_way(session: Session) -> set[str]:
    """
    Read whose bots are not to play in containers: owners of what is tried now, and of what is to be tried next.

    Two containers of one owner that live at the same time can tell each other what they see (docs/security.md), and
    the owner of a bot that always plays would wait for ever.
    """
    rows = open_submissions(session)
    tried = _tried(rows)
    waiting = [row.owner for row in in_turn(session, rows) if row.owner not in tried]
    return tried | set(waiting[:1])


def held(session: Session, submission: int, attempt: int) -> StoredSubmission | None:
    """Find a submission that is leased for that attempt; None if the lease has passed on, or ended."""
    return session.scalar(select(StoredSubmission).where(*_held(submission, attempt)))


def note_progress(session: Session, told: TrialProgress) -> None:
    """Write down how far an attempt has come; never backwards, and one that has ended does not change any more."""
    is_news = StoredSubmission.phase != "trying"
    if told.phase == "trying":
        is_news = or_(is_news, StoredSubmission.done <= told.done)
    session.execute(
        update(StoredSubmission)
        .where(*_held(told.submission, told.attempt), is_news)
        .values(phase=told.phase, done=told.done, steps=told.steps)
    )


def end(
    session: Session,
    row: StoredSubmission,
    status: SubmissionStatus,
    now: float,
    reason: str = "",
    result: dict[str, Any] | None = None,
) -> None:
    """Write down how a submission has ended."""
    _add_time(row, now)
    row.status, row.phase, row.finished, row.reason, row.result = status, "ended", now, reason, result
    row.holder = row.lease_until = None
    session.flush()


def withdraw(session: Session, submission: int, now: float) -> str | Literal[False] | None:
    """
    End a submission that has not ended, whoever tries it.

    Returns:
        The name of its folder, or None if it has none; False if it has ended before.
    """
    row = session.get(StoredSubmission, submission)
    if row is None or row.status not in (SubmissionStatus.QUEUED, SubmissionStatus.LEASED):
        return False
    end(session, row, SubmissionStatus.WITHDRAWN, now)
    return row.folder


def withdraw_all(session: Session, owner: str, now: float, reason: str) -> list[StoredSubmission]:
    """End all of an owner's submissions from afar that have not ended, whoever tries them, and give them."""
    rows = [row for row in open_submissions(session) if row.remote and row.owner == owner]
    for row in rows:
        end(session, row, SubmissionStatus.WITHDRAWN, now, reason)
    return rows


def fail(session: Session, row: StoredSubmission, now: float, reason: str, *, for_good: bool = False) -> None:
    """Put a submission back in which the platform failed; if that has happened too often, it has ended."""
    row.failures += 1
    if for_good or row.failures >= MOST_FAILURES or row.attempt >= MOST_ATTEMPTS:
        end(session, row, SubmissionStatus.FAILED, now, reason)
    else:
        give_back(session, row, now, reason)


def give_back(session: Session, row: StoredSubmission, now: float, reason: str = "") -> None:
    """Put a submission back that was given up for no fault of anybody's."""
    _add_time(row, now)
    row.status, row.phase, row.holder, row.lease_until, row.reason = (
        SubmissionStatus.QUEUED,
        "received",
        None,
        None,
        reason,
    )
    session.flush()


def requeue_expired(
    session: Session,
    now: float,
    kept: Collection[tuple[int, int]] = frozenset(),
    living: Collection[str] = frozenset(),
) -> list[str]:
    """
    Put back, or end, what was leased for too long.

    Args:
        session: A transaction that writes.
        now: Unix time.
        kept: Submissions and attempts that stay leased: their holder says that they go on.
        living: Holders that see to their leases themselves.

    Returns:
        The folders of those that have ended so.
    """

    def is_lost(row: StoredSubmission) -> bool:
        return (row.lease_until or 0.0) < now and (row.id, row.attempt) not in kept and row.holder not in living

    return _requeue(session, now, is_lost)


def requeue_dead(session: Session, now: float, is_dead: Callable[[str], bool]) -> list[str]:
    """Do the same with what was leased to somebody who has ended."""
    return _requeue(session, now, lambda row: row.holder is None or is_dead(row.holder))


def folders_of_ended(session: Session, folders: Collection[str]) -> list[str]:
    """Find which of these folders belong to submissions that have ended."""
    of = StoredSubmission
    return list(session.scalars(select(of.folder).where(of.folder.in_(folders), of.finished.is_not(None))))


def _requeue(session: Session, now: float, is_lost: Callable[[StoredSubmission], bool]) -> list[str]:
    ended = []
    for row in open_submissions(session):
        if row.status != SubmissionStatus.LEASED or not is_lost(row):
            continue
        if row.attempt < MOST_ATTEMPTS:
            give_back(session, row, now, NOT_BACK)
            continue
        end(session, row, SubmissionStatus.FAILED, now, NOT_BACK)
        if row.folder:
            ended.append(row.folder)
    return ended


def _tried(rows: Iterable[StoredSubmission]) -> set[str]:
    return {row.owner for row in rows if row.status == SubmissionStatus.LEASED}


def _add_time(row: StoredSubmission, now: float) -> None:
    if row.status == SubmissionStatus.LEASED and row.started is not None:
        row.trial_seconds += max(0.0, now - row.started)


def _held(submission: int, attempt: int) -> tuple[ColumnElement[bool], ...]:
    of = StoredSubmission
    return of.id == submission, of.attempt == attempt, of.status == SubmissionStatus.LEASED

"""
Queue of submissions in their table (`ladder.store.leases`): which are leased next, and how they end.

`pin` adds the registry references of images that were in no registry when they were entered. Each function needs a
transaction that writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sqlalchemy import select, update

from ladder.store.account_models import AuditEntry, StoredSubmission, SubmissionStatus
from ladder.store.commands.notices import notice_submission
from ladder.store.leases import GRACE, MAX_FAILURES, AnyLease, Lease, LeaseQueue
from ladder.store.models import Version
from ladder.store.turns import OPEN, open_submissions, submissions_in_turn
from ladder.values.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy.orm import Session

    from ladder.trials.trial_tasks import TrialProgress
    from ladder.values.submission import SubmissionOrder

ORDERED = "submission.order"
"""The action of who has made a submission, in the audit log."""
REPORTED = (SubmissionStatus.ENTERED, SubmissionStatus.REFUSED, SubmissionStatus.FAILED)
"""Ends of a submission that its owner gets a letter about."""


def _leaving(session: Session, row: StoredSubmission, status: str, now: float) -> None:
    """Add the time of the attempt that ends, and write down how far the submission is."""
    if row.status == SubmissionStatus.LEASED and row.started is not None:
        row.trial_seconds += max(0.0, now - row.started)
    has_ended = status != SubmissionStatus.QUEUED
    if status in REPORTED:
        notice_submission(session, row, status, now)
    row.phase, row.finished = ("ended", now) if has_ended else ("received", None)


SUBMISSIONS = LeaseQueue(
    StoredSubmission,
    ready=SubmissionStatus.QUEUED,
    leased=SubmissionStatus.LEASED,
    given_up=SubmissionStatus.FAILED,
    ready_rows=f"{OPEN} AND submissions.status = '{SubmissionStatus.QUEUED}'",
    leased_rows=f"{OPEN} AND submissions.status = '{SubmissionStatus.LEASED}'",
    lost_reason="The worker that tried it did not come back.",
    leaving=_leaving,
)

ALWAYS_LOST = (
    "In all {} attempts to try it, the bot's own container was killed, and not by the ladder. A bot that ends its "
    "container is not entered. Correct it and submit it again; if it does not do that, ask the organiser."
)


def add(
    session: Session,
    order: SubmissionOrder,
    now: float,
    *,
    owner: str,
    sandbox: str,
    image: str | None = None,
    folder: str | None = None,
    remote: bool = False,
    size: int = 0,
) -> StoredSubmission:
    """
    Put a submission at the end of the queue.

    Args:
        session: A transaction that writes.
        order: What is submitted.
        now: Unix time.
        owner: The owner of the bot.
        sandbox: Where it is tried and plays.
        image: The image as the engine of a worker finds it; None: as the order names it, or it is a folder.
        folder: The name of its folder (`SubmissionFolders`); None: it is an image.
        remote: Whether it came through the site.
        size: Bytes that were uploaded; 0 if nothing was.
    """
    row = StoredSubmission(
        owner=owner,
        remote=remote,
        ordered=order.model_dump(),
        image=image or order.image,
        folder=folder,
        sandbox=sandbox,
        size=size,
        added=now,
    )
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
        seconds: Seconds that a trial may take.
        count: How many at most.
        busy: Owners of whom none may be tried now.
    """
    rows = open_submissions(session)
    taken = set(busy) | _tried(rows)
    chosen: list[StoredSubmission] = []
    for row in submissions_in_turn(session, rows):
        if len(chosen) < count and row.owner not in taken:
            taken.add(row.owner)
            chosen.append(lease(session, row, holder, now, seconds))
    return chosen


def lease(session: Session, row: StoredSubmission, holder: str, now: float, seconds: float) -> StoredSubmission:
    """Lease this one, for the next attempt."""
    row.phase, row.done, row.steps, row.started = "building", 0, 0, now
    SUBMISSIONS.take(session, row, holder, now + seconds + GRACE)
    return row


def in_the_way(session: Session) -> set[str]:
    """
    Read whose bots are not to play in containers: owners of what is tried now, and of what is to be tried next.

    Two containers of one owner that live at the same time can tell each other what they see (docs/security.md), and
    the owner of a bot that always plays would wait for ever.
    """
    rows = open_submissions(session)
    tried = _tried(rows)
    waiting = [row.owner for row in submissions_in_turn(session, rows) if row.owner not in tried]
    return tried | set(waiting[:1])


def note_progress(session: Session, progress: TrialProgress) -> None:
    """Write down how far an attempt has come; never backwards, and one that has ended does not change any more."""
    row = SUBMISSIONS.held(session, Lease(progress.submission, progress.attempt))
    if row is not None and (row.phase != "trying" or (progress.phase == "trying" and row.done <= progress.done)):
        row.phase, row.done, row.steps = progress.phase, progress.done, progress.steps


def withdraw(session: Session, submission: int, now: float) -> str | Literal[False] | None:
    """
    End a submission that has not ended, whether or not it is being tried.

    Returns:
        The name of its folder, or None if it has none; False if it has ended before.
    """
    row = session.get(StoredSubmission, submission)
    if row is None or row.status not in (SubmissionStatus.QUEUED, SubmissionStatus.LEASED):
        return False
    SUBMISSIONS.end(session, row, SubmissionStatus.WITHDRAWN, now)
    return row.folder


def withdraw_all(session: Session, name: str, now: float, reason: str) -> list[StoredSubmission]:
    """
    End all remote submissions of an account that have not ended, also those being tried; gives them.

    Those that it has made for its team are among them, as long as the audit log says so.
    """
    by = select(AuditEntry.details).where(AuditEntry.actor == name, AuditEntry.action == ORDERED)
    ordered = {details.get("submission") for details in session.scalars(by)}
    rows = [row for row in open_submissions(session) if row.remote and (row.owner == name or row.id in ordered)]
    for row in rows:
        SUBMISSIONS.end(session, row, SubmissionStatus.WITHDRAWN, now, reason)
    return rows


def fail(session: Session, lease: AnyLease, now: float, reason: str, *, lost_container: bool) -> None:
    """
    Count an attempt that was void; the submission is tried again, or has ended.

    Args:
        session: A transaction that writes.
        lease: The attempt.
        now: Unix time.
        reason: Why, in a sentence.
        lost_container: Whether the bot's own container was killed, and not through its engine.
    """
    row = SUBMISSIONS.fail(session, lease, now, reason)
    if row is not None:
        row.lost_containers += lost_container
        if row.status == SubmissionStatus.FAILED and row.lost_containers == row.failures >= MAX_FAILURES:
            row.reason = ALWAYS_LOST.format(row.failures)
        session.flush()


def folders_of_ended(session: Session, folders: Collection[str]) -> list[str]:
    """Find which of these folders belong to submissions that have ended."""
    of = StoredSubmission
    return list(session.scalars(select(of.folder).where(of.folder.in_(folders), of.finished.is_not(None))))


def _tried(rows: Iterable[StoredSubmission]) -> set[str]:
    return {row.owner for row in rows if row.status == SubmissionStatus.LEASED}


def pin(session: Session, identity: str, pinned: str) -> None:
    """
    Write down where a registry has an image, for all versions whose it is and of which that was not known.

    Args:
        session: A transaction that writes.
        identity: The image's id.
        pinned: The image reference by digest.
    """
    unpinned = (Version.identity == identity) & (Version.sandbox == SandboxKind.DOCKER) & Version.pinned.is_(None)
    session.execute(update(Version).where(unpinned).values(pinned=pinned))

"""The queues of a ladder, with what a test needs of each: something to add, to lease, and a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ladder.store.account_models import SubmissionStatus
from ladder.store.commands import computations, queue, submission_queue
from ladder.store.commands.computations import COMPUTATIONS, ComputationLease, NewQuestion
from ladder.store.commands.people_tables import TABLES, NewChair, NewTable, add_table, claim_tables, finish_table
from ladder.store.commands.queue import MATCHES
from ladder.store.commands.results import record_summary
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.store.leases import GRACE, Lease
from ladder.values.people import ChairKind, TablePurpose
from ladder.values.questions import Lane
from tests.ladder import ladders
from tests.ladder.ladders import NOW
from tests.ladder.store.handed_in import an_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from ladder.store.leases import LeaseQueue

SECONDS = 120.0
"""For how long a claim leases."""


@dataclass(frozen=True)
class Tried:
    """A queue, and how a test uses it."""

    queue: LeaseQueue[Any]
    add: Callable[[Session, str], int]
    """Put something of an owner's into the queue; gives its number."""
    claim: Callable[[Session, str, float, int], Sequence[Lease]]
    """Lease for a holder at a Unix time, a number of rows at most."""
    finish: Callable[[Session, Lease], bool]
    """Write down the result of an attempt; whether it counted."""


def _add_match(session: Session, owner: str) -> int:
    versions = [ladders.enter(session, f"{owner}{number}") for number in range(4)]
    return ladders.queue(session, versions)


def _claim_matches(session: Session, holder: str, now: float, count: int) -> Sequence[Lease]:
    return queue.claim(session, holder, now, lambda match: SECONDS - GRACE, count)


def _finish_match(session: Session, lease: Lease) -> bool:
    return record_summary(session, lease.id, lease.attempt, ladders.summary_of(), NOW) is not None


def _add_submission(session: Session, owner: str) -> int:
    return submission_queue.add(session, an_order(f"{owner}s"), NOW, owner=owner, sandbox="docker").id


def _claim_submissions(session: Session, holder: str, now: float, count: int) -> Sequence[Lease]:
    rows = submission_queue.claim(session, holder, now, SECONDS - GRACE, count)
    return [Lease(row.id, row.attempt) for row in rows]


def _finish_submission(session: Session, lease: Lease) -> bool:
    row = SUBMISSIONS.held(session, lease)
    if row is not None:
        SUBMISSIONS.end(session, row, SubmissionStatus.ENTERED, NOW)
    return row is not None


def _add_table(session: Session, owner: str) -> int:
    number = session.query(TABLES.row).count()
    new = NewTable(
        name=f"table{number}", purpose=TablePurpose.FREE, board="", variant="hearts", rules={}, format="deals:1",
        seed="", commitment="", practice=False, seconds=60.0, pace=1.0, owner=owner, guest="", network=None,
    )  # fmt: skip
    return add_table(session, new, [NewChair(ChairKind.HOUSE, name="random")] * 4, NOW).id


def _claim_tables(session: Session, holder: str, now: float, count: int) -> Sequence[Lease]:
    return claim_tables(session, holder, now, SECONDS, count)


def _finish_table(session: Session, lease: Lease) -> bool:
    return finish_table(session, lease, [0] * 4, [1] * 4, NOW)


def _add_computation(session: Session, owner: str) -> int:
    number = session.query(COMPUTATIONS.row).count()
    computations.ask(session, NewQuestion(f"key{number}", Lane.SHORT, {"kind": "why"}, "now", owner), NOW)
    return number + 1


def _claim_computations(session: Session, holder: str, now: float, count: int) -> Sequence[Lease]:
    found = (computations.claim(session, Lane.SHORT, holder, now, SECONDS) for _ in range(count))
    return [lease for lease in found if lease is not None]


def _finish_computation(session: Session, lease: Lease) -> bool:
    return computations.finish(session, ComputationLease(lease.id, lease.attempt, Lane.SHORT, {}), "42", NOW)


QUEUES = {
    "matches": Tried(MATCHES, _add_match, _claim_matches, _finish_match),
    "submissions": Tried(SUBMISSIONS, _add_submission, _claim_submissions, _finish_submission),
    "tables": Tried(TABLES, _add_table, _claim_tables, _finish_table),
    "computations": Tried(COMPUTATIONS, _add_computation, _claim_computations, _finish_computation),
}

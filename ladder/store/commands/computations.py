"""
The queue of visitors' questions (`ladder.store.leases`): which is next, and which answers are kept.

Each function needs a transaction that writes.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select, update

from ladder.errors import Busy, TooOften
from ladder.store.computing_models import UNANSWERED, Computation
from ladder.store.leases import Lease, LeaseQueue
from ladder.store.turns import computations_in_turn, neighbours_of, waiting_computations
from ladder.values.people import TABLE_FILE, is_called
from ladder.values.questions import Lane

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

MAX_OF_VISITOR = 100
"""Questions of one visitor that wait at the same time."""
MAX_WAITING = 2_000
"""
Questions of all visitors that wait at the same time; beyond it the account, or the guests at addresses near each other,
with the most lose the newest one.
"""
KEPT_BYTES = 64 * 1024**2
"""Bytes of all answers together; beyond it the oldest ones are removed."""
ROW_BYTES = 1_000
"""Bytes of a row besides its answer, approximately."""
REFUSED_SECONDS = 3600.0
"""Seconds after which a question that was refused may be asked again."""
VISITOR_SECONDS = 3600.0
"""Seconds after the end for which it is known whose question it was."""
TOO_MANY_OF_YOURS = "Too many of your requests wait to be computed. Try again in {minutes} min."
TOO_MANY = "Too many requests wait to be computed. Try again in {minutes} min."
FAILED = "This could not be computed, because the platform failed several times; try again in an hour."


def _leaving(session: Session, row: Computation, status: str, now: float) -> None:
    """Erase a question that has ended: it may hold a person's hand, or the seed of today's board."""
    if status == "ended":
        row.finished, row.question = now, {}


COMPUTATIONS = LeaseQueue(
    Computation,
    ready="queued",
    leased="leased",
    given_up="ended",
    ready_rows=f"{UNANSWERED} AND status = 'queued'",
    leased_rows=f"{UNANSWERED} AND status = 'leased'",
    lost_reason="The process that computed it has ended.",
    given_up_reason=FAILED,
    leaving=_leaving,
)


@dataclass(frozen=True)
class NewQuestion:
    """A question of a visitor; the fields are those of `Computation`."""

    key: str
    lane: str
    question: dict[str, Any]
    state: str
    visitor: str


@dataclass(frozen=True)
class ComputationLease(Lease):
    """One attempt at an answer."""

    lane: Lane
    question: dict[str, Any]


def ask(session: Session, new: NewQuestion, now: float, max_waiting: int = MAX_WAITING) -> None:
    """
    Put a question into the queue, unless it waits there or has its answer. If it waits, this may move it forward.

    Args:
        session: A transaction that writes.
        new: The question.
        now: Unix time.
        max_waiting: Number of all questions that may wait.

    Raises:
        Busy: If too much waits.
        TooOften: If too much of this visitor's does.
    """
    row = session.scalar(select(Computation).where(Computation.key == new.key))
    if row is not None and row.status == "leased":
        return
    if row is not None and row.status == "queued":
        _take_over(session, row, new)
        return
    if row is not None and row.state == new.state and (row.answered == new.state or row.reason):
        return
    _make_room(session, new.visitor, max_waiting)
    if row is None:
        row = Computation(key=new.key)
        session.add(row)
    row.lane, row.question, row.state, row.visitor = new.lane, new.question, new.state, new.visitor
    row.added = now
    row.reason, row.failures, row.losses, row.done, row.steps, row.started, row.finished = "", 0, 0, 0, 0, None, None
    COMPUTATIONS.release(session, row, now)


def claim(session: Session, lane: str, holder: str, now: float, seconds: float) -> ComputationLease | None:
    """
    Lease the next question, if there is one.

    Args:
        session: A transaction that writes.
        lane: Of this part of the queue.
        holder: Who takes it (`owners.this_process`).
        now: Unix time.
        seconds: Seconds for which the lease is valid, if it is not renewed.
    """
    for number in computations_in_turn(session, lane)[:1]:
        row = session.get_one(Computation, number)
        row.started, row.done, row.steps = now, 0, 0
        COMPUTATIONS.take(session, row, holder, now + seconds)
        return ComputationLease(row.id, row.attempt, Lane(row.lane), row.question)
    return None


def note_progress(session: Session, lease: ComputationLease, done: int, steps: int) -> None:
    """Write down how far an attempt has come."""
    row = COMPUTATIONS.held(session, lease)
    if row is not None:
        row.done, row.steps = done, steps


def finish(session: Session, lease: ComputationLease, answer: str, now: float) -> bool:
    """Store an answer; say whether the lease still held."""
    row = COMPUTATIONS.held(session, lease)
    if row is not None:
        row.answer, row.answered, row.size = answer, row.state, len(answer.encode()) + ROW_BYTES
        COMPUTATIONS.end(session, row, "ended", now)
    return row is not None


def refuse(session: Session, lease: ComputationLease, reason: str, now: float) -> None:
    """Write down why there is no answer, which computing it again would not change."""
    row = COMPUTATIONS.held(session, lease)
    if row is not None:
        COMPUTATIONS.end(session, row, "ended", now, reason)


def tidy(session: Session, now: float, kept_bytes: int = KEPT_BYTES) -> None:
    """Forget refusals and visitors after a while, and the oldest answers if all of them take too much room."""
    of = Computation
    session.execute(delete(of).where(of.reason != "", of.finished < now - REFUSED_SECONDS))
    old = (of.visitor != "", of.finished < now - VISITOR_SECONDS)
    session.execute(update(of).where(*old).values(visitor=""))
    too_many = (session.scalar(select(func.sum(of.size)).where(of.finished.is_not(None))) or 0) - kept_bytes
    if too_many <= 0:
        return
    gone = []
    oldest = select(of.id, of.size).where(of.finished.is_not(None)).order_by(of.finished, of.id)
    for number, size in session.execute(oldest):
        if too_many <= 0:
            break
        gone.append(number)
        too_many -= size
    session.execute(delete(of).where(of.id.in_(gone)))


def rename_in_computations(session: Session, name: str, new: str) -> None:
    """
    Give an account another name in questions about owners; forget what names it as a person at a table.

    A record of a table is written anew with the other name, so what was computed from it is asked anew.
    """
    kind, source = (Computation.question[each].as_string() for each in ("kind", "source"))
    for row in session.scalars(select(Computation).where(kind.in_(("agreement", "sources")))):
        row.question = _with_owner(row.question, name, new)
    for row in session.scalars(select(Computation).where(kind == "why", source.startswith(TABLE_FILE))):
        first = json.loads(row.question["lines"][0])
        people = [first["bots"][each["bot"]] for each in first.get("people") or ()]
        if any(is_called(shown, name) for shown in people):
            session.delete(row)
    texts = (Computation.answer.contains(f'"{each}', autoescape=True) for each in (name, TABLE_FILE))
    for row in session.scalars(select(Computation).where(*texts)):
        if any(is_called(each["bot"], name) for each in _of_tables(str(row.answer))):
            session.delete(row)
    session.flush()


def _of_tables(answer: str) -> list[dict[str, Any]]:
    """Give the decisions at tables of people that an answer is about: a `Why`, or those of a `FoundCostliest`."""
    try:
        found = json.loads(answer)
    except ValueError:  # the lines of a record
        return []
    decisions = [found, *found.get("costliest", ())] if isinstance(found, dict) else []
    return [each for each in decisions if str(each.get("source")).startswith(TABLE_FILE) and "bot" in each]


def _with_owner(question: dict[str, Any], name: str, new: str) -> dict[str, Any]:
    """Rename an owner in an `AgreementQuestion` or a `SourcesQuestion`."""
    if question["kind"] == "agreement":
        programs = {bot: (new if owner == name else owner, its) for bot, (owner, its) in question["programs"].items()}
        return question | {"programs": programs}
    owners = ([new if each == name else each for each in program["owners"]] for program in question["programs"])
    named = [program | {"owners": own} for program, own in zip(question["programs"], owners, strict=True)]
    return question | {"programs": named}


def _take_over(session: Session, row: Computation, new: NewQuestion) -> None:
    """Ask again what waits already. It takes the turn of the new visitor if that one has fewer questions waiting."""
    row.question, row.state = new.question, new.state
    if row.visitor != new.visitor:
        waiting = waiting_computations(session)
        near, own = Counter(each.neighbours for each in waiting), Counter(each.visitor for each in waiting)
        new_near, old_near = neighbours_of(new.visitor), neighbours_of(row.visitor)
        if new_near != old_near:
            has_fewer = near[new_near] + 1 < near[old_near]
        else:
            has_fewer = own[new.visitor] + 1 < own[row.visitor]
        if has_fewer:
            row.visitor = new.visitor
    session.flush()


def _make_room(session: Session, visitor: str, max_waiting: int) -> None:
    waiting = waiting_computations(session)
    near, own = Counter(each.neighbours for each in waiting), Counter(each.visitor for each in waiting)
    if own[visitor] >= MAX_OF_VISITOR:
        raise TooOften(TOO_MANY_OF_YOURS)
    if len(waiting) < max_waiting:
        return
    most = max(near.values())
    neighbours = neighbours_of(visitor)
    if most > near[neighbours] + 1:
        given_up = [each for each in waiting if near[each.neighbours] == most]
    else:
        given_up = [each for each in waiting if each.neighbours == neighbours and own[each.visitor] > own[visitor] + 1]
    if not given_up:
        raise Busy(TOO_MANY)
    _drop(session, max(given_up, key=lambda each: (own[each.visitor], each.id)).id)


def _drop(session: Session, number: int) -> None:
    """Take a question out of the queue; an answer about another state of things stays."""
    row = session.get_one(Computation, number)
    if row.answer is None:
        session.delete(row)
    else:
        row.state, row.finished, row.status = row.answered, row.started or row.added, "ended"
    session.flush()

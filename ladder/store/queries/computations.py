"""The answers to questions, or the progress and place in the queue of those that have none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select, text

from ladder.store.computing_models import UNANSWERED, Computation
from ladder.store.turns import computations_in_turn

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class KnownComputation:
    """A question."""

    status: str
    state: str
    """State of things that it is asked about."""
    answer: str | None
    answered: str
    """State of things that the answer is about."""
    reason: str
    """Reason that there is no answer about `state`."""
    visitor: str
    place: int | None
    """Its place in the queue, from 1; None: it does not wait."""
    done: int
    steps: int


def known_computation(session: Session, key: str) -> KnownComputation | None:
    """Look a question up by its key; None: it was never asked, or it is forgotten."""
    row = session.scalar(select(Computation).where(Computation.key == key))
    if row is None:
        return None
    order = computations_in_turn(session, row.lane) if row.status == "queued" else []
    return KnownComputation(
        status=row.status,
        state=row.state,
        answer=row.answer,
        answered=row.answered,
        reason=row.reason if row.status == "ended" else "",
        visitor=row.visitor,
        place=order.index(row.id) + 1 if row.id in order else None,
        done=row.done,
        steps=row.steps,
    )


def does_wait(session: Session, visitor: str) -> bool:
    """Tell whether a question of a visitor waits, or is being computed."""
    wanted = select(Computation.id).where(text(UNANSWERED), Computation.visitor == visitor).limit(1)
    return session.scalar(wanted) is not None

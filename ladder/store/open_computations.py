"""Computations that wait, and which of them is next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select, text

from ladder.store.computing_models import UNANSWERED, Computation
from ladder.store.turns import in_turn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session


class WaitingQuestion(NamedTuple):
    """A question that waits."""

    id: int
    visitor: str
    lane: str


def waiting_computations(session: Session) -> list[WaitingQuestion]:
    """Read all that wait, the oldest first."""
    of = Computation
    wanted = select(of.id, of.visitor, of.lane).where(text(UNANSWERED), of.status == "queued").order_by(of.id)
    return [WaitingQuestion(*row) for row in session.execute(wanted)]


def computations_in_turn(session: Session, lane: str) -> list[int]:
    """Sort those of a lane that wait as they will be computed: visitors take turns (`ladder.store.turns`)."""
    rows = [row for row in waiting_computations(session) if row.lane == lane]
    served = _served(session, lane, {row.visitor for row in rows})
    return [row.id for row in in_turn(rows, lambda row: row.visitor, served)]


def _served(session: Session, lane: str, visitors: Iterable[str]) -> dict[str, float]:
    """Say by visitor when a question of theirs was leased last."""
    of = Computation
    wanted = select(of.visitor, func.max(of.started)).where(
        of.visitor.in_(list(visitors)), of.lane == lane, of.started.is_not(None)
    )
    return dict(session.execute(wanted.group_by(of.visitor)).all())  # type: ignore[arg-type]

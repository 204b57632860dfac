"""Computations that wait, and which of them is next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select, text

from ladder.entry.networks import neighbourhood_of
from ladder.store.computing_models import UNANSWERED, Computation
from ladder.store.turns import in_turn

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


ADDRESS = "address "
"""The beginning of `Computation.visitor` of a guest; an account's has another one."""


class WaitingQuestion(NamedTuple):
    """A question that waits."""

    id: int
    visitor: str
    lane: str

    @property
    def neighbours(self) -> str:
        """Name of those that share a turn in the queue: one account, or guests at addresses near each other."""
        return neighbours_of(self.visitor)


def neighbours_of(visitor: str) -> str:
    """
    Give those with whom a visitor shares a turn in the queue: an account has its own, guests near each other have one.

    >>> neighbours_of("account ada"), neighbours_of("address 192.0.2.7")
    ('account ada', 'address 192.0.2.0/24')
    """
    if not visitor.startswith(ADDRESS):
        return visitor
    return ADDRESS + neighbourhood_of(visitor.removeprefix(ADDRESS))


def waiting_computations(session: Session) -> list[WaitingQuestion]:
    """Read all that wait, the oldest first."""
    of = Computation
    wanted = select(of.id, of.visitor, of.lane).where(text(UNANSWERED), of.status == "queued").order_by(of.id)
    return [WaitingQuestion(*row) for row in session.execute(wanted)]


def computations_in_turn(session: Session, lane: str) -> list[int]:
    """
    Sort those of a lane that wait as they will be computed.

    Accounts, and guests at addresses near each other, take turns (`ladder.store.turns`); within a turn, visitors do.
    """
    rows = [row for row in waiting_computations(session) if row.lane == lane]
    if len({row.visitor for row in rows}) < 2:
        return [row.id for row in rows]
    served = _served(session, lane)
    near: dict[str, float] = {}
    for visitor, started in served.items():
        near[neighbours_of(visitor)] = max(started, near.get(neighbours_of(visitor), 0.0))
    of_visitors = in_turn(rows, lambda row: row.visitor, served)
    return [row.id for row in in_turn(of_visitors, lambda row: row.neighbours, near)]


def _served(session: Session, lane: str) -> dict[str, float]:
    """Say by visitor when a question of theirs was leased last, as long as that is known."""
    of = Computation
    wanted = select(of.visitor, func.max(of.started)).where(of.visitor != "", of.lane == lane, of.started.is_not(None))
    return dict(session.execute(wanted.group_by(of.visitor)).all())  # type: ignore[arg-type]

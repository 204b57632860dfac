"""
Leases of what is in a queue: a holder, an end, and the number of the attempt, which is the fence.

Each method wants a transaction that writes, but for `held`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlalchemy import select, text, update

from ladder.store.computing_models import Computation
from ladder.store.table_models import PeopleTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.orm import Session

Row = TypeVar("Row", PeopleTable, Computation)


@dataclass(frozen=True)
class LeaseQueue(Generic[Row]):
    """The rows of one table, as a queue."""

    row: type[Row]
    unended: str
    """What holds for rows that have not ended; written out, so that SQLite uses the index with that condition."""
    ready: str
    """The status of a row that may be leased."""
    leased: str
    """The status of one that is."""

    def take(self, session: Session, row: Row, holder: str, until: float) -> None:
        """Lease a row for the next attempt."""
        row.status, row.holder, row.lease_until, row.attempt = self.leased, holder, until, row.attempt + 1
        session.flush()

    def release(self, session: Session, row: Row) -> None:
        """Let a row be leased again, by any process."""
        row.status, row.holder, row.lease_until = self.ready, None, None
        session.flush()

    def held(self, session: Session, number: int, attempt: int) -> Row | None:
        """Find the row of a lease; None if that has passed to another holder, or the row has ended."""
        row = session.get(self.row, number)
        is_held = row is not None and row.attempt == attempt and row.status == self.leased
        return row if is_held else None

    def renew(self, session: Session, holder: str, until: float) -> None:
        """Renew all leases of a holder."""
        of = self.row
        held = (text(self.unended), of.status == self.leased, of.holder == holder)
        session.execute(update(of).where(*held).values(lease_until=until))

    def lost(self, session: Session, now: float, is_dead: Callable[[str], bool]) -> list[Row]:
        """Find the leased rows whose holder has ended, or has let the lease run out."""
        leased = select(self.row).where(text(self.unended), self.row.status == self.leased)
        return [row for row in session.scalars(leased) if (row.lease_until or 0.0) < now or is_dead(row.holder or "")]

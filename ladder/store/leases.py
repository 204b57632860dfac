"""
Queues in tables of the database: which row is leased, to which holder, for which attempt; one for all that is queued.

The number of the attempt is the fence: what is reported of an attempt that does not hold its lease comes too late, and
changes nothing. An attempt that brings no result ends in one of three ways:

- It has *failed*: the platform failed in it. After `MAX_FAILURES` of these the row ends.
- It is *lost*: its holder has ended, let the lease run out, or could not begin. After `MAX_LOSSES` of these the row
  ends, too: it may be what ends its holders.
- It is *given back*: its holder stops in good order. That is not counted.

Each method needs a transaction that writes, but for those that find or read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from sqlalchemy import select, text, update

from ladder.store.models import LeasedRow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

GRACE = 60.0
"""Seconds between the end of a task's time and that of its lease: to clear away, and to report."""
MAX_FAILURES = 3
MAX_LOSSES = 10
NOT_TRIED_AGAIN = "{reason} It is not tried again: {count} attempts brought no result."

Row = TypeVar("Row", bound=LeasedRow)


class AnyLease(Protocol):
    """One attempt at a row of a queue: a `Lease`, or a task or an outcome that belongs to one."""

    @property
    def id(self) -> int:
        """Number of the row."""

    @property
    def attempt(self) -> int:
        """Number of the attempt."""


@dataclass(frozen=True)
class Lease:
    """One attempt at a row of a queue."""

    id: int
    attempt: int


def _unchanged(session: Session, row: LeasedRow, status: str, now: float) -> None:
    """Change nothing else in a row whose lease ends."""


@dataclass(frozen=True)
class LeaseQueue(Generic[Row]):
    """The rows of one table, as a queue."""

    row: type[Row]
    ready: str
    """The status of a row that may be leased."""
    leased: str
    """The status of one that is."""
    given_up: str
    """The status of one that is not tried again, because attempts have failed, or were lost, too often."""
    ready_rows: str
    """SQL condition of rows that are ready; written out, so that SQLite uses the index with that condition."""
    leased_rows: str
    """SQL condition of leased rows."""
    lost_reason: str
    """Reason that an attempt is lost, in a sentence."""
    given_up_reason: str = NOT_TRIED_AGAIN
    """Reason that a row is not tried again: a sentence that may name the last *reason*, and the *count* of attempts."""
    turn: tuple[Any, ...] = ()
    """The columns by which rows that are ready are ordered; none: by id."""
    leaving: Callable[[Session, Row, str, float], None] = _unchanged
    """Called before a row gets a status other than `leased`, with that status and Unix time: changes what else must."""

    def take(self, session: Session, row: Row, holder: str, until: float) -> None:
        """Lease a row that is ready for its next attempt, until a Unix time."""
        row.status, row.holder, row.lease_until, row.attempt = self.leased, holder, until, row.attempt + 1
        session.flush()

    def renew(self, session: Session, holder: str, until: float) -> None:
        """Let all leases of a holder end later."""
        held = update(self.row).where(text(self.leased_rows), self.row.holder == holder)
        session.execute(held.values(lease_until=until))

    def held(self, session: Session, lease: AnyLease) -> Row | None:
        """Find the row of a lease; None if that has passed to another holder, or the row has ended."""
        row = session.get(self.row, lease.id)
        is_held = row is not None and row.attempt == lease.attempt and row.status == self.leased
        return row if is_held else None

    def next_ready(self, session: Session, count: int | None) -> list[int]:
        """Read the ids of the rows that are ready and whose turn comes first, *count* at most, or all."""
        ready = select(self.row.id).where(text(self.ready_rows)).order_by(*(self.turn or (self.row.id,)))
        return list(session.scalars(ready.limit(count)))

    def attempts(self, session: Session, holder: str | None = None) -> set[tuple[int, int]]:
        """Read ids and attempts of what a holder has leased, or of all that is leased."""
        leased = select(self.row.id, self.row.attempt).where(text(self.leased_rows))
        found = session.execute(leased if holder is None else leased.where(self.row.holder == holder))
        return {(number, attempt) for number, attempt in found}

    def busy_seconds(self, session: Session, now: float, is_dead: Callable[[str], bool]) -> list[float]:
        """Read for how many seconds each row is still leased to a holder that may live."""
        leased = select(self.row.holder, self.row.lease_until).where(text(self.leased_rows), self.row.lease_until > now)
        return [
            until - now
            for holder, until in session.execute(leased)
            if until is not None and holder is not None and not is_dead(holder)
        ]

    def give_back(self, session: Session, lease: AnyLease, now: float) -> Row | None:
        """Let the row of a lease be leased again: its holder stops. None if the lease did not hold any more."""
        if (row := self.held(session, lease)) is not None:
            self.release(session, row, now)
        return row

    def fail(self, session: Session, lease: AnyLease, now: float, reason: str, *, for_good: bool = False) -> Row | None:
        """
        Count a failure of the platform; the row may be leased again, or has ended.

        Args:
            session: A transaction that writes.
            lease: The attempt that failed.
            now: Unix time.
            reason: What went wrong, in a sentence.
            for_good: It would go wrong again: the row ends at once.

        Returns:
            The row; None if the lease did not hold any more.
        """
        row = self.held(session, lease)
        if row is None:
            return None
        row.failures += 1
        if for_good:
            self.end(session, row, self.given_up, now, reason)
        else:
            self._put_back(session, row, now, reason)
        return row

    def lose(self, session: Session, lease: AnyLease, now: float, reason: str) -> Row | None:
        """Count an attempt that brought nothing, though the platform has not failed in it; else as `fail`."""
        if (row := self.held(session, lease)) is not None:
            self._lose(session, row, now, reason)
        return row

    def give_up(self, session: Session, lease: AnyLease, now: float, reason: str = "") -> Row | None:
        """Give the row of a lease back, or, if there is a *reason* why the attempt brought nothing, `lose` it."""
        return self.lose(session, lease, now, reason) if reason else self.give_back(session, lease, now)

    def requeue_dead(self, session: Session, now: float, is_dead: Callable[[str], bool]) -> list[Row]:
        """Lose every attempt whose holder has ended, as *is_dead* says; gives the rows."""
        holders = session.scalars(select(self.row.holder).where(text(self.leased_rows)).distinct())
        dead = {holder for holder in holders if holder is None or is_dead(holder)}
        rows = self._all_leased(session) if dead else []
        return self._lose_all(session, now, [row for row in rows if row.holder in dead])

    def requeue_expired(
        self,
        session: Session,
        now: float,
        kept: Collection[tuple[int, int]] = frozenset(),
        living: Collection[str] = frozenset(),
    ) -> list[Row]:
        """
        Lose every attempt whose lease has run out.

        Args:
            session: A transaction that writes.
            now: Unix time.
            kept: Rows and attempts that stay leased: their holder says that they are under way, whatever a clock says.
            living: Holders that end their leases themselves: coordinators with clocks of their own.

        Returns:
            The rows.
        """
        expired = self._all_leased(session, self.row.lease_until < now)
        lost = [row for row in expired if (row.id, row.attempt) not in kept and row.holder not in living]
        return self._lose_all(session, now, lost)

    def requeue_unknown(
        self, session: Session, now: float, holder: str, known: Collection[tuple[int, int]]
    ) -> list[Row]:
        """Lose what *holder* has leased and does not know of, because the answer to its transaction was lost."""
        lost = [
            row for row in self._all_leased(session, self.row.holder == holder) if (row.id, row.attempt) not in known
        ]
        return self._lose_all(session, now, lost)

    def release(self, session: Session, row: Row, now: float) -> None:
        """Let a row be leased again, by any process, whatever its state."""
        self._leave(session, row, self.ready, now)

    def end(self, session: Session, row: Row, status: str, now: float, reason: str = "") -> None:
        """End a row, whatever its state; the caller has asked `held` where that matters."""
        row.reason = reason
        self._leave(session, row, status, now)

    def _all_leased(self, session: Session, *which: ColumnElement[bool]) -> list[Row]:
        leased = select(self.row).where(text(self.leased_rows), *which)
        return list(session.scalars(leased.order_by(self.row.id)))

    def _lose_all(self, session: Session, now: float, rows: list[Row]) -> list[Row]:
        for row in rows:
            self._lose(session, row, now, self.lost_reason)
        return rows

    def _lose(self, session: Session, row: Row, now: float, reason: str) -> None:
        row.losses += 1
        self._put_back(session, row, now, reason)

    def _put_back(self, session: Session, row: Row, now: float, reason: str) -> None:
        """Let a row be leased again, unless its attempts have failed, or were lost, too often."""
        if row.failures < MAX_FAILURES and row.losses < MAX_LOSSES:
            row.reason = reason
            self.release(session, row, now)
        else:
            why = self.given_up_reason.format(reason=reason, count=row.failures + row.losses)
            self.end(session, row, self.given_up, now, why)

    def _leave(self, session: Session, row: Row, status: str, now: float) -> None:
        self.leaving(session, row, status, now)
        row.status, row.holder, row.lease_until = status, None, None
        session.flush()

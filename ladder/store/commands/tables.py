"""
The tables with people as a queue: who plays which attempt at what. Each function wants a transaction that writes.

As with matches (`ladder.store.commands.queue`) the number of the attempt is the fence. A table whose process has gone
is ready again, and goes on where it was: its record and its journal are files.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, select, text, update

from ladder.store.leases import LeaseQueue
from ladder.store.names import find_stored_bot
from ladder.store.table_models import OPEN, PeopleChair, PeopleTable
from ladder.values.people import TableStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from ladder.values.people import ChairKind, TablePurpose

LEASES = LeaseQueue(PeopleTable, OPEN, TableStatus.READY, TableStatus.PLAYING)
MOST_FAILURES = 3
"""A table in which the platform has failed so often, without a deal between, ends."""


@dataclass(frozen=True)
class NewChair:
    """A chair of a new table; the fields are those of `PeopleChair`."""

    kind: ChairKind
    name: str = ""
    version_id: int | None = None
    account: str | None = None
    secret_hash: str | None = None
    joined: float | None = None


@dataclass(frozen=True)
class NewTable:
    """A new table; the fields are those of `PeopleTable`."""

    name: str
    purpose: TablePurpose
    board: str
    variant: str
    rules: dict[str, Any]
    format: str
    seed: str
    commitment: str
    practice: bool
    seconds: float
    pace: float
    owner: str | None
    guest: str
    network: str | None


@dataclass(frozen=True)
class TableLease:
    """One attempt at a table."""

    table: int
    attempt: int


def add_table(session: Session, new: NewTable, chairs: Sequence[NewChair], now: float) -> PeopleTable:
    """Add a table; it is ready if all its people are there."""
    row = PeopleTable(**asdict(new), status=TableStatus.WAITING, created=now, touched=now)
    session.add(row)
    session.flush()
    session.add_all(PeopleChair(table_id=row.id, chair=chair, **asdict(each)) for chair, each in enumerate(chairs))
    session.flush()
    start_if_full(session, row)
    return row


def start_if_full(session: Session, table: PeopleTable) -> bool:
    """Let a table begin that waits for nobody any more, and say whether it does."""
    missing = select(PeopleChair.chair).where(
        PeopleChair.table_id == table.id, PeopleChair.kind == "person", PeopleChair.joined.is_(None)
    )
    is_full = table.status == TableStatus.WAITING and session.execute(missing.limit(1)).first() is None
    if is_full:
        table.status = TableStatus.READY
        session.flush()
    return is_full


def let_people_play(session: Session, bot: str, allowed: bool) -> None:
    """
    Say whether people may choose a bot for their tables; tables that have begun go on.

    Raises:
        LadderError: If there is no such bot.
    """
    find_stored_bot(session, bot).tables = allowed


def claim_tables(
    session: Session, holder: str, now: float, seconds: float, count: int, not_now: Collection[int] = ()
) -> list[TableLease]:
    """
    Lease the oldest tables that are ready.

    Args:
        session: A transaction that writes.
        holder: Who takes them (`owners.this_process`).
        now: Unix time.
        seconds: For how long, if it is not renewed.
        count: How many at most.
        not_now: Not these.
    """
    ready = select(PeopleTable).where(text(OPEN), PeopleTable.status == TableStatus.READY).order_by(PeopleTable.id)
    rows = list(session.scalars(ready.where(PeopleTable.id.not_in(not_now)).limit(count)))
    for row in rows:
        LEASES.take(session, row, holder, now + seconds)
    return [TableLease(row.id, row.attempt) for row in rows]


def renew_tables(session: Session, holder: str, now: float, seconds: float) -> dict[int, int]:
    """Renew the leases of a holder; by number of the table, the attempts that it still has."""
    LEASES.renew(session, holder, now + seconds)
    held = select(PeopleTable.id, PeopleTable.attempt).where(*_held_by(holder))
    return dict(session.execute(held).all())


def requeue_tables(session: Session, now: float, is_dead: Callable[[str], bool]) -> list[int]:
    """Let every table go on whose holder has ended, or let its lease run out; gives their numbers."""
    lost = LEASES.lost(session, now, is_dead)
    for row in lost:
        _release(session, row)
    return [row.id for row in lost]


def give_back_table(session: Session, lease: TableLease, now: float, reason: str = "") -> None:
    """
    Let a table go on later, by whomever; one in which the platform has failed too often ends.

    Args:
        session: A transaction that writes.
        lease: The attempt that ends.
        now: Unix time.
        reason: What went wrong, in a sentence; empty: nothing did.
    """
    row = held_table(session, lease)
    if row is not None:
        row.reason, row.failures = reason or row.reason, row.failures + bool(reason)
        if row.failures >= MOST_FAILURES:
            end_table(session, row, TableStatus.ENDED, reason, now)
        else:
            _release(session, row)


def held_table(session: Session, lease: TableLease) -> PeopleTable | None:
    """The table of a lease; None if that has passed to somebody else, or the table has ended."""
    return LEASES.held(session, lease.table, lease.attempt)


def note_seats(session: Session, lease: TableLease, seats: Mapping[int, tuple[str, str]]) -> bool:
    """
    Write down where the seats of people listen, and with what token; whether the lease still holds.

    Args:
        session: A transaction that writes.
        lease: Who says so.
        seats: By the numbers of the chairs: address and token.
    """
    if held_table(session, lease) is None:
        return False
    for chair, (address, token) in seats.items():
        session.execute(
            update(PeopleChair)
            .where(PeopleChair.table_id == lease.table, PeopleChair.chair == chair)
            .values(address=address, token=token)
        )
    return True


def note_deal(session: Session, lease: TableLease, totals: Sequence[int], now: float) -> None:
    """Write down that a deal is over, and the totals of the chairs."""
    row = held_table(session, lease)
    if row is not None:
        row.failures, row.touched, row.reason = 0, now, ""
        _note_chairs(session, lease.table, [{"points": total} for total in totals])


def touch_table(row: PeopleTable, now: float) -> None:
    """Write down that a person is there."""
    row.touched = now


def mark_assisted(row: PeopleTable) -> None:
    """Write down that somebody was helped at a table."""
    row.assisted = True


def take_back_at(session: Session, row: PeopleTable, chair: int) -> None:
    """Let a table that is played begin again before the last decision of a chair."""
    row.take_back, row.assisted = chair, True
    _release(session, row)


def note_taken_back(session: Session, lease: TableLease) -> None:
    """Write down that a card was taken back."""
    row = held_table(session, lease)
    if row is not None:
        row.take_back = None


def finish_table(session: Session, lease: TableLease, totals: Sequence[int], places: Sequence[int], now: float) -> bool:
    """Write down that a table was played to its end, and whether that counts."""
    row = held_table(session, lease)
    if row is None:
        return False
    values = [{"points": total, "place": place} for total, place in zip(totals, places, strict=True)]
    _note_chairs(session, lease.table, values)
    end_table(session, row, TableStatus.OVER, "", now)
    return True


def end_table(session: Session, row: PeopleTable, status: TableStatus, reason: str, now: float) -> None:
    """End a table, whatever it does now."""
    _release(session, row)
    row.status, row.reason, row.finished, row.network = status, reason, now, None
    session.flush()


def end_unstarted(session: Session, before: float, reason: str, now: float) -> int:
    """End the tables that have waited for people since before a Unix time; how many there were."""
    return _end_waiting(session, PeopleTable.created < before, reason, now)


def end_unattended(session: Session, before: float, reason: str, now: float) -> int:
    """End the guests' tables that wait for people and have been empty since a Unix time; gives their number."""
    return _end_waiting(session, and_(PeopleTable.touched < before, PeopleTable.network.is_not(None)), reason, now)


def _end_waiting(session: Session, which: ColumnElement[bool], reason: str, now: float) -> int:
    waiting = select(PeopleTable).where(text(OPEN), PeopleTable.status == TableStatus.WAITING, which)
    rows = list(session.scalars(waiting))
    for row in rows:
        end_table(session, row, TableStatus.ENDED, reason, now)
    return len(rows)


def remove_tables(session: Session, tables: Collection[int]) -> None:
    """Remove tables that have ended."""
    session.execute(delete(PeopleChair).where(PeopleChair.table_id.in_(tables)))
    session.execute(delete(PeopleTable).where(PeopleTable.id.in_(tables)))


def _release(session: Session, row: PeopleTable) -> None:
    session.execute(update(PeopleChair).where(PeopleChair.table_id == row.id).values(address="", token=""))
    LEASES.release(session, row)


def _note_chairs(session: Session, table: int, values: Sequence[Mapping[str, int]]) -> None:
    for chair, noted in enumerate(values):
        session.execute(
            update(PeopleChair).where(PeopleChair.table_id == table, PeopleChair.chair == chair).values(**noted)
        )


def _held_by(holder: str) -> tuple[Any, ...]:
    return text(OPEN), PeopleTable.status == TableStatus.PLAYING, PeopleTable.holder == holder

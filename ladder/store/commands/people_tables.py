"""
Queue of the tables with people (`ladder.store.leases`), and their chairs: sitting down, and getting up.

A table whose process has ended is ready again, and resumes where it was: its record and its journal are files. Each
function needs a transaction that writes.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, or_, select, text, update

from ladder.store.leases import Lease, LeaseQueue
from ladder.store.lookup import find_stored_bot
from ladder.store.table_models import OPEN, PeopleChair, PeopleTable
from ladder.values.people import ChairKind, TableStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from ladder.values.people import TablePurpose


def _leaving(session: Session, row: PeopleTable, status: str, now: float) -> None:
    """Forget where the seats of people listened, and after the end the guest's address."""
    session.execute(update(PeopleChair).where(PeopleChair.table_id == row.id).values(address="", token=""))
    if status in (TableStatus.OVER, TableStatus.ENDED):
        row.finished, row.network = now, None


TABLES = LeaseQueue(
    PeopleTable,
    ready=TableStatus.READY,
    leased=TableStatus.PLAYING,
    given_up=TableStatus.ENDED,
    ready_rows=f"{OPEN} AND status = '{TableStatus.READY}'",
    leased_rows=f"{OPEN} AND status = '{TableStatus.PLAYING}'",
    lost_reason="The process that played it has ended.",
    leaving=_leaving,
)


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
    """Let a table begin if all its people are there, and say whether it begins."""
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
    Say whether people may choose a bot for their tables; tables that have begun continue.

    Raises:
        LadderError: If there is no such bot.
    """
    find_stored_bot(session, bot).tables = allowed


def claim_tables(
    session: Session, holder: str, now: float, seconds: float, count: int, not_now: Collection[int] = ()
) -> list[Lease]:
    """
    Lease the oldest tables that are ready.

    Args:
        session: A transaction that writes.
        holder: Who takes them (`owners.this_process`).
        now: Unix time.
        seconds: Seconds for which the lease is valid, if it is not renewed.
        count: How many at most.
        not_now: Not these.
    """
    ready = select(PeopleTable).where(text(TABLES.ready_rows)).order_by(PeopleTable.id)
    rows = list(session.scalars(ready.where(PeopleTable.id.not_in(not_now)).limit(count)))
    for row in rows:
        TABLES.take(session, row, holder, now + seconds)
    return [Lease(row.id, row.attempt) for row in rows]


def note_seats(session: Session, lease: Lease, seats: Mapping[int, tuple[str, str]]) -> bool:
    """
    Write down where the seats of people listen, and with what token; whether the lease still holds.

    Args:
        session: A transaction that writes.
        lease: Who says so.
        seats: By the numbers of the chairs: address and token.
    """
    if TABLES.held(session, lease) is None:
        return False
    for chair, (address, token) in seats.items():
        session.execute(
            update(PeopleChair)
            .where(PeopleChair.table_id == lease.id, PeopleChair.chair == chair)
            .values(address=address, token=token)
        )
    return True


def note_deal(session: Session, lease: Lease, totals: Sequence[int], now: float) -> None:
    """Write down that a deal is over, and the totals of the chairs."""
    row = TABLES.held(session, lease)
    if row is not None:
        row.failures, row.losses, row.touched, row.reason = 0, 0, now, ""
        _note_chairs(session, lease.id, [{"points": total} for total in totals])


def touch_table(row: PeopleTable, now: float) -> None:
    """Write down that a person is there."""
    row.touched = now


def mark_assisted(row: PeopleTable) -> None:
    """Record that a person was assisted at a table."""
    row.assisted = True


def note_begun(session: Session, lease: Lease) -> None:
    """Write down that a person has decided something, also at a table that was ended at that very moment."""
    row = session.get(PeopleTable, lease.id)
    if row is not None:
        row.begun = True


def pause_table(session: Session, lease: Lease, now: float) -> bool:
    """Let a table wait for its one person; its process plays it no longer. True if the lease still held."""
    row = TABLES.held(session, lease)
    if row is None:
        return False
    row.touched = now
    TABLES.end(session, row, TableStatus.PAUSED, now)
    return True


def resume_table(session: Session, row: PeopleTable, now: float) -> bool:
    """Let a table that waits for its person be played on; False if it does not wait."""
    if row.status != TableStatus.PAUSED:
        return False
    row.touched, row.failures, row.losses = now, 0, 0
    TABLES.release(session, row, now)
    return True


def end_forgotten(session: Session, before: float, reason: str, now: float) -> int:
    """End the tables that have waited for their one person since before a Unix time; how many there were."""
    return _end_all(session, TableStatus.PAUSED, PeopleTable.touched < before, reason, now)


def end_boards_before(session: Session, day: str, reason: str, now: float) -> int:
    """End the tables at which a day's board of before a *day* is not over; how many there were."""
    old = and_(PeopleTable.purpose == "today", PeopleTable.board < day)
    return sum(_end_all(session, status, old, reason, now) for status in _UNFINISHED)


def take_back_at(session: Session, row: PeopleTable, chair: int, now: float) -> None:
    """Let a table that is played begin again before the last decision of a chair."""
    row.take_back, row.assisted = chair, True
    TABLES.release(session, row, now)


def note_taken_back(session: Session, lease: Lease) -> None:
    """Write down that a card was taken back."""
    row = TABLES.held(session, lease)
    if row is not None:
        row.take_back = None


def finish_table(
    session: Session,
    lease: Lease,
    totals: Sequence[int],
    places: Sequence[int],
    now: float,
    absent: Collection[int] = (),
) -> bool:
    """
    Write down that a table was played to its end, and say whether the lease still held.

    Args:
        session: A transaction that writes.
        lease: Who says so.
        totals: By the numbers of the chairs.
        places: Likewise.
        now: Unix time.
        absent: The chairs of people whose game the policy has played (`ladder.people.tables.own_part`).
    """
    row = TABLES.held(session, lease)
    if row is None:
        return False
    values = [
        {"points": total, "place": place, "absent": chair in absent}
        for chair, (total, place) in enumerate(zip(totals, places, strict=True))
    ]
    _note_chairs(session, lease.id, values)
    TABLES.end(session, row, TableStatus.OVER, now)
    return True


def keep_cost(session: Session, table: int, chair: int, cost: float) -> None:
    """Note the cost of a person's costliest decision, in points, if it is the largest that is known."""
    session.execute(
        update(PeopleChair)
        .where(PeopleChair.table_id == table, PeopleChair.chair == chair)
        .where(or_(PeopleChair.cost.is_(None), PeopleChair.cost < cost))
        .values(cost=cost)
    )


def end_table(session: Session, row: PeopleTable, reason: str, now: float) -> None:
    """End a table before it is over, whatever it does now."""
    TABLES.end(session, row, TableStatus.ENDED, now, reason)


def end_unstarted(session: Session, before: float, reason: str, now: float) -> int:
    """End the tables that have waited for people since before a Unix time; how many there were."""
    return _end_waiting(session, PeopleTable.created < before, reason, now)


def end_unattended(session: Session, before: float, reason: str, now: float) -> int:
    """End the guests' tables that wait for people and have been empty since a Unix time; gives their number."""
    return _end_waiting(session, and_(PeopleTable.touched < before, PeopleTable.network.is_not(None)), reason, now)


def _end_waiting(session: Session, which: ColumnElement[bool], reason: str, now: float) -> int:
    return _end_all(session, TableStatus.WAITING, which, reason, now)


_UNFINISHED = (TableStatus.WAITING, TableStatus.READY, TableStatus.PLAYING, TableStatus.PAUSED)


def _end_all(session: Session, status: TableStatus, which: ColumnElement[bool], reason: str, now: float) -> int:
    rows = list(session.scalars(select(PeopleTable).where(text(OPEN), PeopleTable.status == status, which)))
    for row in rows:
        end_table(session, row, reason, now)
    return len(rows)


def remove_tables(session: Session, tables: Collection[int]) -> None:
    """Remove tables that have ended."""
    session.execute(delete(PeopleChair).where(PeopleChair.table_id.in_(tables)))
    session.execute(delete(PeopleTable).where(PeopleTable.id.in_(tables)))


def _note_chairs(session: Session, table: int, values: Sequence[Mapping[str, int]]) -> None:
    for chair, noted in enumerate(values):
        session.execute(
            update(PeopleChair).where(PeopleChair.table_id == table, PeopleChair.chair == chair).values(**noted)
        )


def sit_down(
    session: Session, table: PeopleTable, chair: PeopleChair, name: str, account: str | None, now: float
) -> bool:
    """
    Let a person take a chair, or change the name there; gives whether all have come, so that the table is ready.

    Args:
        session: A transaction that writes.
        table: The table.
        chair: The chair.
        name: As others see it.
        account: Whose account it is; None: a guest's.
        now: Unix time.
    """
    chair.name, chair.account = name, account
    chair.joined, table.touched = chair.joined or now, now
    return start_if_full(session, table)


def get_up(chair: PeopleChair) -> None:
    """Free a chair again, for any person who has its link."""
    chair.name, chair.account, chair.joined = "", None, None


def seat_house_bots(session: Session, table: PeopleTable, chairs: Sequence[PeopleChair], names: Sequence[str]) -> None:
    """Give the chairs of people who have not come to house bots, by the chairs' numbers, and let the table begin."""
    for chair in chairs:
        if chair.kind == ChairKind.PERSON and chair.joined is None:
            chair.kind, chair.secret_hash = ChairKind.HOUSE, None
            chair.name = names[chair.chair % len(names)]
    session.flush()
    start_if_full(session, table)

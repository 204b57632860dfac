"""
Coordinators that work at a ladder, and their workers on other machines.

Each coordinator says every few seconds that it lives, by the clock of the database. The clocks of their machines may
differ, and so may the names of their processes be those of a machine that no process here can look into; the database
is what all of them have in common. Of a worker there is what its coordinator writes down, and what organisers want.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select, update

from ladder.store.cluster_models import StoredCoordinator, StoredWorker
from ladder.store.database import insert_of
from ladder.values.cluster import WantedState, WorkerState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from sqlalchemy import RowMapping
    from sqlalchemy.orm import Session

    from ladder.values.cluster import WorkerSeen

SILENT_SECONDS = 300.0
"""Seconds of silence after which a coordinator has ended: more than the longest pause after failures."""


LEFT = ""
"""Stands for those that have ended by themselves: when the last of them did."""


@dataclass(frozen=True)
class SeenCoordinator:
    """A coordinator as the database knows it."""

    holder: str
    """Its name in leases."""
    folder: str
    """Id of the folder that it keeps records in."""
    seen: float
    """Unix time of its last report that it runs, by the database's clock."""


def database_time(session: Session) -> float:
    """Read the Unix time by the database's clock; SQLite has that of this machine, where all who use it are."""
    if all_are_here(session):
        return time.time()
    return float(session.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())


def all_are_here(session: Session) -> bool:
    """Tell whether all who use this database run on this machine, as with SQLite."""
    return session.get_bind().dialect.name == "sqlite"


def lease_time(session: Session, clock: Callable[[], float]) -> float:
    """Read the Unix time by the clock that all holders of leases share: *clock*, if all of them are here."""
    return clock() if all_are_here(session) else database_time(session)


def note_alive(session: Session, holder: str, folder: str, now: float) -> None:
    """Write down that a coordinator lives."""
    row = StoredCoordinator
    noted = session.execute(update(row).where(row.holder == holder).values(seen=now).returning(row.holder))
    if noted.scalar_one_or_none() is None:
        session.add(row(holder=holder, folder=folder, joined=now, seen=now))
        session.flush()


def coordinators(session: Session) -> list[SeenCoordinator]:
    """List all that have not ended by themselves."""
    row = StoredCoordinator
    wanted = select(row.holder, row.folder, row.seen).where(row.holder != LEFT)
    return [SeenCoordinator(*each) for each in session.execute(wanted)]


def last_spoken(session: Session) -> float | None:
    """Say when one spoke last, by the database's clock, also one that has ended; None: never."""
    return session.scalar(select(func.max(StoredCoordinator.seen)))


def forget(session: Session, holders: Collection[str]) -> None:
    """Strike coordinators off the list; one that lives all the same comes back when it next says so."""
    session.execute(delete(StoredCoordinator).where(StoredCoordinator.holder.in_(list(holders))))


MAX_UNWRITTEN = 10.0
"""Seconds after which it is written down that a worker still lives, even if nothing else about it has changed."""
MAX_WORKERS = 10_000
"""No more are kept: a hostile worker may give itself a new name each time."""
_CLOCKS = ("clock_skew", "seen")
"""Fields that differ from one time to the next though nothing has happened."""
_NOTICED_SKEW = 0.5
"""Seconds by which the error of a clock must differ from the last one to count as a change."""
_ITS_OWN = ("name", "wanted", "wanted_reason")
"""Columns of a worker that no coordinator writes again once the table has it."""


def write_workers(
    session: Session,
    workers: Iterable[WorkerSeen],
    now: float | None = None,
    max_workers: int = MAX_WORKERS,
    first: Collection[str] = (),
) -> int:
    """
    Write down what a coordinator has seen of all its workers; what has not changed is not written again.

    What organisers want of a worker stays as it is. A worker that has gone to another coordinator, which has seen
    it since, is left to that one; one that has gone and was forgotten stays so.

    Args:
        session: A transaction that writes.
        workers: One of each name.
        now: Unix time: the coordinator may remember workers that were forgotten here, and not seen since.
        max_workers: Workers that the table may have.
        first: Names of workers of which this coordinator writes for the first time: also if they have gone, they have
            not been forgotten.

    Returns:
        How many rows were written.
    """
    columns = StoredWorker.__table__.columns
    known = {row.name: row._mapping for row in session.execute(select(*columns))}
    rows = [_row(worker) for worker in workers]
    new = [row for row in rows if row["name"] not in known and (row["name"] in first or _is_there(row, now))]
    changed = [row for row in rows if row["name"] in known and _has_changed(row, known[row["name"]])]
    changed += new[: max(0, max_workers - len(known))]
    if changed:
        session.execute(_upsert(session), changed)
    return len(changed)


def set_wanted(session: Session, name: str, wanted: WantedState, reason: str) -> bool:
    """
    Say whether a worker is to play; its coordinator reads that every few seconds.

    Args:
        session: A transaction that writes.
        name: The worker's.
        wanted: What it is to be.
        reason: Why, in a sentence; may be empty.

    Returns:
        Whether there is such a worker.
    """
    change = update(StoredWorker).where(StoredWorker.name == name).values(wanted=wanted, wanted_reason=reason)
    return session.execute(change.returning(StoredWorker.name)).scalar_one_or_none() is not None


def forget_worker(session: Session, name: str) -> bool:
    """Strike a worker off the list; gives whether it was there. If it is connected, its coordinator lists it again."""
    gone = delete(StoredWorker).where(StoredWorker.name == name).returning(StoredWorker.name)
    return session.execute(gone).scalar_one_or_none() is not None


def _row(worker: WorkerSeen) -> dict[str, Any]:
    given = worker.model_dump(exclude={"facts"})
    facts = worker.facts.model_dump(mode="json", exclude={"clock"})
    return {**given, "name": worker.facts.name, "facts": facts, "wanted": WantedState.ACTIVE, "wanted_reason": ""}


def _is_there(row: dict[str, Any], now: float | None) -> bool:
    is_seen = now is None or bool(now - row["seen"] < MAX_UNWRITTEN)
    return is_seen and WorkerState(row["state"]) is not WorkerState.GONE


def _has_changed(row: dict[str, Any], known: RowMapping) -> bool:
    if known["coordinator"] != row["coordinator"] and (row["state"] == WorkerState.GONE or known["seen"] > row["seen"]):
        return False
    if row["seen"] - known["seen"] >= MAX_UNWRITTEN or abs(row["clock_skew"] - known["clock_skew"]) > _NOTICED_SKEW:
        return True
    return any(known[name] != value for name, value in row.items() if name not in (*_CLOCKS, *_ITS_OWN))


def _upsert(session: Session) -> Any:
    new = insert_of(session.get_bind().dialect.name, StoredWorker)
    names = [column.name for column in StoredWorker.__table__.columns if column.name not in _ITS_OWN]
    return new.on_conflict_do_update(index_elements=["name"], set_={name: new.excluded[name] for name in names})

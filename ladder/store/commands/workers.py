"""The workers on other machines: what a coordinator writes down of them, and what organisers want of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Insert, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from ladder.store.cluster_models import StoredWorker
from ladder.values.cluster import WantedState, WorkerState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import RowMapping
    from sqlalchemy.orm import Session

    from ladder.values.cluster import WorkerSeen

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


def forget(session: Session, name: str) -> bool:
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


def _upsert(session: Session) -> Insert:
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    new = insert(StoredWorker)
    names = [column.name for column in StoredWorker.__table__.columns if column.name not in _ITS_OWN]
    return new.on_conflict_do_update(index_elements=["name"], set_={name: new.excluded[name] for name in names})

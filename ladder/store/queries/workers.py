"""The workers on other machines, as their coordinators last saw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store.cluster_models import StoredWorker
from ladder.values.cluster import WantedState, WorkerOrder, WorkerRow, WorkerState
from ladder.values.value import LAST_SECOND, time_of

if TYPE_CHECKING:
    import datetime

    from sqlalchemy import RowMapping
    from sqlalchemy.orm import Session

SILENT_SECONDS = 60.0
"""Seconds without a report of its coordinator after which a worker is shown as gone."""
_IN_OTHER_WORDS = ("facts", "wanted_reason", "joined", "seen")


def workers(session: Session, now: float) -> list[WorkerRow]:
    """
    Read all workers, by name.

    Args:
        session: A transaction.
        now: Unix time: shows which of them have been silent for a while.
    """
    found = session.execute(select(*StoredWorker.__table__.columns).order_by(StoredWorker.name))
    return [_row(row._mapping, now) for row in found]


def worker(session: Session, name: str, now: float) -> WorkerRow | None:
    """Read one worker, without the others; None: there is none of that name. *now* is as for `workers`."""
    found = _stored(session, name)
    return None if found is None else _row(found, now)


def worker_state(session: Session, name: str, now: float) -> WorkerState | None:
    """Read the state of one worker, whatever it has reported; None: there is none of that name."""
    found = _stored(session, name)
    return None if found is None else _state(found, now)[0]


def worker_names(session: Session) -> list[str]:
    """Read the names of all workers."""
    return list(session.scalars(select(StoredWorker.name).order_by(StoredWorker.name)))


def worker_orders(session: Session) -> dict[str, WorkerOrder]:
    """Read what is wanted of each worker, by its name."""
    found = session.execute(select(StoredWorker.name, StoredWorker.wanted, StoredWorker.wanted_reason))
    return {name: WorkerOrder(wanted=WantedState(wanted), reason=reason) for name, wanted, reason in found}


def _stored(session: Session, name: str) -> RowMapping | None:
    found = select(*StoredWorker.__table__.columns).where(StoredWorker.name == name)
    return session.execute(found).mappings().one_or_none()


def _row(row: RowMapping, now: float) -> WorkerRow:
    facts = row["facts"]
    state, reason = _state(row, now)
    given = {str(name): value for name, value in row.items() if name not in _IN_OTHER_WORDS}
    reported = {name: facts[name] for name in ("version", "machine", "memory", "engine", "runtimes", "slots", "images")}
    return WorkerRow.model_validate(
        given
        | reported
        | {
            "state": state,
            "reason": reason,
            "image_bytes": facts["image_bytes"],
            "certificate_ends": _moment(facts.get("certificate_ends")),
            "joined": time_of(row["joined"]),
            "seen": time_of(row["seen"]),
        }
    )


def _moment(seconds: float | None) -> datetime.datetime | None:
    """Give a time that a worker has reported; None if it is none, which earlier versions did not check."""
    return None if seconds is None or not 0 <= seconds <= LAST_SECOND else time_of(seconds)


def _state(row: RowMapping, now: float) -> tuple[WorkerState, str]:
    """Give what it is now, and why: the table may be behind."""
    state = WorkerState(row["state"])
    if state is not WorkerState.GONE and now - row["seen"] > SILENT_SECONDS:
        return WorkerState.GONE, "Its coordinator has not written of it for a while; has it ended?"
    if row["wanted"] == WantedState.DRAINED and not row["reason"]:
        return state, row["wanted_reason"]
    return state, row["reason"]

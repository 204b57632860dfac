"""
Coordinators that work at a ladder: each says every few seconds that it lives, by the clock of the database.

The clocks of their machines may differ, and so may the names of their processes be those of a machine that no process
here can look into; the database is what all of them have in common.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from ladder.store.cluster_models import StoredCoordinator

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy.orm import Session

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

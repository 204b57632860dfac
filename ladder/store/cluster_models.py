"""The coordinators of a ladder, and the workers on other machines as the coordinators last saw them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, String
from sqlalchemy.orm import Mapped, mapped_column

from ladder.store.models import Base
from ladder.values.names import NAME_LENGTH


class StoredWorker(Base):
    """One worker, by its name. Rows stay when a worker goes, until it comes again."""

    __tablename__ = "workers"
    __table_args__ = (CheckConstraint("wanted IN ('active', 'drained')", name="wanted"),)

    name: Mapped[str] = mapped_column(String(NAME_LENGTH), primary_key=True)
    coordinator: Mapped[str]
    """Coordinator whose tasks it takes (`owners.this_process`)."""
    address: Mapped[str]
    wanted: Mapped[str] = mapped_column(String(16))
    """State that the organiser, or three lies, have asked for: `active` if it is to play, else `drained`."""
    wanted_reason: Mapped[str]
    """The reason, in a sentence; empty: none was given."""
    state: Mapped[str] = mapped_column(String(16))
    """A `WorkerState`, as its coordinator last wrote it."""
    reason: Mapped[str]
    facts: Mapped[dict[str, Any]]
    """A `WorkerFacts`, but for its clock."""
    busy: Mapped[int]
    tasks: Mapped[int]
    voids: Mapped[int]
    lies: Mapped[int]
    speed: Mapped[float | None]
    last_match: Mapped[int | None]
    clock_skew: Mapped[float]
    joined: Mapped[float]
    seen: Mapped[float]


class StoredCoordinator(Base):
    """A coordinator that runs, or did not end by itself."""

    __tablename__ = "coordinators"

    holder: Mapped[str] = mapped_column(primary_key=True)
    """Its name in leases (`owners.this_process`)."""
    folder: Mapped[str] = mapped_column(String(64))
    """Id of the folder that it keeps records in (`ladder.runner.presence.folder_id`)."""
    joined: Mapped[float]
    seen: Mapped[float]
    """Unix time of its last report that it runs, by the database's clock, as `joined`."""

"""Submissions for tests, and what they have come to."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store import models
from ladder.store.commands.submissions import Added, Submission, add_version
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from ladder.store.database import Database

TROTTER = Submission("Trotter", "ada", f"sha256:{'a' * 64}", "process", "mybot", 1000)
BETTER = replace(TROTTER, identity=f"sha256:{'b' * 64}", size=1100)


def submit(database: Database, submission: Submission, *names: str, keep_old: bool = False, now: float = 1.0) -> Added:
    variants = [PRESETS[name] for name in names or ("gongzhu",)]
    with database.write() as session:
        return add_version(session, submission, variants, now, keep_old)


def states(database: Database, variant: str = "gongzhu") -> dict[int, str]:
    """The state of each version, by its number."""
    wanted = select(models.Version.number, models.Rating.state).join(models.Rating)
    with database.read() as session:
        return {row.number: row.state for row in session.execute(wanted.where(models.Rating.variant == variant))}


def changes(database: Database) -> list[tuple[str, str, str]]:
    wanted = select(models.StateChange.state, models.StateChange.by, models.StateChange.reason)
    with database.read() as session:
        return [(state, by, reason) for state, by, reason in session.execute(wanted.order_by(models.StateChange.id))]

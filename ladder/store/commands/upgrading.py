"""Bringing a ladder's database to the schema that this program knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.entry.claims import skeleton
from ladder.errors import LadderError
from ladder.store.commands.backup import back_up
from ladder.store.commands.opening import make_folders, open_ladder, revision_in
from ladder.store.database import Database
from ladder.store.failures import place
from ladder.store.migrations import upgrade
from ladder.store.models import Owner, StoredBot, Variant
from ladder.store.schema import REVISION
from ladder.values.reports import Upgrade

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings


def upgrade_ladder(settings: Settings, stamp: str) -> Upgrade:
    """
    Upgrade the ladder that the settings name, all of it or nothing; make one if there is none.

    Args:
        settings: Where it is.
        stamp: Part of the name of the copy.

    Raises:
        LadderError: If it is newer than this program, or cannot be used.
        StoreError: If the database does not answer, or is in use for too long.
    """
    make_folders(settings)
    database = Database(settings.url)
    try:
        before = revision_in(database)
    finally:
        database.close()
    copy = None
    if before and before > REVISION:
        raise LadderError(f"{place(settings.url)} is of a newer Pigpen (schema {before}, here {REVISION}).")
    if before and before < REVISION and (file := settings.database_file):
        copy = file.with_name(f"{file.stem}-{before}-{stamp}{file.suffix}")
        back_up(settings.url, copy)
    if before != REVISION:
        upgrade(settings.url)
    database = open_ladder(settings)
    try:
        with database.write() as session:
            _fill_skeletons(session)
    finally:
        database.close()
    return Upgrade(before=before, after=REVISION, backup=copy)


def _fill_skeletons(session: Session) -> None:
    """Compute what a reader sees of names from before; of names that look alike, the oldest one keeps it alone."""
    table: Any
    for table in (Owner, StoredBot, Variant):
        taken = set(session.scalars(select(table.skeleton).where(table.skeleton.is_not(None))))
        for each in session.scalars(select(table).where(table.skeleton.is_(None)).order_by(table.added, table.name)):
            seen = skeleton(each.name)
            if seen not in taken:
                each.skeleton = seen
                taken.add(seen)

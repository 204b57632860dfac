"""
Schema and backup of a ladder's database.

An older database is brought to the schema that this program knows; Alembic is read only here, not where one is opened.
A backup is a copy of one moment, made while others read and write.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.entry.claims import skeleton
from ladder.errors import LadderError, StoreError
from ladder.store.commands.opening import open_ladder, revision_in
from ladder.store.database import Database
from ladder.store.driver_failures import place
from ladder.store.models import Owner, StoredBot, Variant
from ladder.store.schema import REVISION, Age, age_of
from ladder.values.new_name import give_new_name
from ladder.values.reports import Upgrade

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL
    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings

PG_DUMP = "pg_dump"


def back_up(url: URL, target: Path) -> int:
    """
    Write a copy of the database at *url*; *target* is there whole, or not at all.

    Args:
        url: Of SQLite or PostgreSQL. Of the former the copy is a database like it; of the latter it is an archive for
            pg_restore.
        target: A file that is not there yet.

    Returns:
        Its bytes.

    Raises:
        LadderError: If *target* is there or cannot be written, or pg_dump is not installed.
        StoreError: If the copy fails.
    """
    if os.path.exists(target):
        raise LadderError(f"{str(target)!r} is there already; name another file.")
    with _whole(target) as draft:
        if url.get_backend_name() == "sqlite":
            _copy_sqlite(url, draft)
        else:
            _dump_postgresql(url, draft)
    return target.stat().st_size


@contextlib.contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Yield a file beside *target* that takes its name in the end, once it is on the disk."""
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            draft = Path(folder) / target.name
            yield draft
            draft.chmod(0o600)  # it holds the seeds of matches to come
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            give_new_name(draft, target)
    except OSError as error:
        raise LadderError(f"{str(target)!r} cannot be written: {error.strerror}.") from None


def _copy_sqlite(url: URL, draft: Path) -> None:
    try:
        with contextlib.closing(sqlite3.connect(str(url.database))) as source:
            source.execute("VACUUM INTO ?", [str(draft)])  # reads one state, keeps no writer waiting, needs no log file
    except sqlite3.Error as error:
        raise StoreError(f"{place(url)} cannot be copied: {error}.") from None


def _dump_postgresql(url: URL, draft: Path) -> None:
    program = shutil.which(PG_DUMP)
    if program is None:
        raise LadderError(f"{PG_DUMP} is not installed; on Debian, as root: apt-get install postgresql-client")
    # The password goes by the environment: arguments of a command can be read by every user of the machine.
    password = {} if url.password is None else {"PGPASSWORD": str(url.password)}
    where = url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    words = [program, "--format=custom", "--no-password", f"--file={draft}", f"--dbname={where}"]
    done = subprocess.run(words, env=os.environ | password, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StoreError(f"{PG_DUMP} failed: {done.stderr.strip().partition(chr(10))[0]}")


def upgrade_ladder(settings: Settings, stamp: str) -> Upgrade:
    """
    Upgrade the ladder that the settings name, all of it or nothing; make one if there is none.

    Args:
        settings: Where it is.
        stamp: Part of the name of the copy.

    Raises:
        LadderError: If it is newer than this program, of an unreleased one, or cannot be used.
        StoreError: If the database does not answer, or is in use for too long.
    """
    before, copy = _revision(settings), None
    if before is not None and age_of(before) is Age.OLDER:
        if file := settings.database_file:
            copy = file.with_name(f"{file.stem}-{before}-{stamp}{file.suffix}")
            back_up(settings.url, copy)
        from ladder.store.migrations import upgrade  # with Alembic, which takes long to load

        upgrade(settings.url)
    database = open_ladder(settings, create=True)
    try:
        with database.write() as session:
            _fill_skeletons(session)
    finally:
        database.close()
    return Upgrade(before=before, after=REVISION, backup=copy)


def _revision(settings: Settings) -> str | None:
    if (file := settings.database_file) and not os.path.exists(file):
        return None
    database = Database(settings.url)
    try:
        return revision_in(database)
    finally:
        database.close()


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

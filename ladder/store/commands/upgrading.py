"""
Schema and backup of a ladder's database.

A database is opened if it is there and has the schema that this program knows, or if it is new; an older one is brought
to that schema. A backup is a copy of one moment, made while others read and write.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from ladder.entry.claims import skeleton
from ladder.errors import LadderError, NoLadder, StoreError
from ladder.store.database import MANY_READERS, SQLITE_SETTINGS, Database
from ladder.store.failures import place
from ladder.store.migrations import upgrade
from ladder.store.models import Owner, StoredBot, Variant
from ladder.store.schema import REVISION, is_empty, revision_of
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


def open_ladder(settings: Settings, create: bool = False, many_readers: bool = False) -> Database:
    """
    Open the ladder that the settings name.

    Args:
        settings: Where it is.
        create: Make folder, database and schema if there is nothing yet.
        many_readers: Many threads will read at once, so that each connection is to take little memory.

    Raises:
        LadderError: If there is none, or it cannot be used as it is.
        StoreError: If the database does not answer.
    """
    if create:
        make_folders(settings)
    elif (file := settings.database_file) and not os.path.exists(file):
        raise NoLadder(f"There is no ladder in {str(file.parent)!r}")
    database = Database(settings.url, MANY_READERS if many_readers else SQLITE_SETTINGS)
    try:
        if create and revision_in(database) is None:
            from ladder.store.all_tables import make_schema  # only who begins a ladder needs all tables

            with database.write() as session:
                make_schema(session.connection())
        check_revision(database, revision_in(database))
    except BaseException:
        database.close()
        raise
    return database


def make_folders(settings: Settings) -> None:
    """
    Make the folders of the data and of the database, and the database's file, readable only for this user.

    They hold the seeds of matches to come, and what bots print for their owners.

    Raises:
        LadderError: If one cannot be made.
    """
    file = settings.database_file
    for folder in [settings.data_dir, *([file.parent] if file else [])]:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise LadderError(
                f"The folder {str(folder)!r} cannot be made: {error.strerror}. Choose another one with data_dir in "
                "pigpen.toml, or PIGPEN_DATA_DIR in the environment."
            ) from None
    if file:
        with suppress(OSError):  # SQLite says more of it; what it adds has the rights of this file
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))


def revision_in(database: Database) -> str | None:
    """
    Read the revision of the schema; None if there is nothing yet.

    Raises:
        LadderError: If the database holds something else.
    """
    with database.read() as session:
        connection = session.connection()
        revision = revision_of(connection)
        if revision is None and not is_empty(connection):
            raise LadderError(f"{place(database.engine.url)} holds something that is no ladder; name another one.")
        return revision


def check_revision(database: Database, revision: str | None) -> None:
    """
    Refuse a schema that this program does not know.

    Raises:
        LadderError: With the way out.
    """
    where = place(database.engine.url)
    if revision is None:
        raise NoLadder(f"{where} holds no ladder yet")
    if revision < REVISION:
        raise LadderError(f"{where} is of an older Pigpen (schema {revision}, now {REVISION}); run: pigpen db upgrade")
    if revision > REVISION:
        raise LadderError(f"{where} is of a newer Pigpen (schema {revision}, here {REVISION}); use that Pigpen.")


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

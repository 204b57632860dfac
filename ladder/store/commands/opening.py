"""Opening a ladder's database: one that is there and has the schema that this program knows, or a new one."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import LadderError, NoLadder
from ladder.store.database import MANY_READERS, SQLITE_SETTINGS, Database
from ladder.store.driver_failures import place
from ladder.store.schema import REVISION, Age, age_of, is_empty, revision_of

if TYPE_CHECKING:
    from ladder.settings.settings import Settings

REFUSALS = {
    Age.OLDER: "{where} is of an older Pigpen (schema {revision}, now {here}); run: pigpen db upgrade",
    Age.NEWER: "{where} is of a newer Pigpen (schema {revision}, here {here}); use that Pigpen.",
    Age.UNRELEASED: (
        "{where} was made by an unreleased build of Pigpen (schema {revision}, here {here}) and cannot be upgraded; "
        "nothing was changed. Use that build for it, or begin a new ladder with another data_dir, and another "
        "database_url if one is set."
    ),
}
"""Reasons that a database with a schema of that age is not opened, with the way out."""

NO_LADDER = "holds something that is no ladder; name another one."


def open_ladder(
    settings: Settings, create: bool = False, many_readers: bool = False, any_schema: bool = False
) -> Database:
    """
    Open the ladder that the settings name.

    Args:
        settings: Where it is.
        create: Make folder, database and schema if there is nothing yet.
        many_readers: Many threads will read at once, so that each connection is to take little memory.
        any_schema: Open a ladder of another Pigpen, too: for a copy of all that is there.

    Raises:
        LadderError: If there is none, or it cannot be used as it is.
        StoreError: If the database does not answer.
    """
    if create:
        make_folders(settings)
    else:
        settings.check_file()
    database = Database(settings.url, MANY_READERS if many_readers else SQLITE_SETTINGS)
    try:
        if create and revision_in(database) is None:
            from ladder.store.all_tables import make_schema  # only who begins a ladder needs all tables

            with database.write() as session:
                make_schema(session.connection())
        check_revision(database, revision_in(database), any_schema)
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
            raise LadderError(f"{place(database.engine.url)} {NO_LADDER}")
        return revision


def check_revision(database: Database, revision: str | None, any_schema: bool = False) -> None:
    """
    Refuse a schema that this program does not know.

    Args:
        database: Is named in the message.
        revision: What is found there.
        any_schema: Refuse only a database without one.

    Raises:
        LadderError: With the way out.
    """
    where = place(database.engine.url)
    if revision is None:
        raise NoLadder(f"{where} holds no ladder yet")
    if not any_schema and (refusal := REFUSALS.get(age_of(revision))):
        raise LadderError(refusal.format(where=where, revision=revision, here=REVISION))

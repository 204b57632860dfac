"""Failures of a database driver, each in a sentence."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError

from ladder.errors import LadderError, StoreError, Unstorable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL

MISTAKES = ("password", "does not exist", "no pg_hba.conf entry", "permission denied")
"""Parts of PostgreSQL's messages that mean a mistake in the URL or in the rights."""
NUL = "NUL (0x00)"
"""PostgreSQL's texts have none."""
TOO_LARGE = "A ladder stores no number of more than 64 bits."
NO_DATABASE = ("not a database", "malformed")
HELD = "is held by another program for too long; try again when that has ended."
FULL = "cannot be used: there is no room left on its disk. Make room there and try again; what it holds is kept."
BROKEN = "cannot be read or written: its disk fails, or has a limit that is reached. Look at the system's log."
MIN_ROOM = 64 * 1024
"""Bytes."""
READ_ONLY = "25006"
"""SQLSTATE of a server that only reads, as one may after a failover."""
OUTAGES = (READ_ONLY, "25P03", "25P04")
"""The driver takes these for mistakes of a program; the others: a transaction was idle, or open, for too long."""
NO_FILE = ("unable to open", "readonly", "read-only")


@contextmanager
def in_words(url: URL) -> Iterator[None]:
    """
    Turn what the driver says about the database at *url* into a sentence; a statement that is wrong stays as it is.

    Raises:
        LadderError: If the database cannot be used as it is.
        Unstorable: If it cannot hold a value.
        StoreError: If it failed.
    """
    try:
        yield
    except UnicodeEncodeError as error:
        raise Unstorable(f"{error.object!r} is not UTF-8, and a ladder stores nothing else.") from None
    except OverflowError:
        raise Unstorable(TOO_LARGE) from None
    except DBAPIError as error:
        message = first_line(error)
        if any(words in message for words in NO_DATABASE):
            raise LadderError(f"{place(url)} is no database, or a broken one: {message}. Restore a backup.") from None
        if NUL in message:
            raise Unstorable("A ladder cannot store a text with a NUL character.") from None
        if isinstance(error, DataError):
            raise Unstorable(f"A ladder cannot store this: {message}.") from None
        if not isinstance(error, OperationalError | InterfaceError) and sqlstate(error.orig) not in OUTAGES:
            raise
        raise (_of_sqlite if url.get_backend_name() == "sqlite" else _of_postgresql)(url, message, error) from None


def _of_sqlite(url: URL, message: str, _: DBAPIError) -> Exception:
    if "is full" in message or not has_room(Path(str(url.database)).parent):
        return StoreError(f"{place(url)} {FULL}")
    if "disk I/O error" in message:
        return StoreError(f"{place(url)} {BROKEN}")
    if any(words in message for words in NO_FILE):
        return LadderError(f"{place(url)} cannot be opened or written: {message}. Look at the rights of its folder.")
    if "is locked" in message:
        return StoreError(f"{place(url)} {HELD}")
    return StoreError(f"{place(url)} failed: {message}.")


def _of_postgresql(url: URL, message: str, error: DBAPIError) -> Exception:
    if error.statement is not None:
        return StoreError(f"{place(url)} {HELD}" if "lock timeout" in message else f"{place(url)} failed: {message}.")
    if any(words in message for words in MISTAKES):
        return LadderError(f"{place(url)} refuses this URL (setting database_url): {message}.")
    return StoreError(f"{place(url)} does not answer: {message}.")


def sqlstate(error: BaseException | None) -> str | None:
    """Read the SQLSTATE from an error of PostgreSQL's driver; None if it has none."""
    return getattr(error, "sqlstate", None)


def has_room(folder: Path) -> bool:
    """Tell whether SQLite finds room in a folder for more than the database: memory that processes share."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return True
    return disk.f_bavail * disk.f_frsize >= MIN_ROOM and (disk.f_favail > 0 or not disk.f_files)


def place(url: URL) -> str:
    """Say where a database is, in words without a password."""
    if url.get_backend_name() == "sqlite":
        return f"The database {str(url.database)!r}"
    return f"The database {url.render_as_string(hide_password=True)!r}"


def first_line(error: DBAPIError) -> str:
    """Give the message of the driver, without a full stop."""
    return str(error.orig).strip().partition("\n")[0].rstrip(".")

"""What a database driver says, in a sentence."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DatabaseError, OperationalError

from ladder.store.problems import LadderError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL

MISTAKES = ("password", "does not exist", "no pg_hba.conf entry", "permission denied")
"""What PostgreSQL says to somebody who named it the wrong things."""
NO_DATABASE = ("not a database", "malformed")
NO_FILE = ("unable to open", "readonly", "read-only")


@contextmanager
def in_words(url: URL) -> Iterator[None]:
    """
    Turn what the driver says about the database at *url* into a sentence; a statement that is wrong stays as it is.

    Raises:
        LadderError: If the database cannot be used as it is.
        StoreError: If it failed.
    """
    try:
        yield
    except DatabaseError as error:
        said = _first_line(error)
        where = place(url)
        if any(words in said for words in NO_DATABASE):
            raise LadderError(f"{where} is no database, or a broken one: {said}. Restore a backup of it.") from None
        if not isinstance(error, OperationalError):
            raise
        if url.get_backend_name() == "sqlite" and any(words in said for words in NO_FILE):
            raise LadderError(
                f"{where} cannot be opened or written: {said}. Look at the rights of its folder."
            ) from None
        if "is locked" in said:
            raise StoreError(
                f"{where} is held by another program for too long; try again when that has ended."
            ) from None
        if error.statement is None and any(words in said for words in MISTAKES):
            raise LadderError(f"{where} lets nobody in under this URL (setting database_url): {said}") from None
        if url.get_backend_name() == "sqlite":
            raise StoreError(f"{where} failed: {said}.") from None
        raise StoreError(f"{where} does not answer: {said}") from None


def place(url: URL) -> str:
    """Where a database is, in words without a password."""
    if url.get_backend_name() == "sqlite":
        return f"The database {str(url.database)!r}"
    return f"The database {url.render_as_string(hide_password=True)!r}"


def _first_line(error: DatabaseError) -> str:
    return str(error.orig).strip().partition("\n")[0].rstrip(".")

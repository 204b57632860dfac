"""One ladder's database: transactions that read, transactions that write, one writer at a time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.orm import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine.interfaces import DBAPIConnection

BUSY_SECONDS = 5
"""How long a writer waits for another one."""
SQLITE_SETTINGS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_SECONDS * 1000}")
WRITER_LOCK = 0x70696770656E
"""Number of PostgreSQL's advisory lock that writers take."""


class Database:
    """
    A database that holds a ladder; opened by `ladder.store.opening`, which checks its schema.

    A transaction that reads sees one state of the ladder; one that writes is alone among those that write, so what it
    reads before it writes stays true until it has committed.
    """

    def __init__(self, url: str) -> None:
        self.engine = _sqlite(url) if url.startswith("sqlite") else create_engine(url, pool_pre_ping=True)
        self._writing = self.engine.execution_options(writes=True)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A transaction that only reads."""
        with Session(self.engine) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction that writes: committed at the end, or undone if an exception gets through."""
        with Session(self._writing) as session, session.begin():
            if self.engine.dialect.name == "postgresql":
                session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": WRITER_LOCK})
            yield session

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()


def _sqlite(url: str) -> Engine:
    # The driver must leave transactions to us: its own BEGIN comes late, and is never IMMEDIATE.
    engine = create_engine(url)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: DBAPIConnection, _: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    for setting in SQLITE_SETTINGS:
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

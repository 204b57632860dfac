"""
One ladder's database: transactions that read, transactions that write, one writer at a time.

`DatabaseThread` is a thread for what an event loop reads and writes there, so that the loop never waits for the
database.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session as Session  # the type of a transaction, for those who know no SQL

from ladder.store.driver_failures import READ_ONLY, in_words, sqlstate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
    from sqlalchemy.pool import ConnectionPoolEntry

BUSY_SECONDS = 5
"""Seconds that a writer waits for another one."""
SQLITE_SETTINGS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=FAST",  # what is removed is overwritten, where that writes no page more
    "cache_size=-65536",  # KiB at most: all pairs of a thousand bots, so that a result reads nothing from the file
)
MANY_READERS = tuple("cache_size=-8192" if name.startswith("cache_size") else name for name in SQLITE_SETTINGS)
"""For a process that has a dozen connections: each has a cache of its own."""
WITHOUT_FOREIGN_KEYS = tuple("foreign_keys=OFF" if name.startswith("foreign") else name for name in SQLITE_SETTINGS)
"""SQLite changes a table by making another one in its place, which foreign keys would see as removing its rows."""
WITHOUT_ROOM = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN)
"""Errors that SQLite may report where the disk is full."""
WRITER_LOCK = 0x70696770656E
"""Number of PostgreSQL's advisory lock that writers take."""
CONNECT_SECONDS = 10
"""Seconds that PostgreSQL may take to answer."""


class Database:
    """
    A database that holds a ladder; opened by `ladder.store.commands.upgrading`, which checks its schema.

    A transaction that reads sees one state of the ladder; one that writes is alone among those that write, so what it
    reads before it writes stays true until it has committed. What a driver says comes out as `StoreError` or
    `LadderError`, with a sentence.
    """

    def __init__(
        self, url: str | URL, sqlite_settings: Sequence[str] = SQLITE_SETTINGS, busy_seconds: float = BUSY_SECONDS
    ) -> None:
        """
        Connect when a transaction begins.

        Args:
            url: As SQLAlchemy writes it.
            sqlite_settings: What each connection to SQLite is set to, as PRAGMA takes it.
            busy_seconds: How long a writer waits for another one; more than 0.
        """
        url = make_url(url)
        is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = _sqlite(url, sqlite_settings, busy_seconds) if is_sqlite else _postgresql(url, busy_seconds)
        options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"} if self._is_postgresql else {}
        self._reading = self.engine.execution_options(**options)
        self._writing = self.engine.execution_options(writes=True)
        self._watching: sqlite3.Connection | None = None

    @property
    def _is_postgresql(self) -> bool:
        return self.engine.dialect.name == "postgresql"

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Yield a transaction that only reads."""
        with in_words(self.engine.url), Session(self._reading) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Yield a transaction that writes: committed at the end, or undone if an exception gets through."""
        with in_words(self.engine.url), Session(self._writing) as session, session.begin():
            session.connection()  # waits here for its turn
            if self._is_postgresql:
                session.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": WRITER_LOCK})
            yield session

    @contextmanager
    def erasing(self) -> Iterator[Session]:
        """
        Yield a transaction that writes; what it removes or replaces is not left in the file of the database.

        SQLite overwrites it, and empties its log as soon as no one reads it. PostgreSQL does so in its own time, as it
        is set (VACUUM).
        """
        with self.write() as session:
            if not self._is_postgresql:
                session.execute(text("PRAGMA secure_delete = ON"))
            yield session
        if not self._is_postgresql:
            with suppress(sqlite3.Error, DBAPIError), closing(self.engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def changes(self) -> int | None:
        """
        Give a number that differs from the last one if anything was committed meanwhile, by whatever process.

        It takes microseconds. Only for one thread.

        Returns:
            None if the database does not say it: PostgreSQL, and SQLite where it cannot be read.
        """
        if self._is_postgresql:
            return None
        try:
            if self._watching is None:
                # A connection of its own: what a connection commits itself does not change its number.
                (name,), options = self.engine.dialect.create_connect_args(self.engine.url)
                self._watching = sqlite3.connect(name, **options)
            return int(self._watching.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:
            return None

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()
        if self._watching is not None:
            self._watching.close()


def _written(value: Any) -> str:
    return orjson.dumps(value).decode()


_JSON: dict[str, Any] = {"json_serializer": _written, "json_deserializer": orjson.loads}
"""A third of what is read of a thousand ratings is JSON, and the standard library takes five times as long for it."""


class LoneConnection(sqlite3.Connection):
    """A connection that locks all others out of the database: it is closed after each transaction."""


def _postgresql(url: URL, busy_seconds: float) -> Engine:
    waiting = f"-c lock_timeout={busy_seconds * 1000:.0f}ms"
    options = {"connect_timeout": CONNECT_SECONDS, "options": waiting}
    engine = create_engine(url, pool_pre_ping=True, connect_args=options, **_JSON)
    event.listen(engine, "handle_error", _leave_what_only_reads)
    return engine


def _leave_what_only_reads(context: ExceptionContext) -> None:
    """Connect anew after the error of a server that only reads: since a failover another one may have its address."""
    if sqlstate(context.original_exception) == READ_ONLY:
        context.is_disconnect = True


def _sqlite(url: URL, settings: Sequence[str], busy_seconds: float) -> Engine:
    (name,), options = url.get_dialect()().create_connect_args(url)
    usual = (f"busy_timeout={busy_seconds * 1000:.0f}", *settings)

    def connect() -> sqlite3.Connection:
        try:
            return _opened(name, options, usual, busy_seconds)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in WITHOUT_ROOM:
                raise
            if (connection := _read_without_room(name, options, usual, busy_seconds)) is None:
                raise
            return connection

    def let_go(connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        if isinstance(connection, LoneConnection):
            record.invalidate()

    engine = create_engine(url, creator=connect, **_JSON)
    event.listen(engine, "checkin", let_go)
    event.listen(engine, "begin", _begin)
    return engine


def _opened(name: str, options: Mapping[str, Any], settings: Sequence[str], busy_seconds: float) -> sqlite3.Connection:
    connection: sqlite3.Connection = sqlite3.connect(name, **options)
    try:
        # The driver must leave transactions to us: its own BEGIN comes late, and is never IMMEDIATE.
        connection.isolation_level = None
        cursor = connection.cursor()
        for setting in settings:
            _set(cursor, setting, busy_seconds)
        cursor.close()
    except BaseException:
        connection.close()
        raise
    return connection


def _read_without_room(
    name: str, options: Mapping[str, Any], settings: Sequence[str], busy_seconds: float
) -> sqlite3.Connection | None:
    """
    Open a database on a disk on which its shared memory, or its log, finds no room; None if that cannot be.

    A process that has it alone needs no shared memory. If there is no log either, the file holds everything.
    """
    options = {**options, "factory": LoneConnection}
    with suppress(sqlite3.OperationalError):
        return _opened(name, options, ("locking_mode=EXCLUSIVE", *settings), busy_seconds)
    log = Path(f"{name}-wal")
    with suppress(sqlite3.OperationalError, OSError):
        if not log.exists() or not log.stat().st_size:
            return _opened(f"{Path(name).as_uri()}?immutable=1", {**options, "uri": True}, settings[:1], busy_seconds)
    return None


def _set(cursor: sqlite3.Cursor, setting: str, busy_seconds: float) -> None:
    """Set a connection; where another one looks at a new file, SQLite does not wait before it keeps a log for it."""
    end = time.monotonic() + busy_seconds
    while True:
        try:
            cursor.execute(f"PRAGMA {setting}")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(random.uniform(0.001, 0.02))


def _begin(connection: Connection) -> None:
    statement = "BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN"
    cursor = connection.connection.cursor()  # the driver's own: this is part of every transaction
    try:
        cursor.execute(statement)
    except sqlite3.OperationalError as error:
        raise OperationalError(statement, None, error) from error
    finally:
        cursor.close()


def insert_of(dialect: str, table: Any) -> Any:
    """
    Make the insert of a dialect that can say what to do where the row is there already.

    Only the dialect that is used is loaded: PostgreSQL's takes a tenth of the time of a command.
    """
    if dialect == "postgresql":
        from sqlalchemy.dialects.postgresql import insert

        return insert(table)
    from sqlalchemy.dialects.sqlite import insert as insert_in_sqlite

    return insert_in_sqlite(table)


T = TypeVar("T")


class DatabaseThread:
    """One transaction at a time. Each method raises `StoreError` if the database does not answer."""

    def __init__(self, database: Database, name: str) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            name: The thread's.
        """
        self._database = database
        self._thread = ThreadPoolExecutor(1, name)

    async def read(self, work: Callable[[Session], T]) -> T:
        """Do something in a transaction that only reads."""

        def read() -> T:
            with self._database.read() as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._thread, read)

    async def write(self, work: Callable[[Session], T]) -> T:
        """Do something in a transaction that writes."""

        def write() -> T:
            with self._database.write() as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._thread, write)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

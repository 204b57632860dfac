"""Fixtures: ladders with nothing in them. Each test of `database` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import shutil
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import NullPool, create_engine, text

from ladder.settings.settings import Settings, load_settings
from ladder.store.all_tables import make_ladder
from ladder.store.commands.opening import open_ladder
from tests.ladder.every_database import ON_POSTGRESQL
from tests.ladder.postgres import Server, running_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection, Engine

    from ladder.store.database import Database


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server of this session's own."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with nothing in it, to be copied: quicker than making it anew."""
    file = tmp_path_factory.mktemp("template") / "ladder.db"
    make_ladder(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def postgres_ladders(postgres: Server) -> Iterator[PostgresLadders]:
    """Ladders with nothing in them, on that server."""
    ladders = PostgresLadders(postgres)
    yield ladders
    ladders.close()


@pytest.fixture(scope="session")
def empty_databases(postgres: Server) -> EmptyDatabases:
    """Databases with nothing in them, on that server."""
    return EmptyDatabases(postgres)


BACKENDS = [pytest.param("postgresql", marks=pytest.mark.postgres)]
"""Databases in which a ladder can be kept; in a run of `make test-postgres` PostgreSQL alone."""
if not ON_POSTGRESQL:
    BACKENDS.insert(0, pytest.param("sqlite"))
LATER_BACKENDS = list(BACKENDS)
"""For tests with no question of their own to the database: PostgreSQL in `make test-long` and `make test-postgres`."""
if not ON_POSTGRESQL:
    later = [pytest.mark.postgres, pytest.mark.long]
    LATER_BACKENDS[1] = pytest.param("postgresql", marks=later)
IN_BOTH = pytest.mark.parametrize("backend", BACKENDS)
"""For a test with questions of its own to the database, in a module whose `backend` is `later_backend`."""


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Each of the databases that a ladder can be kept in."""
    return str(request.param)


@pytest.fixture(params=LATER_BACKENDS)
def later_backend(request: pytest.FixtureRequest) -> str:
    """The same as `backend`, whose place it takes in a module that imports it by that name."""
    return str(request.param)


@pytest.fixture
def database_url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with nothing in it; if it is SQLite's, there is no file yet."""
    with _empty_database(request, tmp_path / "ladder.db" if backend == "sqlite" else None) as url:
        yield url


@pytest.fixture
def other_url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database of the other kind, with nothing in it; if it is SQLite's, there is no file yet."""
    with _empty_database(request, tmp_path / "other.db" if backend == "postgresql" else None) as url:
        yield url


@contextmanager
def _empty_database(request: pytest.FixtureRequest, file: Path | None) -> Iterator[str]:
    """The URL of a database with nothing in it: SQLite's in that file, or else PostgreSQL's."""
    if file is not None:
        yield f"sqlite:///{file}"
        return
    with request.getfixturevalue("empty_databases").one() as url:
        yield url


@pytest.fixture
def settings(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """The settings of a ladder with nothing in it, in a folder of the test's own."""
    with settings_in(tmp_path, backend, request) as settings:
        yield settings


@contextmanager
def settings_in(folder: Path, backend: str, request: pytest.FixtureRequest) -> Iterator[Settings]:
    """The settings of a ladder with nothing in it, in that folder."""
    if backend == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), folder / "ladder.db")
        yield load_settings(data_dir=folder, runtime="runsc")
        return
    with request.getfixturevalue("postgres_ladders").one() as url:
        yield load_settings(data_dir=folder, database_url=url, runtime="runsc")


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """A ladder with nothing in it."""
    database = open_ladder(settings)
    yield database
    database.close()


class EmptyDatabases:
    """Databases with nothing in them; each is used again, because to make one takes longer than to empty it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._spare: list[str] = []

    @contextmanager
    def one(self) -> Iterator[str]:
        """The URL of a database that is nobody else's."""
        name = self._spare.pop() if self._spare else _new_database(self._server)
        yield self._server.url(name)
        with _connected(self._server, name) as connection:
            connection.execute(text(END_OTHERS))
            if _look(connection, COLUMNS):
                connection.execute(text("DROP SCHEMA public CASCADE; CREATE SCHEMA public"))
        self._spare.append(name)


class PostgresLadders:
    """
    Databases that hold a ladder's tables, and nothing in them.

    To make one takes a hundred times as long as to empty it, so each is used again while its tables are what they were.
    The connections that empty them are kept.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._engines: dict[str, Engine] = {}
        self._spare = [self._new()]
        with self._engines[self._spare[0]].connect() as connection:
            self._tables = _look(connection, *LADDER)

    @contextmanager
    def one(self) -> Iterator[str]:
        """The URL of a database that is nobody else's."""
        name = self._spare.pop() if self._spare else self._new()
        try:
            yield self._server.url(name)
        finally:
            with self._engines[name].connect() as connection:
                connection.execute(text(END_OTHERS))
                if is_good := _look(connection, *LADDER) == self._tables:
                    connection.execute(text(EMPTY))
                    self._spare.append(name)
            if not is_good:
                self._engines.pop(name).dispose()
                _drop(self._server, name)

    def close(self) -> None:
        """Let go of every connection."""
        for engine in self._engines.values():
            engine.dispose()

    def _new(self) -> str:
        name = _new_database(self._server)
        make_ladder(self._server.url(name))
        self._engines[name] = create_engine(
            self._server.url(name), isolation_level="AUTOCOMMIT", pool_size=1, pool_pre_ping=True
        )
        return name


def _look(connection: Connection, *questions: str) -> list[tuple[object, ...]]:
    """All that there is in a database, but for rows."""
    return [tuple(row) for question in questions for row in connection.execute(text(question))]


END_OTHERS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
COLUMNS = """
    SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid)
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
    ORDER BY relname, attnum
"""
INDICES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname"
REVISION = "SELECT version_num FROM alembic_version"
LADDER = (COLUMNS, INDICES, REVISION)
EMPTY = """
    DO $$ DECLARE name text; BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN
            SELECT relname FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version'
            AND pg_relation_size(oid) > 0
        LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
        PERFORM setval(seqrelid, 1, false) FROM pg_sequence;
    END $$
"""
"""Foreign keys are not looked at meanwhile. TRUNCATE takes a hundred times as long: it makes new files."""


def _new_database(server: Server) -> str:
    name = f"ladder_{uuid.uuid4().hex}"
    with _connected(server) as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
    return name


def _drop(server: Server, name: str) -> None:
    with _connected(server) as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@contextmanager
def _connected(server: Server, database: str = "postgres") -> Iterator[Connection]:
    """A connection of its own, on which each statement is a transaction."""
    engine = create_engine(server.url(database), isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        yield connection

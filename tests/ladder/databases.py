"""Fixtures: ladders with nothing in them. Each test of `database` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import shutil
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from ladder.settings.settings import Settings, load_settings
from ladder.store.commands.opening import open_ladder
from ladder.store.migrations import upgrade
from tests.ladder.postgres import Server, running_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
    upgrade(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def postgres_template(postgres: Server) -> str:
    """Name of a database with nothing in it but a ladder's tables, to be copied."""
    _run(postgres, "CREATE DATABASE template_of_ladders")
    upgrade(postgres.url("template_of_ladders"))
    return "template_of_ladders"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def backend(request: pytest.FixtureRequest) -> str:
    """Each of the databases that a ladder can be kept in."""
    return str(request.param)


@pytest.fixture
def database_url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with nothing in it; if it is SQLite's, there is no file yet."""
    if backend == "sqlite":
        yield f"sqlite:///{tmp_path / 'ladder.db'}"
        return
    with _postgresql(request.getfixturevalue("postgres"), "template0") as url:
        yield url


@pytest.fixture
def settings(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """The settings of a ladder with nothing in it, in a folder of the test's own."""
    if backend == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "ladder.db")
        yield load_settings(data_dir=tmp_path, runtime="runsc")
        return
    with _postgresql(request.getfixturevalue("postgres"), request.getfixturevalue("postgres_template")) as url:
        yield load_settings(data_dir=tmp_path, database_url=url, runtime="runsc")


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """A ladder with nothing in it."""
    database = open_ladder(settings)
    yield database
    database.close()


@contextmanager
def _postgresql(server: Server, template: str) -> Iterator[str]:
    name = f"ladder_{uuid.uuid4().hex}"
    _run(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield server.url(name)
    finally:
        _run(server, f"DROP DATABASE {name} WITH (FORCE)")


def _run(server: Server, statement: str) -> None:
    engine = create_engine(server.url("postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()

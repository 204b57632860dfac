"""Ladders for the tests of the store: each test of `database` runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from ladder.settings import Settings, load_settings
from ladder.store.opening import open_ladder
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


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'ladder.db'}"
        return
    server: Server = request.getfixturevalue("postgres")
    name = f"ladder_{uuid.uuid4().hex}"
    admin = create_engine(server.url("postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield server.url(name)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    """The settings of a ladder in a folder of the test's own."""
    return load_settings(data_dir=tmp_path, database_url=database_url)


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """A ladder with nothing in it."""
    database = open_ladder(settings, create=True)
    yield database
    database.close()

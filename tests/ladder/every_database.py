"""
Every ladder of the suite in PostgreSQL: what `make test-postgres` asks for.

A ladder that names no database, which else has a file in its folder, has one of its own on a server of the tests'.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from sqlalchemy import URL, NullPool, create_engine, make_url, text

from ladder.settings.settings import Settings
from ladder.store.all_tables import make_ladder
from tests.ladder.postgres import QUICK, Server, running_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ON_POSTGRESQL = os.environ.get("PIGPEN_TEST_DATABASE") == "postgresql"
"""True if this is a run of `make test-postgres`."""
CONNECTIONS = "max_connections=400"
TEMPLATE = "ladder_template"


class EveryLadder:
    """Databases by the folders of the ladders that they hold; a new one holds a ladder with nothing in it."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._names: dict[Path, str] = {}
        self._do(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
        make_ladder(server.url(TEMPLATE))

    def url(self, data_dir: Path) -> URL:
        """The database of the ladder in that folder."""
        if data_dir not in self._names:
            name = f"ladder_{hashlib.sha256(str(data_dir).encode()).hexdigest()[:32]}"
            self._do(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
            self._names[data_dir] = name
        return make_url(self._server.url(self._names[data_dir]))

    def copy(self, source: Path, target: Path) -> None:
        """Let the ladder in the folder *target* be a copy of that in *source*, to which nobody is connected."""
        name = self.url(source).database
        self.forget(target)
        self._names[target] = f"{name}_{len(self._names)}"
        self._do(f"CREATE DATABASE {self._names[target]} TEMPLATE {name}")

    def forget(self, folder: Path) -> None:
        """Remove the databases of ladders below a folder."""
        for data_dir in [each for each in self._names if each.is_relative_to(folder)]:
            self._do(f"DROP DATABASE {self._names.pop(data_dir)} WITH (FORCE)")

    def _do(self, statement: str) -> None:
        engine = create_engine(self._server.url("postgres"), isolation_level="AUTOCOMMIT", poolclass=NullPool)
        with engine.connect() as connection:
            connection.execute(text(statement))


_IN_USE: list[EveryLadder] = []
"""At most one."""


@contextmanager
def every_ladder_in_postgresql() -> Iterator[EveryLadder]:
    """Meanwhile no ladder of this process is SQLite's, unless its settings say so."""
    configured: Callable[[Settings], URL] = vars(Settings)["url"].fget

    def url(settings: Settings) -> URL:
        return configured(settings) if settings.database_url else every.url(settings.data_dir)

    with running_server((*QUICK, CONNECTIONS)) as server:
        every = EveryLadder(server)
        _IN_USE.append(every)
        try:
            with mock.patch.object(Settings, "url", property(url)):
                yield every
        finally:
            _IN_USE.clear()


def copy_folder(source: Path, target: Path) -> None:
    """Copy a ladder with all that is in its folder, into a folder that may be there."""
    shutil.copytree(source, target, dirs_exist_ok=True)
    for every in _IN_USE:
        every.copy(source, target)


def database_variables(variables: dict[str, str]) -> dict[str, str]:
    """The variables of a program of its own, so that it finds the same ladder."""
    folder = variables.get("PIGPEN_DATA_DIR")
    if not _IN_USE or folder is None or variables.get("PIGPEN_DATABASE_URL"):
        return variables
    url = _IN_USE[0].url(Path(folder)).render_as_string(hide_password=False)
    return {**variables, "PIGPEN_DATABASE_URL": url}

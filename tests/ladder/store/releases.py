"""
Databases of releases, kept as statements: `python -m tests.ladder.store.releases` writes those of this schema.

It is run in the commit of a release whose schema has none yet; `scripts/releasable` asks for them. Each later schema is
tested against all of them (`test_releases.py`).
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import NullPool, create_engine, make_url, text

from ladder.store.all_tables import make_ladder
from ladder.store.database import Database
from ladder.store.migrations import VERSIONS
from ladder.store.migrations.write import begin, restore_sqlite
from ladder.store.schema import REVISION
from tests.ladder import postgres
from tests.ladder.store.full_ladder import fill

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL

FOLDER = Path(__file__).parent / "released"
BACKENDS = ("sqlite", "postgresql")
OWN_COMMANDS = re.compile(r"(?m)^\\(un)?restrict .*\n")
"""Lines that only PostgreSQL's own program understands."""


class Dump(NamedTuple):
    """A dump by its name."""

    revision: str
    content: str
    """``empty``, or ``small``: rows in every table."""
    backend: str

    def file(self, folder: Path = FOLDER) -> Path:
        """Place of its file in a folder."""
        return folder / f"{self.revision}.{self.content}.{self.backend}.sql.gz"


def dumps(backend: str, folder: Path = FOLDER) -> Iterator[Dump]:
    """List the dumps of one kind of database."""
    for file in sorted(folder.glob(f"*.{backend}.sql.gz")):
        revision, content, _ = file.name.removesuffix(".sql.gz").split(".")
        yield Dump(revision, content, backend)


def write_dump(url: URL, file: Path) -> None:
    """Write the statements that make the database at *url*."""
    if url.get_backend_name() == "sqlite":
        with closing(sqlite3.connect(str(url.database))) as connection:
            statements = "\n".join(connection.iterdump())
    else:
        where = url.set(drivername="postgresql").render_as_string(hide_password=False)
        folder = postgres.programs()
        assert folder
        words = [str(folder / "pg_dump"), "--inserts", "--no-owner", "--no-privileges", f"--dbname={where}"]
        found = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        # Settings before the first statement differ from one PostgreSQL to the next, and are the usual ones.
        statements = OWN_COMMANDS.sub("", found[found.index("\nCREATE ") :])
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress(statements.encode(), mtime=0))


def restore(file: Path, url: URL) -> None:
    """Make what was dumped in the empty database at *url*."""
    if url.get_backend_name() == "sqlite":
        restore_sqlite(file, Path(str(url.database)))
        return
    engine = create_engine(url, poolclass=NullPool)
    connection = engine.raw_connection()
    connection.driver_connection.execute(gzip.decompress(file.read_bytes()).decode())  # type: ignore[union-attr]
    connection.commit()
    connection.close()


def main() -> None:
    """Write the dumps of this schema; with the first ones, the file at which migrations begin."""
    if not [*VERSIONS.glob("m*.py")]:
        begin()
    with postgres.running_server() as server, tempfile.TemporaryDirectory() as folder:
        for content in ("empty", "small"):
            for backend in BACKENDS:
                dump = Dump(REVISION, content, backend)
                url = f"sqlite:///{folder}/{content}.db" if backend == "sqlite" else _new_database(server, content)
                make_ladder(url)
                if content == "small":
                    database = Database(url)
                    fill(database)
                    database.close()
                write_dump(make_url(url), dump.file())
                print(f"Wrote {dump.file().name}.")


def _new_database(server: postgres.Server, name: str) -> str:
    engine = create_engine(server.url("postgres"), isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
    return server.url(name)


if __name__ == "__main__":
    main()

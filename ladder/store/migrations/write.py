"""
Write what a change of the models needs: `python -m ladder.store.migrations.write "What it is for"`.

Before the first release that is the new stamp alone, in `ladder/store/schema.py`. Since then it is a migration, too,
from the schema of the last release or migration. It is a draft to be read: Alembic cannot see renamed columns, nor
changed CHECK constraints.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from alembic import command

from ladder.store import schema
from ladder.store.all_tables import digest
from ladder.store.database import Database
from ladder.store.migrations import FOLDER, VERSIONS, config_for, upgrade
from ladder.store.schema import REVISION, REVISIONS

RELEASED = FOLDER.parents[2] / "tests" / "ladder" / "store" / "released"
"""Databases of releases: `tests.ladder.store.releases` writes them."""
FALSE_OF_SQLITE, FALSE = "sa.Boolean(), server_default=sa.text('0')", "sa.Boolean(), server_default=sa.false()"
"""Default that Alembic reads back from SQLite, which PostgreSQL does not take, and the one that is meant."""
FIRST = "The schema of the first release"


def main() -> None:
    """Write it."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        sys.exit(2)
    made = digest()
    if REVISION.endswith(made):
        print(f"The models are those of the schema {REVISION}; nothing was written.")
    elif releases := sorted(RELEASED.glob("*.empty.sqlite.sql.gz")):
        _write_migration(sys.argv[1], releases[-1], f"{int(REVISION[:4]) + 1:04}_{made}")
    else:
        stamp = f"{REVISION[:4]}_{made}"
        _write_revisions((stamp,))
        print(f"There is no release yet, and so no migration: the schema is {stamp} now.")


def begin() -> None:
    """Write the first file of `versions`, at which migrations begin: in the commit of the first release."""
    command.revision(config_for(), FIRST, rev_id=REVISION)
    _tidy(REVISION)


def restore_sqlite(dump: Path, file: Path) -> None:
    """Make a database of SQLite from the statements that were kept of one."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(gzip.decompress(dump.read_bytes()).decode())


def _write_migration(message: str, release: Path, revision: str) -> None:
    """Write what leads from the newest migration to the models."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ladder.db"
        restore_sqlite(release, file)
        upgrade(f"sqlite:///{file}")
        database = Database(f"sqlite:///{file}")
        with database.write() as session:
            command.revision(config_for(session.connection()), message, autogenerate=True, rev_id=revision)
        database.close()
    path = _tidy(revision)
    _write_revisions((*REVISIONS, revision))
    print(f"Wrote {path.name}, and its revision into ladder/store/schema.py. Read it: it is a draft.")


def _tidy(revision: str) -> Path:
    """Format a file of Alembic's as ours are."""
    (path,) = VERSIONS.glob(f"m{revision}_*.py")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = (line.replace(FALSE_OF_SQLITE, FALSE) for line in lines if "# ###" not in line)  # Alembic's own remarks
    path.write_text("".join(kept), encoding="utf-8")
    for tool in (["format"], ["check", "--fix"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *tool, "--quiet", path], check=True)
    return path


def _write_revisions(revisions: tuple[str, ...]) -> None:
    path = Path(str(schema.__file__))
    words = ", ".join(f'"{each}"' for each in revisions) + ("," if len(revisions) == 1 else "")
    source = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^REVISIONS = \([^)]*\)", f"REVISIONS = ({words})", source), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", path], check=True)


if __name__ == "__main__":
    main()

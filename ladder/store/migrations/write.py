"""
Write a migration from the models: `python -m ladder.store.migrations.write "What it is for"`.

Before the first release there is one migration, written anew: `python -m ladder.store.migrations.write --anew`.
What is written is a draft to be read: Alembic cannot see renamed columns, nor changed CHECK constraints.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from alembic import command
from alembic.script import ScriptDirectory

from ladder.store.database import Database
from ladder.store.migrations import FOLDER, config_for, upgrade

VERSIONS = FOLDER / "versions"
FIRST = "The tables"
FALSE_OF_SQLITE, FALSE = "sa.Boolean(), server_default=sa.text('0')", "sa.Boolean(), server_default=sa.false()"
"""Default that Alembic reads back from SQLite, which PostgreSQL does not take, and the one that is meant."""


def main() -> None:
    """Write it."""
    if sys.argv[1:] == ["--anew"]:
        for old in VERSIONS.glob("*.py"):
            old.unlink()
        write(FIRST)
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        write(sys.argv[1])
    else:
        print(__doc__)
        sys.exit(2)


def write(message: str) -> None:
    """Write what leads from the newest migration to the models."""
    scripts = ScriptDirectory.from_config(config_for())
    newest = scripts.get_current_head()
    revision = f"{int(newest or 0) + 1:04}"
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'ladder.db'}"
        upgrade(url, newest or "base")
        database = Database(url)
        with database.write() as session:
            config = config_for(session.connection())
            command.revision(config, message, autogenerate=True, rev_id=revision)
        database.close()
    (path,) = VERSIONS.glob(f"m{revision}_*.py")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = (line.replace(FALSE_OF_SQLITE, FALSE) for line in lines if "# ###" not in line)  # Alembic's own remarks
    path.write_text("".join(kept), encoding="utf-8")
    for tool in (["format"], ["check", "--fix"], ["format"]):
        subprocess.run([sys.executable, "-m", "ruff", *tool, "--quiet", path], check=True)
    print(f"Wrote {path.name}. Read it, and set REVISION in ladder/store/schema.py to {revision!r}.")


if __name__ == "__main__":
    main()

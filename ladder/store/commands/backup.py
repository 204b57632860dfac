"""A copy of a ladder's database, of one moment, while others read and write."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import LadderError, StoreError
from ladder.store.failures import place
from ladder.values.new_name import give_new_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import URL

PG_DUMP = "pg_dump"


def back_up(url: URL, target: Path) -> int:
    """
    Write a copy of the database at *url*; *target* is there whole, or not at all.

    Args:
        url: Of SQLite or PostgreSQL. Of the former the copy is a database like it; of the latter it is an archive for
            pg_restore.
        target: A file that is not there yet.

    Returns:
        Its bytes.

    Raises:
        LadderError: If *target* is there or cannot be written, or pg_dump is not installed.
        StoreError: If the copy fails.
    """
    if os.path.exists(target):
        raise LadderError(f"{str(target)!r} is there already; name another file.")
    with _whole(target) as draft:
        if url.get_backend_name() == "sqlite":
            _copy_sqlite(url, draft)
        else:
            _dump_postgresql(url, draft)
    return target.stat().st_size


@contextlib.contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Yield a file beside *target* that takes its name in the end, once it is on the disk."""
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
            draft = Path(folder) / target.name
            yield draft
            draft.chmod(0o600)  # it holds the seeds of matches to come
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            give_new_name(draft, target)
    except OSError as error:
        raise LadderError(f"{str(target)!r} cannot be written: {error.strerror}.") from None


def _copy_sqlite(url: URL, draft: Path) -> None:
    try:
        with contextlib.closing(sqlite3.connect(str(url.database))) as source:
            source.execute("VACUUM INTO ?", [str(draft)])  # reads one state, keeps no writer waiting, needs no log file
    except sqlite3.Error as error:
        raise StoreError(f"{place(url)} cannot be copied: {error}.") from None


def _dump_postgresql(url: URL, draft: Path) -> None:
    program = shutil.which(PG_DUMP)
    if program is None:
        raise LadderError(f"{PG_DUMP} is not installed; on Debian, as root: apt-get install postgresql-client")
    # The password goes by the environment: arguments of a command can be read by every user of the machine.
    password = {} if url.password is None else {"PGPASSWORD": str(url.password)}
    where = url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    words = [program, "--format=custom", "--no-password", f"--file={draft}", f"--dbname={where}"]
    done = subprocess.run(words, env=os.environ | password, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StoreError(f"{PG_DUMP} failed: {done.stderr.strip().partition(chr(10))[0]}")

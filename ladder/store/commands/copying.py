"""A whole ladder, copied from one database into another one that is empty."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, OperationalError

from ladder.errors import LadderError, StoreError
from ladder.store.all_tables import all_tables, make_schema
from ladder.store.bulk import Digest, last_ids, read_rows, set_last_ids, write_rows
from ladder.store.commands.computations import COMPUTATIONS
from ladder.store.commands.coordinators import SILENT_SECONDS, all_are_here, coordinators, database_time
from ladder.store.commands.people_tables import TABLES
from ladder.store.commands.queue import MATCHES
from ladder.store.commands.submission_queue import SUBMISSIONS
from ladder.store.database import WITHOUT_FOREIGN_KEYS, Database
from ladder.store.driver_failures import first_line, in_words, place
from ladder.store.schema import REVISION, is_empty
from ladder.values.reports import CopiedTable, DatabaseCopy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import URL, Connection, Table
    from sqlalchemy.orm import Session

    from ladder.store.bulk import Row


def copy_ladder(
    source: Database,
    url: URL,
    is_dead: Callable[[str, bool], bool],
    now: Callable[[Session], float],
    on_table: Callable[[], None] = lambda: None,
) -> DatabaseCopy:
    """
    Copy a ladder into the empty database at *url*: all of it, in one transaction, or nothing.

    Other processes cannot write to the ladder meanwhile. The copy is read again and compared before it is committed.

    Args:
        source: The ladder.
        url: Of SQLite, where there may be no file yet, or of PostgreSQL.
        is_dead: Tells whether a holder of leases has ended; its second argument is whether all who use the ladder run
            on this machine. What such a holder had leased is copied as it is; the next run puts it back into the queue.
        now: Unix time, by the clock of those who lease.
        on_table: Called after each table.

    Raises:
        LadderError: If there is something in the target, or matches of the ladder are being played.
        StoreError: If one of the databases fails.
    """
    if url == source.engine.url:
        raise LadderError(f"{place(url)} is the ladder that is to be copied; name another one.")
    with _new_database(url) as target, source.write() as reading, target.write() as writing:
        with in_words(source.engine.url):
            are_all_here = all_are_here(reading)
            check_not_running(reading, source.engine.url, lambda holder: is_dead(holder, are_all_here), now(reading))
            ladder, numbers = reading.connection(), last_ids(reading.connection())
        copy = writing.connection()
        if not is_empty(copy):
            raise LadderError(f"{place(url)} holds something already; nothing was copied. Name an empty database.")
        make_schema(copy)
        digest = Digest()
        tables = [_copy_table(ladder, copy, table, digest, on_table) for table in all_tables()]
        set_last_ids(copy, numbers)
        if last_ids(copy) != numbers:
            raise StoreError(f"{place(url)} does not number rows as it was asked to; nothing was copied.")
    return DatabaseCopy(
        source=source.engine.url.render_as_string(),
        target=url.render_as_string(),
        schema_revision=REVISION,
        tables=tuple(tables),
        digest=str(digest),
    )


def check_not_running(session: Session, url: URL, is_dead: Callable[[str], bool], now: float) -> None:
    """
    Refuse a ladder that has a running coordinator, or a lease whose holder may still run.

    Raises:
        LadderError: With the way out.
    """
    since = database_time(session) - SILENT_SECONDS
    if working := [each for each in coordinators(session) if each.seen > since and not is_dead(each.holder)]:
        machine = working[0].holder.partition(" ")[0]
        raise LadderError(
            f"{place(url)} is in use: a coordinator works there, on {machine}. Stop it (pigpen up, pigpen ladder run), "
            f"and try again; if it was killed with its machine, in {SILENT_SECONDS / 60:.0f} minutes."
        )
    matches, trials, tables, questions = (
        queue.busy_seconds(session, now, is_dead) for queue in (MATCHES, SUBMISSIONS, TABLES, COMPUTATIONS)
    )
    if leases := matches + trials + tables + questions:
        minutes = max(1, -int(-max(leases) // 60))
        raise LadderError(
            f"{place(url)} is in use: matches that are being played: {len(matches)}, bots that are being tried: "
            f"{len(trials)}, tables that are being played: {len(tables)}, questions that are being answered: "
            f"{len(questions)}. Stop what runs there (pigpen up, pigpen ladder run, pigpen ladder tables, pigpen "
            f"ladder compute, pigpen submit), and try again; if it has ended with its machine, its leases run out in "
            f"{minutes} min."
        )


def _copy_table(
    source: Connection, target: Connection, table: Table, digest: Digest, on_table: Callable[[], None]
) -> CopiedTable:
    of_source, of_target = Digest(), Digest()
    try:
        write_rows(target, table, of_source.of(_rows(source, table)))
    except OperationalError:
        raise
    except DBAPIError as error:
        where = place(target.engine.url)
        raise LadderError(
            f"{where} does not take a row of the table {table.name}: {first_line(error)}. Nothing was copied."
        ) from None
    for _ in of_target.of(read_rows(target, table)):
        pass
    if (of_source.rows, str(of_source)) != (of_target.rows, str(of_target)):
        raise StoreError(
            f"{place(target.engine.url)} does not give the rows of {table.name} back as they were written."
        )
    digest.take(f"{table.name} {of_source.rows} {of_source}")
    on_table()
    return CopiedTable(name=table.name, rows=of_source.rows)


def _rows(source: Connection, table: Table) -> Iterator[Row]:
    """Read the rows of the ladder. An error of its driver names this database, and not the other one."""
    with in_words(source.engine.url):
        yield from read_rows(source, table)


@contextmanager
def _new_database(url: URL) -> Iterator[Database]:
    """Yield the database that is to be filled; a file that was made for it goes if that fails."""
    file = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
    is_new = file is not None and _make(file)
    database = Database(url, WITHOUT_FOREIGN_KEYS)
    try:
        yield database
    except BaseException:
        database.close()
        if file is not None and is_new:
            for end in ("", "-wal", "-shm"):
                file.with_name(file.name + end).unlink(missing_ok=True)
        raise
    finally:
        database.close()


def _make(file: Path) -> bool:
    """Make a file that only this user may read; say whether there was none."""
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise LadderError(f"{str(file)!r} cannot be made: {error.strerror}.") from None
    return True

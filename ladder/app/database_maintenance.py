"""Maintenance of the database by the organiser: upgrade, check, backup, copy."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from ladder.app.webhooks import key_findings
from ladder.errors import UserError
from ladder.results.files import TableFiles
from ladder.runner.presence import has_surely_ended
from ladder.settings.settings import read_url
from ladder.store.commands.coordinators import lease_time
from ladder.store.commands.copying import copy_ladder
from ladder.store.commands.rerating import differences
from ladder.store.commands.upgrading import back_up, upgrade_ladder
from ladder.store.queries.checking import findings
from ladder.store.queries.people_tables import table_findings
from ladder.values.reports import Backup
from referee.records.file import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ladder.app.ladder import Ladder
    from ladder.settings.settings import Settings
    from ladder.values.reports import DatabaseCopy, Upgrade

OTHER_TABLES = "Nothing else was checked. Restore a backup, or take back what was changed in the database."


def upgrade(settings: Settings) -> Upgrade:
    """
    Bring the database to the schema that this program knows; make it if there is none.

    Raises:
        LadderError: If it is newer than this program, or cannot be used.
        StoreError: If the database does not answer, or is in use for too long.
    """
    return upgrade_ladder(settings, time.strftime("%Y%m%d-%H%M%S"))


def check_database(ladder: Ladder, records: bool = False) -> Iterator[str]:
    """
    Look whether the database agrees with itself and with the records on disk; give a sentence for each finding.

    If the tables are not those of the models, nothing else can be compared.

    Args:
        ladder: The ladder.
        records: Compute all ratings again from the records, too.
    """
    from ladder.store.commands.estimates import estimate_findings  # with numpy, which takes long to load
    from ladder.store.migrations import schema_findings  # with Alembic, likewise

    with ladder.database.read() as session:
        of_schema = [*schema_findings(session.connection())]
    yield from of_schema
    if of_schema:
        yield OTHER_TABLES
        return
    yield from findings(ladder.database, ladder.files)
    yield from table_findings(ladder.database, TableFiles(ladder.settings.data_dir))
    yield from key_findings(ladder)
    yield from estimate_findings(ladder.database)
    if records:
        with ladder.database.read() as session:
            yield from differences(session, lambda match, attempt: read_record(ladder.files.record(match, attempt)))


def backup(ladder: Ladder, file: Path) -> Backup:
    """
    Copy the database to a new file, as it is at one moment; the ladder may run meanwhile.

    Raises:
        LadderError: If the file cannot be written.
    """
    return Backup(file=file, size=back_up(ladder.database.engine.url, file))


def copy(ladder: Ladder, word: str, on_table: Callable[[], None] = lambda: None) -> DatabaseCopy:
    """
    Copy the ladder into another database, which is empty: all of it, or nothing.

    Args:
        ladder: The ladder.
        word: The URL of the other database, as in the setting `database_url`.
        on_table: Called after each table.

    Raises:
        LadderError: If the target is not empty, or matches of the ladder are being played.
        StoreError: If one of the databases fails.
        UserError: If that is no URL.
    """
    try:
        url = read_url(word)
    except ValueError as error:
        raise UserError(f"TO_URL cannot be used: {error}.") from None
    now = partial(lease_time, clock=ladder.clock)
    return copy_ladder(ladder.database, url, has_surely_ended, now, on_table)

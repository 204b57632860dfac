"""Running the process that plays the tables with people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.event_log import event_log
from ladder.people.playing.table_programs import TablePrograms
from ladder.people.playing.table_rows import TableRows
from ladder.people.playing.table_run import COMING_SECONDS, TableRun
from ladder.people.playing.tables_service import IDLE_SECONDS, RETRY_SECONDS, TablesService
from ladder.results.files import TableFiles

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.leases import Lease


async def play_tables(
    ladder: Ladder,
    *,
    log_to_stderr: bool = False,
    idle_seconds: float = IDLE_SECONDS,
    retry_seconds: float = RETRY_SECONDS,
    coming_seconds: float = COMING_SECONDS,
) -> None:
    """
    Play the tables of a ladder until cancelled; tables that are under way then are resumed by the next run.

    Args:
        ladder: The ladder.
        log_to_stderr: Write each event to stderr, too.
        idle_seconds: Seconds after which a table that all people have left ends.
        retry_seconds: How long a table waits after a failure of the platform.
        coming_seconds: Seconds that a table waits, when it begins or resumes, for people who are absent.

    Raises:
        SandboxError: If the log cannot be written.
    """
    settings, files = ladder.settings, TableFiles(ladder.settings.data_dir)
    programs = TablePrograms(settings, ladder.clock)
    rows = TableRows(ladder.database, ladder.clock, idle_seconds)

    def run(lease: Lease) -> TableRun:
        return TableRun(lease, rows, files, programs, settings.clock_setting, coming_seconds)

    with event_log(ladder, "tables", to_stderr=log_to_stderr):
        try:
            await TablesService(rows, files, run, settings.people_tables, idle_seconds, retry_seconds).run()
        finally:
            await programs.close()
            rows.close()

"""
The work of `pigpen ladder tables`: the tables that are ready, all of which are played at once.

`play_tables` runs the process that plays the tables with people.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.app.event_log import event_log
from ladder.people.playing.table_programs import TablePrograms
from ladder.people.playing.table_run import COMING_SECONDS, UNATTENDED, TableRows, TableRun
from ladder.people.tables.own_part import was_absent
from ladder.results.files import TableFiles
from ladder.runner.lease_loop import LeaseLoop
from ladder.runner.leased_rows import LONGEST_PAUSE, RowsWork
from ladder.store.leases import Lease
from ladder.values.people import GUEST_DAYS
from referee.records.file import read_record
from referee.records.lines import DealLine, MatchLine
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.app.ladder import Ladder
    from referee.records.lines import ResultLine

IDLE_SECONDS = 600.0
"""A table that is empty for this time ends, a guest's also while it waits for people."""
PAUSE_SECONDS = 60.0
"""Seconds that the bots of a table stay whose one person has left; then the table waits without them."""
TIDY_SECONDS = 3600.0
RETRY_SECONDS = 5.0
"""Seconds that a table waits after a failure of the platform."""


class PlayedTables(RowsWork[Lease, "ResultLine"]):
    """Plays all tables of a ladder, in one event loop."""

    name = "table"

    def __init__(
        self,
        rows: TableRows,
        files: TableFiles,
        make_run: Callable[[Lease], TableRun],
        max_tables: int,
        idle_seconds: float = IDLE_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        """
        Prepare.

        Args:
            rows: The database.
            files: Wakes it.
            make_run: Makes an attempt at a table.
            max_tables: Tables to play at once.
            idle_seconds: Seconds after which a table that all people have left ends, or one waits without its bots
                whose one person decides nothing.
            retry_seconds: How long a table waits after a failure of the platform.
            pause_seconds: Seconds after which a table whose one person has left does so.
        """
        super().__init__(rows, files, retry_seconds)
        self._rows = rows
        self._table_files = files
        self._make_run = make_run
        self._max_tables = max_tables
        self._idle_seconds = idle_seconds
        self._pause_seconds = pause_seconds
        self._runs: dict[int, _Presence] = {}
        self._tidy_at = 0.0

    async def take(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        """Lease the oldest tables that are ready."""
        room = self._max_tables - len(leases)
        return await self._rows.claim(room, [lease.id for lease in leases]) if room > 0 else []

    async def work(self, lease: Lease) -> ResultLine:
        """Play a table to its end."""
        run = self._make_run(lease)
        self._runs[lease.id] = _Presence(run)
        try:
            return await run.play()
        finally:
            del self._runs[lease.id]

    async def keep(self, lease: Lease, result: ResultLine) -> None:
        """Write down the places; the journal is not needed any more."""
        bots = result.results
        absent = await asyncio.to_thread(self._absent, lease.id)
        await self._rows.finish(lease, [bot.total for bot in bots], [bot.place for bot in bots], absent)
        with suppress(OSError):  # no attempt will read it any more
            self._table_files.journal(lease.id).unlink(missing_ok=True)

    async def check(self) -> None:
        """
        End the tables that several people have left, and let those of one person wait for it.

        Now and then old tables of guests are removed.
        """
        now = loop_time()
        for presence in list(self._runs.values()):
            run, idle = presence.run, presence.idle_for(now)
            if run.waits:
                if idle > self._pause_seconds or now - run.acted > self._idle_seconds:
                    await self._rows.pause(run.lease)
            elif idle > self._idle_seconds:
                await self._rows.end(run.lease, UNATTENDED)
        if now >= self._tidy_at:
            self._tidy_at = now + TIDY_SECONDS
            self._table_files.remove(await self._rows.remove_old(24 * 3600.0 * GUEST_DAYS))

    def _absent(self, table: int) -> set[int]:
        """Find the chairs of people for whom the policy has played a table."""
        first, *lines = read_record(self._table_files.record(table))
        deals = [line for line in lines if isinstance(line, DealLine)]
        people = first.people or () if isinstance(first, MatchLine) else ()
        return {each.bot for each in people if was_absent(deals, each.bot)}


class _Presence:
    """The presence of people at a table that is played."""

    def __init__(self, run: TableRun) -> None:
        self.run = run
        self._there = loop_time()

    def idle_for(self, now: float) -> float:
        """Give the seconds since the last person was there."""
        persons = self.run.persons.values()
        if not persons or not all(seat.presence.is_away for seat in persons):
            self._there = now
        return now - self._there


async def play_tables(
    ladder: Ladder,
    *,
    log_to_stderr: bool = False,
    idle_seconds: float = IDLE_SECONDS,
    retry_seconds: float = RETRY_SECONDS,
    coming_seconds: float = COMING_SECONDS,
    pause_seconds: float = PAUSE_SECONDS,
) -> None:
    """
    Play the tables of a ladder until cancelled; tables that are under way then are resumed by the next run.

    Args:
        ladder: The ladder.
        log_to_stderr: Write each event to stderr, too.
        idle_seconds: Seconds after which a table that all people have left ends.
        retry_seconds: How long a table waits after a failure of the platform.
        coming_seconds: Seconds that a table waits, when it begins or resumes, for people who are absent.
        pause_seconds: Seconds after which a table whose one person has left waits for it without its bots.

    Raises:
        SandboxError: If the log cannot be written.
    """
    settings, files = ladder.settings, TableFiles(ladder.settings.data_dir)
    programs = TablePrograms(settings, ladder.clock)
    rows = TableRows(ladder.database, ladder.clock, idle_seconds, settings.game_days)

    def run(lease: Lease) -> TableRun:
        return TableRun(lease, rows, files, programs, settings.clock_setting, coming_seconds)

    with event_log(ladder, "tables", to_stderr=log_to_stderr):
        try:
            work = PlayedTables(rows, files, run, settings.people_tables, idle_seconds, retry_seconds, pause_seconds)
            await LeaseLoop([work], LONGEST_PAUSE).run()
        finally:
            await programs.close()
            rows.close()

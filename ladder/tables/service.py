"""The loop of `pigpen ladder tables`: leases the tables that are ready, and plays them all at once."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from ladder.errors import LadderError, StoreError
from ladder.tables.table_run import TableRun
from ladder.values.people import TableStatus
from pigpen.rules.errors import PigpenError
from referee.seats.stall_tolerant_loop import loop_time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ladder.results.table_files import TableFiles
    from ladder.store.commands.tables import TableLease
    from ladder.tables.table_rows import TableRows

WAKE_SECONDS = 0.05
"""So often it is looked whether somebody has opened a table; that costs some microseconds."""
LOOK_SECONDS = 1.0
"""So often the database is asked, whether anybody has said something or not."""
RENEW_SECONDS = 15.0
IDLE_SECONDS = 600.0
"""A table that is empty for this time ends, a guest's also while it waits for people."""
UNSTARTED_SECONDS = 3600.0
"""One whose people have not come for so long ends."""
TIDY_SECONDS = 3600.0
KEPT_SECONDS = 30 * 24 * 3600.0
"""Tables of guests are removed so long after their end; those of accounts stay."""
RETRY_SECONDS = 5.0
"""After a failure of the platform a table waits so long."""
NOBODY = "Nobody was at the table for 10 minutes."
NOT_COME = "The people for whom it waited did not come within an hour."

log = structlog.get_logger()


class TablesService:
    """Plays all tables of a ladder, in one event loop."""

    def __init__(
        self,
        rows: TableRows,
        files: TableFiles,
        make_run: Callable[[TableLease], TableRun],
        most: int,
        idle_seconds: float = IDLE_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """
        Prepare.

        Args:
            rows: The database.
            files: Wakes it.
            make_run: Makes an attempt at a table.
            most: Tables to play at once.
            idle_seconds: After how long without anybody a table ends.
            retry_seconds: How long a table waits after a failure of the platform.
        """
        self._rows = rows
        self._files = files
        self._make_run = make_run
        self._most = most
        self._idle_seconds = idle_seconds
        self._retry_seconds = retry_seconds
        self._running: dict[int, _Running] = {}

    async def run(self) -> None:
        """Play until cancelled; then every table is given back, to be gone on with by the next run."""
        woken, look_at, renew_at, tidy_at = -1, 0.0, 0.0, 0.0
        try:
            while True:
                now = loop_time()
                if now >= renew_at:
                    renew_at = now + RENEW_SECONDS
                    await self._try(self._renew())
                if now >= tidy_at:
                    tidy_at = now + TIDY_SECONDS
                    await self._try(self._tidy())
                if now >= look_at or self._files.woken() != woken:
                    woken, look_at = self._files.woken(), now + LOOK_SECONDS
                    await self._try(self._look())
                await asyncio.sleep(WAKE_SECONDS)
        finally:
            await asyncio.shield(self._stop())

    async def _try(self, work: Awaitable[None]) -> None:
        """Do something; if the database does not answer, it will be tried again."""
        try:
            await work
        except (StoreError, LadderError) as error:
            log.warning("tables.store", reason=str(error))

    async def _look(self) -> None:
        """Begin what is ready, give up what has ended or is somebody else's by now, end what nobody is at."""
        found = await self._rows.open_tables()
        for table, running in self._running.items():
            if found.get(table) != (TableStatus.PLAYING, running.run.lease.attempt) and not running.is_ending:
                running.task.cancel()
        await self._end_idle()
        room = self._most - len(self._running)
        ready = [table for table, (status, _) in found.items() if status == TableStatus.READY]
        if room > 0 and any(table not in self._running for table in ready):
            for lease in await self._rows.claim(room, list(self._running)):
                self._begin(lease)

    async def _renew(self) -> None:
        await self._rows.renew()
        await self._rows.end_unstarted(UNSTARTED_SECONDS, NOT_COME)
        await self._rows.end_unattended(self._idle_seconds, NOBODY)

    async def _tidy(self) -> None:
        """Remove what guests played long ago."""
        self._files.remove(await self._rows.remove_old(KEPT_SECONDS))

    def _begin(self, lease: TableLease) -> None:
        run = self._make_run(lease)
        task = asyncio.ensure_future(self._play(run))
        self._running[lease.table] = _Running(run, task)
        task.add_done_callback(lambda _: self._ended(lease.table))

    def _ended(self, table: int) -> None:
        del self._running[table]
        self._files.wake()  # it may be ready again

    async def _play(self, run: TableRun) -> None:
        lease = run.lease
        log.info("table.begins", table=lease.table, attempt=lease.attempt)
        try:
            await run.play()
        except PigpenError as error:
            await self._failed(lease, str(error))
        except Exception as error:  # months without anybody looking: one table fails, the others go on
            log.exception("table.mistake", table=lease.table)
            await self._failed(lease, f"The platform has a mistake: {type(error).__name__}: {error}")
        else:
            log.info("table.over", table=lease.table, attempt=lease.attempt)

    async def _failed(self, lease: TableLease, reason: str) -> None:
        log.warning("table.failed", table=lease.table, attempt=lease.attempt, reason=reason)
        await asyncio.sleep(self._retry_seconds)
        await self._try(self._rows.give_back(lease, reason))

    async def _end_idle(self) -> None:
        for running in list(self._running.values()):
            if running.idle_for(loop_time()) > self._idle_seconds:
                running.is_ending = True
                await self._rows.end(running.run.lease, NOBODY)
                running.task.cancel()

    async def _stop(self) -> None:
        running = list(self._running.values())
        for each in running:
            each.task.cancel()
        await asyncio.gather(*(each.task for each in running), return_exceptions=True)
        for each in running:
            with suppress(StoreError):
                await self._rows.give_back(each.run.lease)


class _Running:
    """A table that is being played."""

    def __init__(self, run: TableRun, task: asyncio.Task[None]) -> None:
        self.run = run
        self.task = task
        self.is_ending = False
        self._there = loop_time()

    def idle_for(self, now: float) -> float:
        """For how many seconds nobody has been there."""
        persons = self.run.persons.values()
        if not persons or not all(seat.presence.is_away for seat in persons):
            self._there = now
        return now - self._there

"""What the process that plays tables reads and writes in the database: in a thread of its own, so that nobody waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.sandbox.host import owners
from ladder.store.commands import tables as commands
from ladder.store.database_thread import DatabaseThread
from ladder.store.queries import leased_tables as queries
from ladder.store.queries.tables import finished_before
from ladder.values.people import TableStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ladder.store.commands.tables import TableLease
    from ladder.store.database import Database, Session
    from ladder.store.queries.leased_tables import LeasedTable

LEASE_SECONDS = 60.0
"""A lease that is not renewed for so long has been lost."""


class TableRows(DatabaseThread):
    """The tables that one process has leased. Each method raises `StoreError` if the database does not answer."""

    def __init__(self, database: Database, clock: Callable[[], float], holder: str | None = None) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            clock: Gives Unix time.
            holder: Who leases them; None: this process.
        """
        super().__init__(database, "tables")
        self._clock = clock
        self._holder = holder or owners.this_process()

    async def open_tables(self) -> dict[int, tuple[str, int]]:
        """Status and attempt of all tables that have not ended."""
        return await self.read(queries.open_tables)

    async def claim(self, count: int, not_now: Collection[int]) -> list[TableLease]:
        """Lease so many tables at most that are ready, but none of *not_now*."""
        now = self._clock()
        return await self.write(
            lambda session: commands.claim_tables(session, self._holder, now, LEASE_SECONDS, count, not_now)
        )

    async def renew(self) -> None:
        """Renew all leases, and let tables go on whose process has ended."""
        now = self._clock()

        def renew(session: Session) -> None:
            commands.renew_tables(session, self._holder, now, LEASE_SECONDS)
            commands.requeue_tables(session, now, lambda holder: not owners.is_owner(holder) or owners.is_dead(holder))

        await self.write(renew)

    async def end_unstarted(self, seconds: float, reason: str) -> None:
        """End the tables that have waited for people longer than so many seconds."""
        now = self._clock()
        await self.write(lambda session: commands.end_unstarted(session, now - seconds, reason, now))

    async def end_unattended(self, seconds: float, reason: str) -> None:
        """End the guests' tables that wait for people and have been empty for that number of seconds."""
        now = self._clock()
        await self.write(lambda session: commands.end_unattended(session, now - seconds, reason, now))

    async def remove_old(self, seconds: float) -> list[int]:
        """Remove guests' tables that ended longer ago than so many seconds; gives their numbers."""
        before = self._clock() - seconds

        def remove(session: Session) -> list[int]:
            found = list(finished_before(session, before))
            if found:
                commands.remove_tables(session, found)
            return found

        return await self.write(remove)

    async def leased(self, lease: TableLease) -> LeasedTable:
        """What is needed to play."""
        return await self.read(lambda session: queries.leased_table(session, lease.table))

    async def note_seats(self, lease: TableLease, seats: Mapping[int, tuple[str, str]]) -> bool:
        """Say where people's seats listen; whether the lease still holds."""
        return await self.write(lambda session: commands.note_seats(session, lease, seats))

    async def note_taken_back(self, lease: TableLease) -> None:
        """A card was taken back."""
        await self.write(lambda session: commands.note_taken_back(session, lease))

    async def note_deal(self, lease: TableLease, totals: Sequence[int]) -> None:
        """A deal is over."""
        now = self._clock()
        await self.write(lambda session: commands.note_deal(session, lease, totals, now))

    async def finish(self, lease: TableLease, totals: Sequence[int], places: Sequence[int]) -> bool:
        """The table was played to its end; whether the lease still held."""
        now = self._clock()
        return await self.write(lambda session: commands.finish_table(session, lease, totals, places, now))

    async def end(self, lease: TableLease, reason: str) -> None:
        """End a table before that."""
        now = self._clock()

        def end(session: Session) -> None:
            row = commands.held_table(session, lease)
            if row is not None:
                commands.end_table(session, row, TableStatus.ENDED, reason, now)

        await self.write(end)

    async def give_back(self, lease: TableLease, reason: str = "") -> None:
        """Let a table go on later."""
        now = self._clock()
        await self.write(lambda session: commands.give_back_table(session, lease, now, reason))

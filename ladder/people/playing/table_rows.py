"""Database access of the process that plays tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.runner.lease_loop import LeasedRows
from ladder.store.commands import tables as commands
from ladder.store.queries.leased_tables import leased_table
from ladder.store.queries.tables import finished_before
from ladder.store.table_models import PeopleTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ladder.store.database import Database, Session
    from ladder.store.leases import Lease
    from ladder.store.queries.leased_tables import LeasedTable

UNSTARTED_SECONDS = 3600.0
"""Seconds after which a table ends whose people have not come."""
UNATTENDED = "No one was at the table for 10 minutes."
NOT_COME = "The people for whom it waited did not come within an hour."


class TableRows(LeasedRows[PeopleTable]):
    """The tables that one process has leased."""

    def __init__(
        self, database: Database, clock: Callable[[], float], idle_seconds: float, holder: str | None = None
    ) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            clock: Gives Unix time.
            idle_seconds: Seconds after which a guest's table ends that waits for people, and is empty.
            holder: Who leases them; None: this process.
        """
        super().__init__(database, commands.TABLES, clock, holder)
        self._idle_seconds = idle_seconds

    async def claim(self, count: int, not_now: Collection[int]) -> list[Lease]:
        """Lease at most *count* tables that are ready, but none of *not_now*."""
        now = self.clock()
        return await self.write(
            lambda session: commands.claim_tables(session, self.holder, now, self.seconds(session, now), count, not_now)
        )

    def maintain(self, session: Session, now: float) -> None:
        """End the tables that have waited for people too long."""
        commands.end_unstarted(session, now - UNSTARTED_SECONDS, NOT_COME, now)
        commands.end_unattended(session, now - self._idle_seconds, UNATTENDED, now)

    async def remove_old(self, seconds: float) -> list[int]:
        """Remove guests' tables that ended more than *seconds* ago; give their numbers."""
        before = self.clock() - seconds

        def remove(session: Session) -> list[int]:
            found = list(finished_before(session, before))
            if found:
                commands.remove_tables(session, found)
            return found

        return await self.write(remove)

    async def leased(self, lease: Lease) -> LeasedTable:
        """Read what is needed to play."""
        return await self.read(lambda session: leased_table(session, lease.id))

    async def note_seats(self, lease: Lease, seats: Mapping[int, tuple[str, str]]) -> bool:
        """Store the addresses of people's seats; say whether the lease still holds."""
        return await self.write(lambda session: commands.note_seats(session, lease, seats))

    async def note_taken_back(self, lease: Lease) -> None:
        """Note that a card was taken back."""
        await self.write(lambda session: commands.note_taken_back(session, lease))

    async def note_deal(self, lease: Lease, totals: Sequence[int]) -> None:
        """Note that a deal is over."""
        now = self.clock()
        await self.write(lambda session: commands.note_deal(session, lease, totals, now))

    async def finish(self, lease: Lease, totals: Sequence[int], places: Sequence[int]) -> bool:
        """Note that the table was played to its end; say whether the lease still held."""
        now = self.clock()
        return await self.write(lambda session: commands.finish_table(session, lease, totals, places, now))

    async def end(self, lease: Lease, reason: str) -> None:
        """End a table before that."""
        now = self.clock()

        def end(session: Session) -> None:
            row = self.queue.held(session, lease)
            if row is not None:
                commands.end_table(session, row, reason, now)

        await self.write(end)

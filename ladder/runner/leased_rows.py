"""A process's leases of one queue, read and written in a thread of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic

from ladder.runner.presence import has_surely_ended
from ladder.sandbox.host import owners
from ladder.store.commands.coordinators import all_are_here, lease_time
from ladder.store.database_thread import DatabaseThread
from ladder.store.leases import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ladder.store.database import Database, Session
    from ladder.store.leases import Lease, LeaseQueue

LEASE_SECONDS = 60.0
"""A lease that is not renewed for this time is lost."""


class LeasedRows(DatabaseThread, Generic[Row]):
    """The leases of one process in one queue. Each method raises `StoreError` if the database does not answer."""

    def __init__(
        self, database: Database, queue: LeaseQueue[Row], clock: Callable[[], float], holder: str | None = None
    ) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            queue: What is leased.
            clock: Gives Unix time.
            holder: Who leases; None: this process.
        """
        super().__init__(database, queue.row.__name__)
        self.queue = queue
        self.clock = clock
        self.holder = holder or owners.this_process()

    async def look(self, count: int) -> tuple[set[tuple[int, int]], list[int]]:
        """Read ids and attempts of what this process has leased, and the ids of *count* rows that are ready."""
        return await self.read(
            lambda session: (self.queue.attempts(session, self.holder), self.queue.next_ready(session, count))
        )

    async def renew(self, under_way: Collection[tuple[int, int]]) -> None:
        """
        Renew the leases of this process, put back what is lost, and `maintain` the queue.

        Args:
            under_way: Ids and attempts that the process works on; it has lost all others that it has leased.
        """
        now = self.clock()

        def renew(session: Session) -> None:
            shared_now, are_all_here = lease_time(session, self.clock), all_are_here(session)
            self.queue.requeue_unknown(session, now, self.holder, under_way)
            self.queue.renew(session, self.holder, shared_now + LEASE_SECONDS)
            self.queue.requeue_expired(session, shared_now)
            self.queue.requeue_dead(session, now, lambda holder: has_surely_ended(holder, are_all_here))
            self.maintain(session, now)

        await self.write(renew)

    def seconds(self, session: Session, now: float) -> float:
        """Give the seconds from *now*, by the clock of this process, to the end of a lease that begins now."""
        return lease_time(session, self.clock) + LEASE_SECONDS - now

    def maintain(self, session: Session, now: float) -> None:
        """End or remove rows that are too old, at a Unix time."""

    async def give_back(self, lease: Lease) -> None:
        """Let what is leased be leased again; the attempt is not counted."""
        now = self.clock()
        await self.write(lambda session: self.queue.give_back(session, lease, now))

    async def fail(self, lease: Lease, reason: str) -> None:
        """Let what is leased be leased again, unless the platform has failed in it too often."""
        now = self.clock()
        await self.write(lambda session: self.queue.fail(session, lease, now, reason))

"""What a process has leased of one queue, read and written in a thread of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic

from ladder.runner.presence import has_ended
from ladder.sandbox.host import owners
from ladder.store.database_thread import DatabaseThread
from ladder.store.leases import Row

if TYPE_CHECKING:
    from collections.abc import Callable

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

    async def renew(self) -> None:
        """Renew all leases, put back what others have lost, and `maintain` the queue."""
        now = self.clock()

        def renew(session: Session) -> None:
            self.queue.renew(session, self.holder, now + LEASE_SECONDS)
            self.queue.requeue_expired(session, now)
            self.queue.requeue_dead(session, now, has_ended)
            self.maintain(session, now)

        await self.write(renew)

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

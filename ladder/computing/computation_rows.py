"""What the process that computes reads and writes in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.sandbox.host import owners
from ladder.store.commands import computations as commands
from ladder.store.commands.computations import LEASES
from ladder.store.database_thread import DatabaseThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.store.commands.computations import ComputationLease
    from ladder.store.database import Database, Session
    from ladder.values.questions import Lane

LEASE_SECONDS = 60.0
"""A lease that is not renewed for this time is lost."""


class ComputationRows(DatabaseThread):
    """The questions that one process has leased. Each method raises `StoreError` if the database does not answer."""

    def __init__(self, database: Database, clock: Callable[[], float], holder: str | None = None) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            clock: Gives Unix time.
            holder: Who leases them; None: this process.
        """
        super().__init__(database, "computations")
        self._clock = clock
        self._holder = holder or owners.this_process()

    async def claim(self, lane: Lane) -> ComputationLease | None:
        """Lease the question whose turn it is, if there is one."""
        now = self._clock()
        return await self.write(lambda session: commands.claim(session, lane, self._holder, now, LEASE_SECONDS))

    async def renew(self) -> None:
        """Renew all leases, let questions be computed whose process has ended, and forget what is old."""
        now = self._clock()

        def renew(session: Session) -> None:
            LEASES.renew(session, self._holder, now + LEASE_SECONDS)
            commands.requeue(session, now, lambda holder: not owners.is_owner(holder) or owners.is_dead(holder))
            commands.tidy(session, now)

        await self.write(renew)

    async def note_progress(self, lease: ComputationLease, done: int, steps: int) -> None:
        """Write down how far an attempt has come."""
        await self.write(lambda session: commands.note_progress(session, lease, done, steps))

    async def finish(self, lease: ComputationLease, answer: str) -> bool:
        """Keep an answer; whether the lease still held."""
        now = self._clock()
        return await self.write(lambda session: commands.finish(session, lease, answer, now))

    async def refuse(self, lease: ComputationLease, reason: str) -> None:
        """Write down why there is no answer."""
        now = self._clock()
        await self.write(lambda session: commands.refuse(session, lease, reason, now))

    async def give_back(self, lease: ComputationLease, has_failed: bool = False) -> None:
        """Let a question be computed later."""
        now = self._clock()
        await self.write(lambda session: commands.give_back(session, lease, now, has_failed))

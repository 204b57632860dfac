"""What the process that computes reads and writes in the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.runner.leased_rows import LEASE_SECONDS, LeasedRows
from ladder.store.commands import computations as commands
from ladder.store.computing_models import Computation

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.store.commands.computations import ComputationLease
    from ladder.store.database import Database, Session
    from ladder.values.questions import Lane


class ComputationRows(LeasedRows[Computation]):
    """The questions that one process has leased."""

    def __init__(self, database: Database, clock: Callable[[], float], holder: str | None = None) -> None:
        """Prepare; see `LeasedRows`."""
        super().__init__(database, commands.COMPUTATIONS, clock, holder)

    async def claim(self, lane: Lane) -> ComputationLease | None:
        """Lease the next question, if there is one."""
        now = self.clock()
        return await self.write(lambda session: commands.claim(session, lane, self.holder, now, LEASE_SECONDS))

    def maintain(self, session: Session, now: float) -> None:
        """Forget what is old."""
        commands.tidy(session, now)

    async def note_progress(self, lease: ComputationLease, done: int, steps: int) -> None:
        """Write down how far an attempt has come."""
        await self.write(lambda session: commands.note_progress(session, lease, done, steps))

    async def finish(self, lease: ComputationLease, answer: str) -> bool:
        """Keep an answer; whether the lease still held."""
        now = self.clock()
        return await self.write(lambda session: commands.finish(session, lease, answer, now))

    async def refuse(self, lease: ComputationLease, reason: str) -> None:
        """Write down why there is no answer."""
        now = self.clock()
        await self.write(lambda session: commands.refuse(session, lease, reason, now))

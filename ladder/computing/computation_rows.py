"""Database access of the process that computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.runner.leased_rows import LeasedRows
from ladder.store.commands import computations as commands
from ladder.store.commands.puzzles import keep_puzzles
from ladder.store.computing_models import Computation
from ladder.values.puzzles import FoundPuzzles
from ladder.values.questions import PuzzlesQuestion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.store.commands.computations import ComputationLease
    from ladder.store.database import Database, Session
    from ladder.values.questions import Lane


class ComputationRows(LeasedRows[Computation]):
    """The questions that one process has leased."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        add_own: Callable[[Session, float], None] = lambda session, now: None,
        holder: str | None = None,
    ) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            clock: Gives Unix time.
            add_own: Puts what the ladder itself wants to have computed into the queue, in a transaction that writes.
            holder: Who leases; None: this process.
        """
        super().__init__(database, commands.COMPUTATIONS, clock, holder)
        self._add_own = add_own

    async def claim(self, lanes: Sequence[Lane]) -> list[ComputationLease]:
        """Lease the next question of each of these lanes, if there is one: all of them or none."""
        now = self.clock()

        def claim(session: Session) -> list[ComputationLease]:
            seconds = self.seconds(session, now)
            leases = [commands.claim(session, lane, self.holder, now, seconds) for lane in lanes]
            return [lease for lease in leases if lease is not None]

        return await self.write(claim)

    def maintain(self, session: Session, now: float) -> None:
        """Forget what is old, and see to the ladder's own questions."""
        commands.tidy(session, now)
        self._add_own(session, now)

    async def note_progress(self, lease: ComputationLease, done: int, steps: int) -> None:
        """Write down how far an attempt has come."""
        await self.write(lambda session: commands.note_progress(session, lease, done, steps))

    async def finish(self, lease: ComputationLease, answer: str) -> bool:
        """Keep an answer; whether the lease still held."""
        now = self.clock()

        def finish(session: Session) -> bool:
            is_held = commands.finish(session, lease, answer, now)
            if is_held and lease.question.get("kind") == "puzzles":
                asked = PuzzlesQuestion.model_validate(lease.question)
                keep_puzzles(session, asked.match, FoundPuzzles.model_validate_json(answer).puzzles, now)
            return is_held

        return await self.write(finish)

    async def refuse(self, lease: ComputationLease, reason: str) -> None:
        """Write down why there is no answer."""
        now = self.clock()
        await self.write(lambda session: commands.refuse(session, lease, reason, now))

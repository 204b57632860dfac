"""
The work of `pigpen ladder compute`: questions, leased in turn, each of which is computed.

`ComputationRows` is the database access of this process.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import orjson
import structlog

from ladder.errors import LadderError, StoreError, UserError
from ladder.runner.leased_rows import LeasedRows, RowsWork
from ladder.store.commands import computations as commands
from ladder.store.commands.computations import ComputationLease
from ladder.store.commands.puzzles import keep_puzzles
from ladder.store.computing_models import Computation
from ladder.values.questions import PuzzlesQuestion
from ladder.values.why import FoundPuzzles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.results.files import WakeFile
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


RETRY_SECONDS = 1.0
"""Seconds that a lane waits after a failure of the platform."""

log = structlog.get_logger()


class AnyComputer(Protocol):
    """Computes one thing at a time: a `Computer`, or what a test has in its place."""

    async def compute(self, question: str, advance: Callable[[int, int], None]) -> str:
        """Answer a question; see `Computer.compute`."""

    async def close(self) -> None:
        """End; see `Computer.close`."""


@dataclass(frozen=True)
class Refused:
    """The reason that a question has no answer."""

    reason: str
    """In a sentence."""


class Computations(RowsWork[ComputationLease, "str | Refused"]):
    """Has questions computed, one at a time in each lane."""

    name = "computation"

    def __init__(
        self,
        rows: ComputationRows,
        files: WakeFile,
        computers: Mapping[Lane, AnyComputer],
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """
        Prepare.

        Args:
            rows: The database.
            files: Wakes it, and shows that it lives.
            computers: What computes in each lane.
            retry_seconds: How long a lane waits after a failure of the platform.
        """
        super().__init__(rows, files, retry_seconds)
        self._rows = rows
        self._computers = computers

    async def take(self, leases: Sequence[ComputationLease]) -> Sequence[ComputationLease]:
        """Lease a question in each lane in which nothing is computed."""
        busy = {lease.lane for lease in leases}
        free = [lane for lane in self._computers if lane not in busy]
        return await self._rows.claim(free) if free else ()

    async def work(self, lease: ComputationLease) -> str | Refused:
        """Compute an answer, or find out that there is none."""
        computer, progress = self._computers[lease.lane], _Progress(self._rows, lease)
        try:
            return await computer.compute(orjson.dumps(lease.question).decode(), progress.advance)
        except asyncio.CancelledError:
            await computer.close()
            raise
        except UserError as error:
            return Refused(str(error))
        finally:
            await progress.stop()

    async def keep(self, lease: ComputationLease, result: str | Refused) -> None:
        """Keep an answer, or why there is none."""
        if isinstance(result, Refused):
            log.info("computation.refused", reason=result.reason, **self.about(lease))
            await self._rows.refuse(lease, result.reason)
        else:
            await self._rows.finish(lease, result)

    def about(self, lease: ComputationLease) -> dict[str, object]:
        """Say what kind of question it is, too."""
        return {**super().about(lease), "kind": lease.question["kind"]}


class _Progress:
    """Writes down how far an attempt has come: the newest figures, one transaction at a time."""

    def __init__(self, rows: ComputationRows, lease: ComputationLease) -> None:
        self._rows = rows
        self._lease = lease
        self._newest: tuple[int, int] | None = None
        self._writing: asyncio.Task[None] | None = None

    def advance(self, done: int, steps: int) -> None:
        """Take new figures."""
        self._newest = done, steps
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())

    async def stop(self) -> None:
        """Write no more."""
        self._newest = None
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def _write(self) -> None:
        while self._newest is not None:
            (done, steps), self._newest = self._newest, None
            with suppress(StoreError, LadderError):  # the next figures say as much
                await self._rows.note_progress(self._lease, done, steps)

"""The loop of `pigpen ladder compute`: leases questions in turn, and has each of them computed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import orjson
import structlog

from ladder.errors import LadderError, StoreError, UserError
from ladder.runner.lease_loop import LeaseLoop
from ladder.store.commands.computations import ComputationLease

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.computing.computation_rows import ComputationRows
    from ladder.results.files import WakeFile
    from ladder.values.questions import Lane

RETRY_SECONDS = 1.0
"""Seconds that a lane waits after a failure of the platform."""

log = structlog.get_logger()


class AnyComputer(Protocol):
    """Computes one thing at a time: a `Computer`, or what a test has in its place."""

    async def compute(self, question: str, advance: Callable[[int, int], None]) -> str:
        """Answer a question; see `Computer.compute`."""

    async def close(self) -> None:
        """End; see `Computer.close`."""


class ComputingService(LeaseLoop[ComputationLease]):
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

    async def claim(self) -> Sequence[ComputationLease]:
        """Lease a question in each lane in which nothing is computed."""
        busy = {attempt.lease.lane for attempt in self.running.values()}
        free = [lane for lane in self._computers if lane not in busy]
        return await self._rows.claim(free) if free else ()

    async def work(self, lease: ComputationLease) -> None:
        """Compute an answer, or find out that there is none."""
        computer, progress = self._computers[lease.lane], _Progress(self._rows, lease)
        try:
            answer = await computer.compute(orjson.dumps(lease.question).decode(), progress.advance)
        except asyncio.CancelledError:
            await computer.close()
            raise
        except UserError as error:
            log.info("computation.refused", reason=str(error), **self.about(lease))
            await self._rows.refuse(lease, str(error))
        else:
            await self._rows.finish(lease, answer)
        finally:
            await progress.stop()

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

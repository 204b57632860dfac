"""The loop of `pigpen ladder compute`: leases questions in turn, and has each of them computed."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import orjson
import structlog

from ladder.errors import LadderError, SandboxError, StoreError, UserError
from referee.seats.stall_tolerant_loop import loop_time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from ladder.computing.computation_rows import ComputationRows
    from ladder.results.wake_file import WakeFile
    from ladder.store.commands.computations import ComputationLease
    from ladder.values.questions import Lane

WAKE_SECONDS = 0.05
"""Seconds between two looks at whether a question has come; a look costs some microseconds."""
LOOK_SECONDS = 1.0
"""Seconds between two queries of the database, even if no question has come."""
RENEW_SECONDS = 10.0
RETRY_SECONDS = 1.0
"""Seconds that a lane waits after a failure of the platform."""

log = structlog.get_logger()


class AnyComputer(Protocol):
    """Computes one thing at a time: a `Computer`, or what a test has in its place."""

    async def compute(self, question: str, advance: Callable[[int, int], None]) -> str:
        """Answer a question; see `Computer.compute`."""

    async def close(self) -> None:
        """End; see `Computer.close`."""


class ComputingService:
    """Has questions computed, one at a time in each lane."""

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
        self._rows = rows
        self._files = files
        self._computers = computers
        self._retry_seconds = retry_seconds
        self._woken = {lane: asyncio.Event() for lane in computers}

    async def run(self) -> None:
        """Compute until cancelled; then what is under way is given back, to be computed by the next run."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep())
            group.create_task(self._watch())
            for lane in self._computers:
                group.create_task(self._serve(lane))

    async def _keep(self) -> None:
        """Renew leases, and give a sign of life as long as the database answers."""
        while True:
            if await self._try(self._rows.renew()):
                self._files.show_alive()
            await asyncio.sleep(RENEW_SECONDS)

    async def _watch(self) -> None:
        """Wake the lanes when a question has come."""
        woken = self._files.woken()
        while True:
            await asyncio.sleep(WAKE_SECONDS)
            if self._files.woken() != woken:
                woken = self._files.woken()
                for event in self._woken.values():
                    event.set()

    async def _serve(self, lane: Lane) -> None:
        """Compute what is asked in one lane."""
        while True:
            self._woken[lane].clear()
            lease = await self._claim(lane)
            if lease is not None:
                await self._compute(lane, lease)
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._woken[lane].wait()

    async def _claim(self, lane: Lane) -> ComputationLease | None:
        try:
            return await self._rows.claim(lane)
        except (StoreError, LadderError) as error:
            log.warning("computing.store", reason=str(error))
            return None

    async def _compute(self, lane: Lane, lease: ComputationLease) -> None:
        computer, began = self._computers[lane], loop_time()
        progress = _Progress(self._rows, lease)
        try:
            answer = await computer.compute(orjson.dumps(lease.question).decode(), progress.advance)
        except asyncio.CancelledError:
            await asyncio.shield(self._give_up(computer, lease))
            raise
        except UserError as error:
            log.info("computing.refused", kind=lease.question["kind"], computation=lease.id, reason=str(error))
            await self._try(self._rows.refuse(lease, str(error)))
        except SandboxError as error:
            await self._failed(lease, str(error))
        except Exception as error:  # it runs unattended for months: one question fails, the others are computed
            log.exception("computing.mistake", computation=lease.id)
            await self._failed(lease, f"{type(error).__name__}: {error}")
        else:
            await self._try(self._rows.finish(lease, answer))
            log.info("computing.done", kind=lease.question["kind"], computation=lease.id, seconds=loop_time() - began)
        finally:
            await progress.stop()

    async def _failed(self, lease: ComputationLease, reason: str) -> None:
        log.warning("computing.failed", computation=lease.id, attempt=lease.attempt, reason=reason)
        await self._try(self._rows.give_back(lease, has_failed=True))
        await asyncio.sleep(self._retry_seconds)

    async def _give_up(self, computer: AnyComputer, lease: ComputationLease) -> None:
        await computer.close()
        await self._try(self._rows.give_back(lease))

    async def _try(self, work: Awaitable[object]) -> bool:
        """Do something, and say whether that went well; if the database does not answer, leases run out."""
        try:
            await work
        except (StoreError, LadderError) as error:
            log.warning("computing.store", reason=str(error))
            return False
        return True


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

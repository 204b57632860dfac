"""The loop of a process that leases from a queue, works on several leases at once, and renews them until they end."""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import structlog

from ladder.errors import LadderError, StoreError
from ladder.store.leases import Lease
from pigpen.rules.errors import PigpenError
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from ladder.results.files import WakeFile
    from ladder.runner.leased_rows import LeasedRows

LOOK_SECONDS, IDLE_LOOK_SECONDS = 1.0, 5.0
"""Seconds between two queries of the database, even if the process was not woken; the second while it is idle."""
WAKE_SECONDS, IDLE_WAKE_SECONDS = 0.05, 0.2
"""Seconds between two looks at whether the process was woken, where the kernel does not notify."""
NOTIFIED_WAKE_SECONDS = 1.0
"""The same where it does: another machine may have woken the process, in a folder that they share."""
RENEW_SECONDS = 10.0

L = TypeVar("L", bound=Lease)

log = structlog.get_logger()


class LeaseLoop(ABC, Generic[L]):
    """Works on what a process leases, in one event loop. A subclass leases, and does the work of one lease."""

    name = ""
    """Name of a row of the queue, in the names of the log's events."""

    def __init__(self, rows: LeasedRows[Any], files: WakeFile, retry_seconds: float) -> None:
        """
        Prepare.

        Args:
            rows: The queue.
            files: Wakes the process, and shows that it lives.
            retry_seconds: Seconds that a lease is kept after a failure of the platform, before the next attempt.
        """
        self.running: dict[int, HeldLease[L]] = {}
        """The work under way, by its number in the queue."""
        self._queue = rows
        self._files = files
        self._retry_seconds = retry_seconds
        self._has_room = False
        self._news = asyncio.Event()
        """Set when there may be something to do before the next look."""

    @abstractmethod
    async def claim(self) -> Sequence[L]:
        """Lease what is ready, if there is room for it; nothing that is `running`."""

    @abstractmethod
    async def work(self, lease: L) -> None:
        """
        Do the work of a lease, and write down its result; cancelled if the lease is lost, or the process stops.

        Raises:
            PigpenError: If the platform failed.
        """

    async def check(self) -> None:
        """End what must not continue; called once a second while there is work under way, before anything is leased."""

    def about(self, lease: L) -> dict[str, object]:
        """Say in fields of the log which lease it is."""
        return {self.name: lease.id, "attempt": lease.attempt}

    async def run(self) -> None:
        """Work until cancelled; then what is under way is given back, to be leased by another process."""
        try:
            with self._files.watching(self._news.set) as is_notified:
                await self._work_on(is_notified)
        finally:
            await asyncio.shield(self._stop())

    async def try_to(self, work: Awaitable[object]) -> bool:
        """Do something, and say whether the database answered; if it does not, the loop tries again."""
        try:
            await work
        except (StoreError, LadderError) as error:
            log.warning(f"{self.name}.store", reason=str(error))
            return False
        return True

    async def _work_on(self, is_notified: bool) -> None:
        woken, looked, renew_at = -1, -math.inf, 0.0
        while True:
            self._news.clear()
            now = loop_time()
            if now >= renew_at:
                renew_at = now + RENEW_SECONDS
                if await self.try_to(self._queue.renew(self._under_way)):
                    self._files.show_alive()
            look_seconds = LOOK_SECONDS if self.running else IDLE_LOOK_SECONDS
            if now >= looked + look_seconds or self._has_room or self._files.woken() != woken:
                woken, looked = self._files.woken(), now
                self._has_room = False
                await self.try_to(self._look())
            with suppress(TimeoutError):
                async with asyncio.timeout(self._patience(is_notified)):
                    await self._news.wait()

    def _patience(self, is_notified: bool) -> float:
        """Give the seconds until it looks whether it was woken."""
        if is_notified:
            return NOTIFIED_WAKE_SECONDS
        return WAKE_SECONDS if self.running else IDLE_WAKE_SECONDS

    @property
    def _under_way(self) -> set[tuple[int, int]]:
        """Ids and attempts of the leases that are worked on."""
        return {(attempt.lease.id, attempt.lease.attempt) for attempt in self.running.values()}

    async def _look(self) -> None:
        """Give up what is leased to another process by now, or has ended; begin what is ready."""
        held, ready = await self._queue.look(len(self.running) + 1)
        for attempt in self.running.values():
            if (attempt.lease.id, attempt.lease.attempt) not in held:
                attempt.cancel()
        await self.check()
        if not self.running.keys() >= set(ready):
            for lease in await self.claim():
                self._begin(lease)

    def _begin(self, lease: L) -> None:
        held = self.running[lease.id] = HeldLease(lease, asyncio.ensure_future(self._attempt(lease)))
        held.task.add_done_callback(lambda _: self._ended(held))

    def _ended(self, held: HeldLease[L]) -> None:
        if self.running.get(held.lease.id) is held:  # else the row was leased again while this attempt cleared away
            del self.running[held.lease.id]
        self._has_room = True
        self._news.set()

    async def _attempt(self, lease: L) -> None:
        about = self.about(lease)
        log.info(f"{self.name}.begins", **about)
        try:
            await self.work(lease)
        except PigpenError as error:
            reason = str(error)
            log.warning(f"{self.name}.failed", reason=reason, **about)
        except Exception as error:  # it runs unattended for months: one lease fails, the others continue
            reason = f"The platform has a mistake: {type(error).__name__}: {error}"
            log.exception(f"{self.name}.mistake", **about)
        else:
            log.info(f"{self.name}.over", **about)
            return
        await asyncio.sleep(self._retry_seconds)
        await self.try_to(self._queue.fail(lease, reason))

    async def _stop(self) -> None:
        attempts = list(self.running.values())
        for attempt in attempts:
            attempt.cancel()
        await asyncio.gather(*(attempt.task for attempt in attempts), return_exceptions=True)
        for attempt in attempts:
            await self.try_to(self._queue.give_back(attempt.lease))


class HeldLease(Generic[L]):
    """A lease that is being worked on."""

    def __init__(self, lease: L, task: asyncio.Task[None]) -> None:
        self.lease = lease
        self.task = task
        self._is_cancelled = False

    def cancel(self) -> None:
        """End the work, once: what it then clears away is not disturbed."""
        if not self._is_cancelled:
            self._is_cancelled = True
            self.task.cancel()

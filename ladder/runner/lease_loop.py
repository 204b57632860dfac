"""
The leases of a process: taken from a queue, worked on several at once, and renewed until they end.

`LeaseLoop` is the loop. `LeasedRows` reads and writes the process's leases of one queue, in a thread of its own.

`CoordinatorPresence` is one coordinator among those of its ladder: it reports that it lives, and finds out which others
have ended. No other coordinator may end a lease of one that lives, whatever the clocks of the machines say. A
coordinator has ended if its process has, where that can be seen from here, or if it has long been silent while this one
has not.
"""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import structlog

from ladder.errors import LadderError, StoreError
from ladder.runner.presence import has_surely_ended
from ladder.sandbox.host import scratch
from ladder.store.commands.coordinators import (
    all_are_here,
    lease_time,
)
from ladder.store.database import DatabaseThread
from ladder.store.leases import Lease, Row
from pigpen.rules.errors import PigpenError
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence

    from ladder.results.files import WakeFile
    from ladder.store.database import Database, Session
    from ladder.store.leases import LeaseQueue


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
        self.holder = holder or scratch.this_process()

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

"""
Work whose leases are short and are renewed while it is done: tables, questions, messages.

`LeasedRows` reads and writes a process's leases of one queue, in a thread of its own; `RowsWork` is the work.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import structlog

from ladder.runner.lease_loop import Work
from ladder.runner.presence import has_surely_ended
from ladder.sandbox.host import scratch
from ladder.store.commands.coordinators import all_are_here, lease_time
from ladder.store.database import DatabaseThread
from ladder.store.leases import Lease, Row
from referee.seats.fair_wait import loop_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from ladder.results.files import WakeFile
    from ladder.runner.executor import AttemptFailure
    from ladder.store.database import Database, Session
    from ladder.store.leases import LeaseQueue

LEASE_SECONDS = 60.0
"""A lease that is not renewed for this time is lost."""
RENEW_SECONDS = 10.0
LONGEST_PAUSE = 5.0
"""The most seconds between two attempts to renew leases while the database fails."""
LOOK_SECONDS, IDLE_LOOK_SECONDS = 1.0, 5.0
"""Seconds between two queries of the database, even if the process was not woken; the second while it is idle."""
WAKE_SECONDS, IDLE_WAKE_SECONDS = 0.05, 0.2
"""Seconds between two looks at whether the process was woken, where the kernel does not notify."""
NOTIFIED_WAKE_SECONDS = 1.0
"""The same where it does: another machine may have woken the process, in a folder that they share."""

L = TypeVar("L", bound=Lease)
R = TypeVar("R")

log = structlog.get_logger()


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

    async def give_back(self, leases: Collection[Lease]) -> None:
        """Let what is leased be leased again; the attempts are not counted."""
        now = self.clock()

        def give_back(session: Session) -> None:
            for lease in leases:
                self.queue.give_back(session, lease, now)

        await self.write(give_back)

    async def fail(self, lease: Lease, reason: str) -> None:
        """Let what is leased be leased again, unless the platform has failed in it too often."""
        now = self.clock()
        await self.write(lambda session: self.queue.fail(session, lease, now, reason))


class RowsWork(Work[L, R]):
    """Work on rows: the process looks for it when it is woken, when there is room, and every few seconds."""

    def __init__(self, rows: LeasedRows[Any], files: WakeFile, retry_seconds: float) -> None:
        """
        Prepare.

        Args:
            rows: The queue.
            files: Wakes the process, and shows that it lives.
            retry_seconds: Seconds that a lease is kept after a failure of the platform, before the next attempt.
        """
        self.retry_seconds = retry_seconds
        self._queue = rows
        self._files = files
        self._is_notified = False
        self._renew_at = self._looked = -math.inf
        self._woken = -1
        self._known: set[tuple[int, int]] = set()
        """Ids and attempts of the leases at the last look, and of those that were taken then."""
        self._has_looked = self._are_ready = False

    @abstractmethod
    async def take(self, leases: Sequence[L]) -> Sequence[L]:
        """Lease what is ready, if there is room for it beside *leases*; none of their rows."""

    @abstractmethod
    async def keep(self, lease: L, result: R) -> None:
        """Write down a result, if the lease still holds."""

    async def check(self) -> None:
        """End what must not continue; called once a second while there is work under way, before anything is leased."""

    @contextmanager
    def watching(self, changed: Callable[[], object]) -> Iterator[None]:
        """Call a function when the process was woken."""
        with self._files.watching(changed) as self._is_notified:
            yield

    def patience(self, leases: Sequence[L]) -> float:
        """Give the seconds until it looks whether it was woken."""
        if self._is_notified:
            return NOTIFIED_WAKE_SECONDS
        return WAKE_SECONDS if leases else IDLE_WAKE_SECONDS

    async def renew(self, leases: Sequence[L]) -> None:
        """Renew the leases every few seconds, and show that the process lives."""
        if (now := loop_time()) >= self._renew_at:
            await self._queue.renew(_keys(leases))
            self._renew_at = now + RENEW_SECONDS
            self._files.show_alive()

    async def lost(self, leases: Sequence[L]) -> Collection[L]:
        """Look for what is lost, and for what is ready, if it is time to."""
        keys, now, woken = _keys(leases), loop_time(), self._files.woken()
        look_at = self._looked + (LOOK_SECONDS if leases else IDLE_LOOK_SECONDS)
        self._has_looked = now >= look_at or woken != self._woken or not self._known <= keys
        if not self._has_looked:
            return ()
        held, ready = await self._queue.look(len(leases) + 1)
        self._woken, self._looked, self._known = woken, now, keys
        self._are_ready = not {lease.id for lease in leases} >= set(ready)
        return [lease for lease in leases if (lease.id, lease.attempt) not in held]

    async def claim(self, leases: Sequence[L]) -> Sequence[L]:
        """Lease what the last look has found."""
        if not self._has_looked:
            return ()
        await self.check()
        taken = await self.take(leases) if self._are_ready else ()
        self._known |= _keys(taken)
        return taken

    async def record(self, lease: L, result: R) -> None:
        """Keep a result."""
        await self.keep(lease, result)
        log.info(f"{self.name}.over", **self.about(lease))

    async def fail(self, lease: L, failure: AttemptFailure) -> None:
        """Let another attempt begin, unless there were too many."""
        log.warning(f"{self.name}.failed", reason=failure.reason, **self.about(lease))
        await self._queue.fail(lease, failure.reason)

    async def give_back(self, leases: Collection[L]) -> None:
        """Let others lease what this process was working on."""
        await self._queue.give_back(leases)


def _keys(leases: Sequence[Lease]) -> set[tuple[int, int]]:
    return {(lease.id, lease.attempt) for lease in leases}

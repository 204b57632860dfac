"""The table of workers, as one coordinator writes and reads it every few seconds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ladder.store.commands.workers import set_wanted, write_workers
from ladder.store.queries.workers import worker_orders, workers
from ladder.values.cluster import WantedState, WorkerSeen
from ladder.values.task import storable

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.runner.fleet import Fleet
    from ladder.runner.fleet_worker import FleetWorker
    from ladder.store.database import Database
    from ladder.values.cluster import WorkerOrder, WorkerRow

MAX_REASON = 1000
"""Characters of a reason that are stored: if one is not fit to be, no worker of all is written."""


class FleetTable:
    """Writes down what a fleet sees, in one transaction for all workers, and reads what organisers want."""

    def __init__(self, database: Database, coordinator: str, now: Callable[[], float]) -> None:
        """
        Prepare.

        Args:
            database: The ladder.
            coordinator: Who writes (`owners.this_process`).
            now: The clock: Unix time.
        """
        self._database = database
        self._coordinator = coordinator
        self._now = now
        self._has_read = False
        self._written: set[str] = set()
        """Names of workers that this coordinator has written down."""

    async def exchange(self, fleet: Fleet) -> None:
        """
        Write and read once; for the thread of the fleet.

        Raises:
            StoreError: If the database does not answer; nothing is lost by that.
        """
        if not self._has_read:
            fleet.recall(await asyncio.to_thread(self._read))
            self._has_read = True
        seen = [self._seen(worker) for worker in fleet.workers.values()]
        drains = dict(fleet.drains)
        wanted = await asyncio.to_thread(self._write, seen, drains)
        self._written.update(each.facts.name for each in seen)
        for name in drains:
            if fleet.drains.get(name) == drains[name]:
                del fleet.drains[name]
        for name, order in wanted.items():
            is_drained = order.wanted is WantedState.DRAINED
            fleet.order(name, (order.reason or "An organiser has drained it.") if is_drained else None)

    def _read(self) -> list[WorkerRow]:
        with self._database.read() as session:
            return workers(session, self._now())

    def _write(self, seen: list[WorkerSeen], drains: dict[str, str]) -> dict[str, WorkerOrder]:
        if not seen:
            with self._database.read() as session:
                return worker_orders(session)
        with self._database.write() as session:
            first = {each.facts.name for each in seen} - self._written
            write_workers(session, seen, self._now(), first=first)
            for name, reason in drains.items():
                set_wanted(session, name, WantedState.DRAINED, storable(reason, MAX_REASON))
            return worker_orders(session)

    def _seen(self, worker: FleetWorker) -> WorkerSeen:
        return WorkerSeen(
            facts=worker.facts,
            coordinator=self._coordinator,
            address=worker.address,
            state=worker.state,
            reason=storable(worker.reason, MAX_REASON),
            busy=len(worker.calls),
            tasks=worker.tasks,
            voids=worker.voids,
            lies=worker.lies,
            speed=worker.speed,
            last_match=worker.last_match,
            clock_skew=worker.clock_skew,
            joined=worker.joined,
            seen=worker.seen,
        )

"""
The fleet of a cluster: its workers, the worker that gets each task, and the side that is at fault for a failure.

`Fleet` never waits, and does not use the network: a `ClusterExecutor` reports events to it, and follows its decisions.
`FleetTable` is the table of workers in the database, as one coordinator writes and reads it every few seconds.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from ladder.pairing.suspension import Reporter
from ladder.runner.executor import Judgement
from ladder.runner.fleet_roster import MAX_LIES, FleetRoster
from ladder.store.commands.coordinators import set_wanted, write_workers
from ladder.store.commands.queue import MachineLoad
from ladder.store.queries.workers import worker_orders, workers
from ladder.values.cluster import WantedState, WorkerSeen
from ladder.values.value import storable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from ladder.runner.fleet_admission import Demands
    from ladder.runner.fleet_roster import FleetWorker
    from ladder.store.database import Database
    from ladder.values.cluster import WorkerOrder, WorkerRow

CALIBRATION_SECONDS = 6 * 3600.0
"""Seconds between two calibration matches of a worker; it plays the first one when it joins."""

log = structlog.get_logger()


@dataclass(frozen=True)
class WorkerCheck:
    """A look at one worker, whether it can play."""

    worker: FleetWorker
    connection: str
    """The connection at which it is looked at: what is found there says nothing about a later connection."""
    is_probe: bool
    """It is only asked; else it plays a calibration match."""


@dataclass(frozen=True)
class _Placed:
    """A task that some worker has, or had."""

    worker: FleetWorker
    match: int | None


class Fleet(FleetRoster):
    """All workers that one coordinator knows, and what they have to do. Only for one thread."""

    def __init__(
        self,
        demands: Demands,
        now: Callable[[], float],
        tick: Callable[[], float],
        calibrate_every: float = CALIBRATION_SECONDS,
    ) -> None:
        """
        Begin without workers.

        Args:
            demands: What the ladder asks of each of them.
            now: The clock: Unix time.
            tick: A clock that never goes back; seconds.
            calibrate_every: Seconds between two calibration matches of one worker.
        """
        super().__init__(demands, now)
        self.slots = 0
        """Tasks that they have, and may have, all together."""
        self._tick = tick
        self._calibrate_every = calibrate_every
        self._free: dict[str, FleetWorker] = {}
        """By name: those with a slot for a task."""
        self._placed: dict[str, _Placed] = {}
        """By key of a task: where it is, or was, until its outcome is judged."""

    def machines(self, coming: Iterable[tuple[str, int]] = ()) -> list[MachineLoad]:
        """
        Give what each machine has room for: all workers there together.

        Args:
            coming: Machine and number of each match that has no worker yet.
        """
        free: Counter[str] = Counter()
        matches: dict[str, set[int]] = defaultdict(set)
        for worker in self._connected.values():
            free[worker.machine] += worker.free
        for key, placed in self._placed.items():
            if placed.match is not None and key in placed.worker.calls:
                matches[placed.worker.machine].add(placed.match)
        for machine, match in coming:
            free[machine] -= 1
            matches[machine].add(match)
        return [MachineLoad(name, max(0, left), matches[name]) for name, left in free.items()]

    def place(
        self,
        key: str,
        bots: Collection[str],
        match: int | None = None,
        machine: str = "",
        avoided: Collection[str] = (),
    ) -> FleetWorker | None:
        """
        Choose a worker for a task, and count the task there; None if no slot is free.

        Args:
            key: Names the task.
            bots: Identities of the bots that play in it: all of them on that machine.
            match: Its number, if it is a match.
            machine: Only there; empty: anywhere.
            avoided: Names of workers that get it only if no other has a slot.
        """
        free = [each for each in self._free.values() if not machine or each.machine == machine]
        if not free:
            return None
        worker = min(free, key=lambda each: (each.name in avoided, each.rank(bots)))
        worker.has.remember(bots)
        worker.calls.add(key)
        self._placed[key] = _Placed(worker, match)
        self._changed(worker)
        return worker

    def end(self, key: str, *, is_judged: bool) -> None:
        """Free the slot of a task; *is_judged*: `judge` will not be called for it any more."""
        if (placed := self._placed.get(key)) is not None:
            placed.worker.calls.discard(key)
            self._changed(placed.worker)
        if is_judged:
            self._placed.pop(key, None)

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> None:
        """
        Take the judgement of an answer; the first one for a task counts.

        Args:
            key: Names the task.
            judgement: Whether it could be used.
            reason: Why not, in a sentence.
        """
        if (placed := self._placed.pop(key, None)) is None:
            return
        worker = placed.worker
        worker.calls.discard(key)
        if judgement is Judgement.COUNTED:
            worker.tasks += 1
            worker.failures = 0
            worker.last_match = worker.last_match if placed.match is None else placed.match
        elif judgement is Judgement.VOID:
            worker.voids += 1
            log.warning("worker.fails", worker_name=worker.name, task=key, reason=reason)
            worker.fail(reason, self._tick())
        elif judgement is Judgement.INVALID:
            self.lie(worker, reason)
        self._changed(worker)

    def reporter(self, key: str) -> Reporter | None:
        """Give the worker that has, or had, a task, until it is judged; None: no worker. For any thread."""
        placed = self._placed.get(key)
        return None if placed is None else Reporter(placed.worker.name, is_alone=self.connected == 1)

    def lie(self, worker: FleetWorker, reason: str) -> None:
        """Count an answer that cannot be true; the third one drains the worker."""
        worker.lies += 1
        log.error("worker.lied", worker_name=worker.name, reason=reason, lies=worker.lies)
        if worker.lies >= MAX_LIES and worker.drained is None:
            self.drain(worker, f"It has given {worker.lies} answers that cannot be true. The last one: {reason}")

    def checks(self) -> list[WorkerCheck]:
        """Choose whom to check now; `checked` ends each check."""
        tick = self._tick()
        found = []
        for worker in self._connected.values():
            if worker.must_probe(tick) or worker.must_calibrate(tick):
                found.append(WorkerCheck(worker, worker.connection, is_probe=bool(worker.failure)))
                worker.is_checked = True
                self._changed(worker)
        return found

    def checked(self, check: WorkerCheck, failure: str, speed: float | None = None) -> None:
        """
        Hear how a check has ended.

        Args:
            check: Which one.
            failure: Why the worker cannot play, in a sentence; empty: it can.
            speed: Decisions of its calibration match in a second of CPU time, if that is what it was.
        """
        worker = check.worker
        worker.is_checked = False
        if worker.connection == check.connection:
            self._take_check(worker, failure, speed)
        self._changed(worker)

    def _take_check(self, worker: FleetWorker, failure: str, speed: float | None) -> None:
        if failure:
            log.warning("worker.fails", worker_name=worker.name, reason=failure)
            worker.fail(failure, self._tick())
            return
        worker.failure = ""
        if speed is not None:
            worker.speed, worker.is_calibrated = speed, True
            worker.calibrate_at = self._tick() + self._calibrate_every
        log.info("worker.works", worker_name=worker.name, speed=None if speed is None else round(speed))

    def _changed(self, worker: FleetWorker) -> None:
        self.slots += worker.slots - worker.counted
        worker.counted = worker.slots
        if worker.free:
            self._free[worker.name] = worker
        else:
            self._free.pop(worker.name, None)


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

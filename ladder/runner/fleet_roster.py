"""
The roster of a fleet: its workers on other machines, as their coordinator knows them.

A `FleetWorker` holds the facts, the bots and the failures of one worker. Pure functions decide on its admission to the
ladder. The `FleetRoster` records which workers have joined, were refused, have gone, or are drained.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import structlog

from ladder.runner.fleet_admission import Demands, capacity, lack, objection, runtime_of, why_shares_kernel
from ladder.runner.run_log import LONGEST_PAUSE
from ladder.values.cluster import WorkerState
from ladder.worker.worker_pool import KnownBots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ladder.values.cluster import WorkerFacts, WorkerReport, WorkerRow

MAX_LIES = 3
"""Answers that cannot be true after which a worker is drained."""
MAX_KNOWN = 1000
"""Versions of bots that are remembered for each worker: about as many as its disk keeps."""


@dataclass
class FleetWorker:
    """One worker; it is changed by its `Fleet` alone."""

    facts: WorkerFacts
    joined: float
    """Unix time; so is `seen`."""
    seen: float
    connection: str = ""
    """Names its connection (`WorkerReport`); empty: it is not connected."""
    address: str = ""
    """The connection that it has, or had last."""
    gone: str = ""
    """The reason that it is not connected, in a sentence."""
    objection: str = ""
    """The reason that it was turned away, in a sentence; empty: it was not."""
    lack: str = ""
    """The requirement of this ladder's matches that it lacks, in a sentence; that may change while it is connected."""
    drained: str | None = None
    """The reason that it is to play no more, in a sentence; None: it may play."""
    failure: str = ""
    """The reason that it gets nothing until it has been probed, in a sentence; empty: it gets tasks."""
    failures: int = 0
    """Attempts and probes in a row in which its platform has failed."""
    probe_at: float = 0.0
    """The time of its next probe if it fails, by the fleet's clock."""
    calibrate_at: float = 0.0
    """The time of its next calibration, by the fleet's clock."""
    is_checked: bool = False
    """True while it is probed or calibrated."""
    is_calibrated: bool = False
    """True if it has been calibrated since it was started."""
    calls: set[str] = field(default_factory=set)
    """Keys of the tasks that it has."""
    capacity: int = 0
    """Tasks that it may have at once."""
    tasks: int = 0
    voids: int = 0
    lies: int = 0
    speed: float | None = None
    last_match: int | None = None
    clock_skew: float = 0.0
    counted: int = 0
    """Its `slots` as the fleet has added them up."""
    has: KnownBots = field(default_factory=partial(KnownBots, MAX_KNOWN))
    """The bots that are there already."""

    @property
    def name(self) -> str:
        """Unique in the cluster."""
        return self.facts.name

    @property
    def machine(self) -> str:
        """Names the machine, and its start: workers there share a kernel. As `owners.this_process` has it."""
        return (self.facts.process.split(" ")[1:2] or [self.name])[0]

    @property
    def state(self) -> WorkerState:
        """The state in which it is."""
        if not self.connection:
            return WorkerState.TURNED_AWAY if self.objection else WorkerState.GONE
        if self.drained is not None or self.facts.leaving:
            return WorkerState.DRAINING if self.calls else WorkerState.DRAINED
        if self.lack or self.failure:
            return WorkerState.FAILING
        return WorkerState.ACTIVE if self.is_calibrated else WorkerState.CALIBRATING

    @property
    def reason(self) -> str:
        """The reason for that state, in a sentence; empty: nothing is wrong."""
        if not self.connection:
            return self.objection or self.gone
        if self.drained is not None:
            return self.drained
        return "It was told to end." if self.facts.leaving else self.lack or self.failure

    @property
    def free(self) -> int:
        """Number of tasks that it may have now besides its own."""
        busy = len(self.calls) + self.is_checked
        return max(0, self.capacity - busy) if self.state is WorkerState.ACTIVE else 0

    @property
    def slots(self) -> int:
        """Number of tasks that it has, and may have."""
        return self.free + len(self.calls)

    def rank(self, bots: Iterable[str]) -> tuple[int, int, float, str]:
        """Give a rank; the lowest is best for a task of these bots: few failures, many bots it has, many free slots."""
        return self.failures, -self.has.count(bots), len(self.calls) / self.capacity, self.name

    def must_probe(self, tick: float) -> bool:
        """Tell whether it fails, and is due to be asked whether it still does."""
        return self.state is WorkerState.FAILING and not (self.lack or self.is_checked) and tick >= self.probe_at

    def must_calibrate(self, tick: float) -> bool:
        """Tell whether a calibration match is due, and it has a slot for it."""
        may = self.state is WorkerState.CALIBRATING or self.free > 0
        return may and not self.is_checked and tick >= self.calibrate_at

    def start_again(self) -> None:
        """Forget the state of the earlier program of this name."""
        self.failure, self.failures, self.is_calibrated, self.calibrate_at = "", 0, False, 0.0

    def fail(self, reason: str, tick: float) -> None:
        """Give it nothing until it has been probed: at once after the first failure, then after growing pauses."""
        self.failures += 1
        self.failure = reason
        self.probe_at = tick + pause_after(self.failures)


def pause_after(failures: int) -> float:
    """Give the seconds until a worker with that number of failures in a row is probed: 0, 1, 2, 4, …"""
    return 0.0 if failures <= 1 else min(LONGEST_PAUSE, 2.0 ** min(failures - 2, 10))


MAX_NAMED = 5
"""Workers that a sentence names."""

log = structlog.get_logger()


class FleetRoster(ABC):
    """All workers that one coordinator knows, by name."""

    def __init__(self, demands: Demands, now: Callable[[], float]) -> None:
        self.drains: dict[str, str] = {}
        """Workers that the fleet has drained itself, with the reasons; kept until they are stored."""
        self._demands = demands
        self._now = now
        self._workers: dict[str, FleetWorker] = {}
        self._connected: dict[str, FleetWorker] = {}
        """By connection."""
        self._orders: dict[str, str] = {}
        """By name: who is to be drained, and why; also of workers that have not come yet."""
        self._earlier: dict[str, WorkerRow] = {}
        """By name: what an earlier run has written down of workers that have not come yet."""

    @property
    def workers(self) -> Mapping[str, FleetWorker]:
        """All that have ever come, by name."""
        return self._workers

    @property
    def connected(self) -> int:
        """Number of workers that are connected."""
        return len(self._connected)

    @property
    def why_none(self) -> str:
        """The reason that no worker plays, in a sentence."""
        if not self._connected:
            return "No worker is connected."
        troubles = [f"{worker.name}: {worker.reason or worker.state}" for worker in self._connected.values()]
        more = f" and {len(troubles) - MAX_NAMED} more" if len(troubles) > MAX_NAMED else ""
        return f"No worker can play. {' '.join(troubles[:MAX_NAMED])}{more}"

    def recall(self, rows: Iterable[WorkerRow]) -> None:
        """Take what an earlier run has written down, for when these workers come."""
        self._earlier.update({row.name: row for row in rows})

    def take_report(self, report: WorkerReport) -> str:
        """
        Take what is new of a worker.

        Returns:
            Why it is to be turned away, in a sentence; empty: it is welcome, or has gone.
        """
        if report.event == "left" or report.facts is None:
            self._leave(report.worker, report.reason)
            return ""
        if (worker := self._connected.get(report.worker)) is not None and worker.name == report.facts.name:
            self._note(worker, report.facts)
            return ""
        return self._join(report.worker, report.facts)

    def lose_all(self, reason: str) -> None:
        """Mark all connections as lost."""
        for connection in list(self._connected):
            self._leave(connection, reason)

    def drain(self, worker: FleetWorker, reason: str) -> None:
        """Give a worker no more tasks, for a reason that the organiser must see to."""
        log.error("worker.drained", worker_name=worker.name, reason=reason)
        self.drains[worker.name] = worker.drained = reason
        self._changed(worker)

    def order(self, name: str, drained: str | None) -> None:
        """Take an organiser's order about a worker: the reason why it is drained; None: it may play."""
        if name in self.drains:
            return
        if drained is None:
            self._orders.pop(name, None)
        else:
            self._orders[name] = drained
        worker = self._workers.get(name)
        if worker is None or worker.drained == drained:
            return
        if drained is None:
            worker.lies, worker.is_calibrated, worker.calibrate_at = 0, False, 0.0
        log.info("worker.resumed" if drained is None else "worker.drained", worker_name=name, reason=drained or "")
        worker.drained = drained
        self._changed(worker)

    def _join(self, connection: str, facts: WorkerFacts) -> str:
        if why := objection(facts, self._demands):
            return self._turn_away(facts, why)
        worker = self._workers.get(facts.name)
        if worker is not None and worker.connection:
            if worker.facts.process != facts.process:
                return self._refuse(facts, f"A worker with the name {facts.name} is connected already: give this one "
                                    "another name (--name).")  # fmt: skip
            self._leave(worker.connection, "It has connected again.")
        if worker is None:
            worker = self._new(facts)
        elif worker.facts.process != facts.process:
            worker.start_again()
        worker.connection = worker.address = connection
        worker.gone = worker.objection = ""
        worker.joined = self._now()
        self._connected[connection] = worker
        runtime = runtime_of(facts, self._demands)
        log.info("worker.joined", worker_name=worker.name, address=connection, slots=facts.slots, runtime=runtime)
        if why := why_shares_kernel(facts, self._demands.runtime):
            log.warning("worker.shares_kernel", worker_name=worker.name, runtime=runtime, reason=why)
        self._note(worker, facts)
        return ""

    def _new(self, facts: WorkerFacts) -> FleetWorker:
        """Make one that this run has not seen before; an earlier run may have."""
        worker = self._workers[facts.name] = FleetWorker(facts, self._now(), self._now())
        worker.drained = self._orders.get(facts.name)
        if (row := self._earlier.pop(facts.name, None)) is not None:
            worker.tasks, worker.voids, worker.lies = row.tasks, row.voids, row.lies
            worker.speed, worker.last_match = row.speed, row.last_match
        return worker

    def _turn_away(self, facts: WorkerFacts, why: str) -> str:
        worker = self._workers.get(facts.name)
        if worker is None:
            worker = self._new(facts)
        if not worker.connection:
            worker.facts, worker.objection, worker.seen = facts, why, self._now()
        return self._refuse(facts, why)

    def _refuse(self, facts: WorkerFacts, why: str) -> str:
        log.warning("worker.turned_away", worker_name=facts.name, reason=why)
        return why

    def _note(self, worker: FleetWorker, facts: WorkerFacts) -> None:
        worker.facts, worker.seen = facts, self._now()
        worker.clock_skew = facts.clock - worker.seen
        worker.capacity = capacity(facts, self._demands)
        if (missing := lack(facts, self._demands)) != worker.lack:
            worker.lack = missing
            if missing:
                log.warning("worker.fails", worker_name=worker.name, reason=missing)
        self._changed(worker)

    def _leave(self, connection: str, reason: str) -> None:
        if (worker := self._connected.pop(connection, None)) is None:
            return
        worker.connection, worker.gone, worker.seen = "", reason, self._now()
        log.warning("worker.gone", worker_name=worker.name, reason=reason, playing=len(worker.calls))
        self._changed(worker)

    @abstractmethod
    def _changed(self, worker: FleetWorker) -> None:
        """Do what follows from a change of a worker."""

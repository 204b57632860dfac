"""
The workers of a cluster: who is let in, who gets which task, and whose fault it is when something fails.

Nothing here waits, or speaks with anybody: a `ClusterExecutor` tells a fleet what happens, and does as it says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from ladder.runner.executor import Judgement
from ladder.runner.fleet_admission import capacity, lack, objection
from ladder.runner.fleet_worker import MOST_LIES, FleetWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from ladder.runner.fleet_admission import Demands
    from ladder.values.cluster import WorkerFacts, WorkerNews, WorkerRow

CALIBRATION_SECONDS = 6 * 3600.0
"""A worker plays a calibration match when it comes, and then after each so many seconds."""
MOST_TOLD = 5
"""So many workers are named in a sentence."""

log = structlog.get_logger()


@dataclass(frozen=True)
class WorkerCheck:
    """A look at one worker, whether it can play."""

    worker: FleetWorker
    connection: str
    """Where it is looked at: what is found there says nothing about a later connection."""
    is_probe: bool
    """It is only asked; else it plays a calibration match."""


@dataclass(frozen=True)
class _Placed:
    """A task that some worker has, or had."""

    worker: FleetWorker
    match: int | None


class Fleet:
    """All workers that one coordinator knows, by name. Only for one thread."""

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
        self.slots = 0
        """Tasks that they have, and may have, all together."""
        self.drains: dict[str, str] = {}
        """By name: workers that the fleet has drained itself, and why; until somebody has written that down."""
        self._demands = demands
        self._now = now
        self._tick = tick
        self._calibrate_every = calibrate_every
        self._workers: dict[str, FleetWorker] = {}
        self._connected: dict[str, FleetWorker] = {}
        """By connection."""
        self._free: dict[str, FleetWorker] = {}
        """By name: those with a slot for a task."""
        self._wishes: dict[str, str] = {}
        """By name: who is to be drained, and why; also of workers that have not come yet."""
        self._earlier: dict[str, WorkerRow] = {}
        """By name: what an earlier run has written down of workers that have not come yet."""
        self._placed: dict[str, _Placed] = {}
        """By key of a task: where it is, or was, until its outcome is judged."""

    @property
    def connected(self) -> int:
        """How many workers are connected."""
        return len(self._connected)

    @property
    def why_none(self) -> str:
        """Why no worker plays, in a sentence."""
        if not self._connected:
            return "No worker is connected."
        troubles = [f"{worker.name}: {worker.reason or worker.state}" for worker in self._connected.values()]
        more = f" and {len(troubles) - MOST_TOLD} more" if len(troubles) > MOST_TOLD else ""
        return f"No worker can play. {' '.join(troubles[:MOST_TOLD])}{more}"

    def recall(self, rows: Iterable[WorkerRow]) -> None:
        """Take what an earlier run has written down, for when these workers come."""
        self._earlier.update({row.name: row for row in rows})

    @property
    def workers(self) -> Mapping[str, FleetWorker]:
        """All that have ever come, by name."""
        return self._workers

    def hear(self, news: WorkerNews) -> str:
        """
        Take what is new of a worker.

        Returns:
            Why it is to be turned away, in a sentence; empty: it is welcome, or has gone.
        """
        if news.event == "left" or news.facts is None:
            self._leave(news.worker, news.reason)
            return ""
        if (worker := self._connected.get(news.worker)) is not None and worker.name == news.facts.name:
            self._note(worker, news.facts)
            return ""
        return self._join(news.worker, news.facts)

    def lose_all(self, reason: str) -> None:
        """Take every connection for lost."""
        for connection in list(self._connected):
            self._leave(connection, reason)

    def place(self, key: str, bots: Collection[str], match: int | None = None) -> FleetWorker | None:
        """
        Choose a worker for a task, and count the task there; None if no slot is free.

        Args:
            key: Names the task.
            bots: Identities of the bots that play in it: all of them on that machine.
            match: Its number, if it is a match.
        """
        if not self._free:
            return None
        worker = min(self._free.values(), key=lambda each: each.rank(bots))
        worker.remember(bots)
        worker.calls.add(key)
        self._placed[key] = _Placed(worker, match)
        self._changed(worker)
        return worker

    def end(self, key: str, *, is_judged: bool) -> None:
        """Free the slot of a task; *is_judged*: nobody will say what its answer was good for."""
        if (placed := self._placed.get(key)) is not None:
            placed.worker.calls.discard(key)
            self._changed(placed.worker)
        if is_judged:
            self._placed.pop(key, None)

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> None:
        """
        Hear what an answer was good for; nothing happens if that is known already.

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
        elif judgement is Judgement.LIE:
            self.lie(worker, reason)
        self._changed(worker)

    def lie(self, worker: FleetWorker, reason: str) -> None:
        """Count an answer that cannot be true; the third one drains the worker."""
        worker.lies += 1
        log.error("worker.lied", worker_name=worker.name, reason=reason, lies=worker.lies)
        if worker.lies >= MOST_LIES and worker.drained is None:
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

    def drain(self, worker: FleetWorker, reason: str) -> None:
        """Give a worker no more tasks, for a reason that the organiser must see to."""
        log.error("worker.drained", worker_name=worker.name, reason=reason)
        self.drains[worker.name] = worker.drained = reason
        self._changed(worker)

    def wish(self, name: str, drained: str | None) -> None:
        """Hear what is wanted of a worker: why it is to play no more, in a sentence; None: it may play."""
        if name in self.drains:
            return
        if drained is None:
            self._wishes.pop(name, None)
        else:
            self._wishes[name] = drained
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
        log.info("worker.joined", worker_name=worker.name, address=connection, slots=facts.slots)
        self._note(worker, facts)
        return ""

    def _new(self, facts: WorkerFacts) -> FleetWorker:
        """One that this run has not seen before; an earlier run may have."""
        worker = self._workers[facts.name] = FleetWorker(facts, self._now(), self._now())
        worker.drained = self._wishes.get(facts.name)
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

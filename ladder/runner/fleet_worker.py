"""One worker on another machine, as its coordinator knows it: its facts, its bots, its failures."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ladder.runner.outage import LONGEST_PAUSE
from ladder.values.cluster import WorkerState
from ladder.worker.known_bots import KnownBots

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.values.cluster import WorkerFacts

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

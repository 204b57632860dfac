"""Faults of a cluster, and their ends."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.chaos.cluster import PATIENCE
from tests.e2e.chaos.program import ENDLESS, GRACE, LIES, MATCH_SECONDS, TTL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from tests.e2e.chaos.cluster import ChaosCluster, RemoteWorker
    from tests.ladder.postgres import Server

SHORT, LONG = TTL / 4, TTL * 2
"""Seconds for which something is away: not yet noticed, and noticed."""
LIARS = (*LIES, ENDLESS)
"""Workers that lie until they are found out; each is a program that takes seconds to start."""
OVER_A_LEASE = MATCH_SECONDS + GRACE + 3


@dataclass
class Running:
    """A fault that lasts."""

    kind: str
    victim: str
    """The target of the fault: nothing else is done to that meanwhile."""
    is_over: Callable[[], bool]
    end: Callable[[], None]


class Faults:
    """Does what can happen to a cluster, one thing after the other, and some at the same time."""

    def __init__(self, cluster: ChaosCluster, rng: Random, server: Server | None = None) -> None:
        self.done: Counter[str] = Counter()
        """Number of faults, by kind."""
        self.running: list[Running] = []
        self._cluster = cluster
        self._rng = rng
        self._server = server
        self._worker_faults: dict[str, Callable[[RemoteWorker], Running | None]] = {
            "worker: program killed": partial(self._kill, whole=False),
            "worker: machine off": partial(self._kill, whole=True),
            "worker: its process that plays killed": self._kill_child,
            "worker: stopped, not noticed": partial(self._stop, seconds=SHORT),
            "worker: stopped, noticed": partial(self._stop, seconds=LONG),
            "worker: wire held, not noticed": partial(self._hold, seconds=SHORT),
            "worker: wire held, noticed": partial(self._hold, seconds=LONG),
            "worker: wire held for longer than a lease": partial(self._hold, seconds=OVER_A_LEASE),
            "worker: wire cut": self._cut,
            "worker: disk full": self._fill_disk,
        }
        self._here: dict[str, Callable[[], Running | None]] = {
            "scheduler: killed": self._kill_scheduler,
            "scheduler: stopped": self._stop_scheduler,
            "coordinator: killed": self._kill_coordinator,
            "coordinator: stopped": partial(self._stop_coordinator, seconds=LONG),
            "coordinator: stopped for longer than a lease": partial(self._stop_coordinator, seconds=OVER_A_LEASE),
        }
        if server is not None:
            self._here |= {"database: killed": self._kill_database, "database: stopped": self._stop_database}

    @property
    def kinds(self) -> list[str]:
        """All that can happen."""
        return [*self._worker_faults, *self._here]

    def begin(self, kind: str) -> bool:
        """Let something happen; False: just now it cannot."""
        busy = {each.victim for each in self.running}
        if kind in self._here:
            if kind.partition(":")[0] in busy:
                return False
            started = self._here[kind]()
        else:
            names = [name for name in self._cluster.workers if name not in busy]
            if kind == "worker: disk full":
                names = [name for name in names if "SMALL_DISK" in self._cluster.workers[name].variables]
            if not names:
                return False
            started = self._worker_faults[kind](self._cluster.workers[self._rng.choice(names)])
        if started is None:
            return False
        started.kind = kind
        self.done[kind] += 1
        self.running.append(started)
        return True

    def look(self) -> None:
        """End what is over."""
        for each in list(self.running):
            if each.is_over():
                each.end()
                self.running.remove(each)

    def _for(self, victim: str, seconds: float, end: Callable[[], None]) -> Running:
        until = time.monotonic() + seconds
        return Running("", victim, lambda: time.monotonic() > until, end)

    def _kill(self, worker: RemoteWorker, *, whole: bool) -> Running:
        worker.send(signal.SIGKILL, whole=whole)
        return self._for(worker.name, SHORT, partial(self._cluster.start_again, worker.name))

    def _kill_child(self, worker: RemoteWorker) -> Running | None:
        inner = [pid for pid in worker.everything()[1:] if b"ladder.worker.process" in _words(pid)]
        if not inner:
            return None
        with suppress(ProcessLookupError):
            os.kill(self._rng.choice(inner), signal.SIGKILL)
        return self._for(worker.name, 0, lambda: None)

    def _stop(self, worker: RemoteWorker, seconds: float) -> Running:
        whole = self._rng.random() < 0.5
        worker.send(signal.SIGSTOP, whole=whole)
        return self._for(worker.name, seconds, lambda: worker.send(signal.SIGCONT, whole=True))

    def _hold(self, worker: RemoteWorker, seconds: float) -> Running:
        worker.relay.hold()
        return self._for(worker.name, seconds, worker.relay.mend)

    def _cut(self, worker: RemoteWorker) -> Running:
        worker.relay.cut()
        return self._for(worker.name, self._rng.uniform(SHORT, LONG), worker.relay.mend)

    def _fill_disk(self, worker: RemoteWorker) -> Running | None:
        folder = Path(f"/proc/{worker.process.pid}/root{worker.folder}")
        if not (folder / "tmp").is_dir():  # it has only just been started
            return None
        with suppress(OSError):
            for number in range(1000):
                (folder / f"fill-{number}").touch()
        with suppress(OSError):
            (folder / "fill-0").write_bytes(bytes(4 << 20))
        return self._for(worker.name, LONG, partial(self._empty, folder))

    def _empty(self, folder: Path) -> None:
        with suppress(OSError):
            for path in folder.glob("fill-*"):
                path.unlink()

    def _kill_scheduler(self) -> Running | None:
        return self._signal_scheduler(signal.SIGKILL, 0)

    def _stop_scheduler(self) -> Running | None:
        return self._signal_scheduler(signal.SIGSTOP, self._rng.choice([SHORT, LONG]))

    def _signal_scheduler(self, number: int, seconds: float) -> Running | None:
        if (pid := self._cluster.scheduler()) is None:
            return None
        os.kill(pid, number)
        return self._for("scheduler", seconds, partial(_resume, pid))

    def _kill_coordinator(self) -> Running | None:
        if self._cluster.coordinator is None or self._is_busy("scheduler"):
            return None
        self._cluster.coordinator.kill()
        self._cluster.coordinator.wait()
        return self._for("coordinator", 0, self._cluster.start_coordinator)

    def _stop_coordinator(self, seconds: float) -> Running | None:
        if self._cluster.coordinator is None or self._is_busy("scheduler"):
            return None
        pid = self._cluster.coordinator.pid
        os.kill(pid, signal.SIGSTOP)
        return self._for("coordinator", seconds, partial(_resume, pid))

    def _kill_database(self) -> Running:
        assert self._server is not None
        self._server.kill()
        return self._for("database", self._rng.uniform(0, LONG), self._server.start)

    def _stop_database(self) -> Running:
        assert self._server is not None
        stopped = self._server.processes
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        return self._for("database", self._rng.uniform(SHORT, LONG), partial(_resume, *stopped))

    def bring_strangers(self, liars: Sequence[str] = LIARS) -> None:
        """Let one of another version come, which is turned away, and liars: they are named, and drained."""
        old = self._cluster.start_worker("guest-old", "old")
        started = {kind: self._cluster.start_worker(f"guest-{number}", kind) for number, kind in enumerate(liars)}
        for kind, worker in started.items():
            self._cluster.until(partial(self._is_drained, worker.name), f"the end of a liar ({kind})")
            self.done[f"lies: {kind}"] += self._cluster.count("worker.lied", worker_name=worker.name)
            worker.send(signal.SIGKILL, whole=True)
            self._dismiss(worker)
        assert old.process.wait(PATIENCE) == 2, self._cluster.log_of(old.name)
        self.done["worker of another version"] += 1
        self._dismiss(old)

    def _is_drained(self, name: str) -> bool:
        return self._cluster.count("worker.drained", worker_name=name) > 0

    def _dismiss(self, worker: RemoteWorker) -> None:
        worker.process.wait()
        worker.relay.close()
        del self._cluster.workers[worker.name]

    def _is_busy(self, victim: str) -> bool:
        return any(each.victim == victim for each in self.running)


def _resume(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return b""

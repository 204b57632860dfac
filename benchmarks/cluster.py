"""
A cluster of simulated workers: the real coordinator, scheduler process and store, and workers whose matches sleep.

Each simulated worker has the real worker's connection, many of them in one process; a match that has slept is played by
bots that answer at once, so that its record is true, and is verified and recorded as any. CPU times are those of whole
processes, of a window in which all slots are in use.

`python -m benchmarks.cluster --bots 1000 --workers 1000 --store postgresql` measures one cluster; the words may have
several values.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from benchmarks.generated_ladder import VARIANT, generate
from benchmarks.part_runner import machine
from benchmarks.programs import dying_with_us, free_port
from benchmarks.report import counted, show
from ladder.cluster.certificates import make_authority, make_worker
from ladder.settings.settings import load_settings
from ladder.store.commands.opening import open_ladder
from ladder.store.models import StoredMatch, Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PIGPEN = (sys.executable, "-m", "ladder.cli.entry")
PROCESSES = 2
"""Among which the simulated workers are divided."""
BEFORE = 30
"""Matches that each bot has had, on average: the scheduler no longer prefers newcomers."""
PATIENCE = 300.0
"""Seconds after which a cluster that does not play has failed."""
MEMORY_FOLDER = Path("/dev/shm")
"""Dask makes a folder for each worker; a thousand of them are not to wait for one disk."""


@dataclass(frozen=True)
class ClusterSize:
    """Size and load of the measured cluster."""

    bots: int = 100
    workers: int = 100
    store: str = "sqlite"
    seconds: float = 20.0
    """Seconds that a match takes."""
    window: float = 30.0
    """Seconds in which it is measured."""
    boards: int = 1
    slots: int = 1
    """Of each worker."""


@dataclass(frozen=True)
class ClusterCost:
    """Measured costs of a cluster."""

    rate: float
    """Matches a second."""
    coordinator: float
    """Milliseconds of CPU time for each match; so is `scheduler`."""
    scheduler: float
    busy: tuple[float, float]
    """The share of one core that both of them had."""
    latency: tuple[float, float]
    """Milliseconds from a lease to the beginning at the worker: the median, and the 99th of a hundred."""
    memory: tuple[float, float]
    """MiB of the coordinator, and of the scheduler process."""
    empty: float
    """The share of the slots' time in which they were empty."""
    joined: float
    """Seconds until all workers were let in and calibrated."""


@dataclass(frozen=True)
class Used:
    """Resources that a process has used."""

    cpu: float
    """Seconds."""
    memory: float
    """MiB."""

    @classmethod
    def by(cls, pid: int) -> Used:
        """Read it."""
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
        memory = next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))
        return cls((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), memory)


class SimulatedCluster:
    """A ladder that is played by simulated workers."""

    def __init__(self, size: ClusterSize, folder: Path, url: str, stack: ExitStack) -> None:
        self._size = size
        self._folder = folder
        self._stack = stack
        self._port = free_port()
        data = folder / "data"
        data.mkdir()
        make_ladder(data, size.bots, url)
        make_authority(data / "cluster")
        make_worker(data / "cluster", "worker", folder / "worker.pem")
        self._settings = load_settings(data_dir=data, database_url=url)
        self._environment = os.environ | {
            "PIGPEN_DATA_DIR": str(data), "PIGPEN_DATABASE_URL": url, "PIGPEN_BOARDS": str(size.boards),
            "PIGPEN_RUNTIME": "runsc", "PIGPEN_CLUSTER_LISTEN": f"tls://127.0.0.1:{self._port}", "PIGPEN_LIVE": "off",
        }  # fmt: skip
        self._log = folder / "coordinator.log"
        self._read = 0
        self._counts: dict[str, int] = {}

    def run(self) -> ClusterCost:
        """Start everything, wait until all slots are in use, and measure."""
        began = time.monotonic()
        coordinator = self._start([*PIGPEN, "ladder", "run", "--cluster", "--log-to-stderr"], self._log)
        self._until("cluster.waiting", 1, coordinator)
        self._start_workers()
        self._until("worker.works", self._size.workers, coordinator)
        joined = time.monotonic() - began
        self._until("match.started", self._size.workers * self._size.slots, coordinator)
        time.sleep(self._size.seconds)  # those that have begun together do not end together
        both = coordinator.pid, _scheduler_of(coordinator.pid)
        before, first, used = time.time(), self._count("match.finished"), [Used.by(pid) for pid in both]
        time.sleep(self._size.window)
        after, last, now = time.time(), self._count("match.finished"), [Used.by(pid) for pid in both]
        took, matches = after - before, max(1, last - first)
        cpu = [later.cpu - earlier.cpu for earlier, later in zip(used, now, strict=True)]
        if refused := self._count("worker.lied"):
            raise RuntimeError(f"{counted(refused, 'record')} of the simulated workers refused\n{self._tail()}")
        return ClusterCost(
            rate=matches / took,
            coordinator=1000 * cpu[0] / matches,
            scheduler=1000 * cpu[1] / matches,
            busy=(cpu[0] / took, cpu[1] / took),
            latency=self._latency(before, after),
            memory=(now[0].memory, now[1].memory),
            empty=self._empty(before, after),
            joined=joined,
        )

    def _start(self, words: Sequence[str | Path], log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as err:
            command = dying_with_us(*words)
            started = subprocess.Popen(command, env=self._environment, stdout=subprocess.DEVNULL, stderr=err)
        self._stack.callback(_end, started)
        return started

    def _start_workers(self) -> None:
        processes = min(PROCESSES, self._size.workers)
        shares = [self._size.workers * number // processes for number in range(processes + 1)]
        if MEMORY_FOLDER.is_dir():
            self._environment |= {"TMPDIR": str(MEMORY_FOLDER)}
        for number, (first, end) in enumerate(itertools.pairwise(shares)):
            words = (f"tls://127.0.0.1:{self._port}", self._folder / "worker.pem", first, end - first,
                     self._size.slots, self._size.seconds, self._folder / f"events-{number}")  # fmt: skip
            program = [sys.executable, "-m", "benchmarks.simulated_workers", *map(str, words)]
            self._start(program, self._folder / f"workers-{number}.log")

    def _count(self, event: str) -> int:
        """Count how often something has been logged."""
        with self._log.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            with suppress(ValueError):
                name = json.loads(line)["event"]
                self._counts[name] = self._counts.get(name, 0) + 1
        return self._counts.get(event, 0)

    def _until(self, event: str, times: int, coordinator: subprocess.Popen[bytes]) -> None:
        end = time.monotonic() + PATIENCE
        while self._count(event) < times:
            if coordinator.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{event}: {self._count(event)} times, and not {times}\n{self._tail()}")
            time.sleep(0.1)

    def _tail(self) -> str:
        return self._log.read_text()[-2000:]

    def _events(self) -> Iterator[tuple[str, tuple[int, int], float]]:
        for file in self._folder.glob("events-*"):
            for line in file.read_text().splitlines():
                what, match, attempt, when = line.split()
                yield what, (int(match), int(attempt)), float(when)

    def _latency(self, before: float, after: float) -> tuple[float, float]:
        database = open_ladder(self._settings)
        with database.read() as session:
            wanted = select(StoredMatch.id, StoredMatch.attempt, StoredMatch.started)
            rows = session.execute(wanted.where(StoredMatch.started > before - 1)).all()
        database.close()
        leased = {(match, attempt): started for match, attempt, started in rows if started is not None}
        waits = [
            1000 * (when - leased[key])
            for what, key, when in self._events()
            if what == "begin" and key in leased and before <= when <= after
        ]
        return statistics.median(waits), statistics.quantiles(waits, n=100)[98]

    def _empty(self, before: float, after: float) -> float:
        begins = {key: when for what, key, when in self._events() if what == "begin"}
        ends = {key: when for what, key, when in self._events() if what == "end"}
        busy = sum(max(0.0, min(ends.get(key, after), after) - max(when, before)) for key, when in begins.items())
        return 1 - busy / (self._size.workers * self._size.slots * (after - before))


def measured(size: ClusterSize) -> ClusterCost:
    """Measure one cluster."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(_database(size.store))
        return SimulatedCluster(size, folder, url, stack).run()


@contextmanager
def _database(store: str) -> Iterator[str]:
    """Yield the URL of an empty PostgreSQL, which writes to its disk as any other does; empty: SQLite."""
    if store == "sqlite":
        yield ""
        return
    from tests.ladder.postgres import running_server

    with running_server(("dynamic_shared_memory_type=mmap",)) as server:
        yield server.url("postgres")


def make_ladder(data: Path, bots: int, url: str = "") -> None:
    """Make a ladder of bots with ratings, whose images are in a registry by their names."""
    generate(data / "ladder.db", bots, BEFORE * bots // 4)
    settings = load_settings(data_dir=data)
    database = open_ladder(settings)
    with database.write() as session:
        session.execute(update(Version).values(pinned=f"registry.invalid/bot@sha256:{0:064x}"))
    database.close()
    if url:
        environment = os.environ | {"PIGPEN_DATA_DIR": str(data), "PIGPEN_DATABASE_URL": ""}
        subprocess.run([*PIGPEN, "db", "copy", url], env=environment, check=True, stdout=subprocess.DEVNULL)


def _scheduler_of(pid: int) -> int:
    """Find the scheduler's process."""
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and b"ladder.cluster.scheduler_program" in (path / "cmdline").read_bytes():
                return int(path.name)
    raise RuntimeError("there is no scheduler process")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process by two signals: at the first one it would finish what it plays."""
    for _ in range(2):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)
    with suppress(subprocess.TimeoutExpired):
        process.wait(30)
    process.kill()
    process.wait()


HEADINGS = ("store", "bots", "workers", "match", "matches/s", "coordinator", "scheduler", "both busy",
            "lease to start p50, p99", "slots empty", "memory of both", "all there after")  # fmt: skip


def line(size: ClusterSize, found: ClusterCost) -> list[str]:
    """Make a line of the table."""
    return [
        size.store, f"{size.bots:,}", f"{size.workers:,}", f"{size.seconds:g} s", f"{found.rate:.1f}",
        f"{found.coordinator:.1f} ms", f"{found.scheduler:.1f} ms",
        f"{100 * found.busy[0]:.0f} %, {100 * found.busy[1]:.0f} %",
        f"{found.latency[0]:.0f}, {found.latency[1]:.0f} ms", f"{100 * found.empty:.1f} %",
        f"{found.memory[0]:.0f}, {found.memory[1]:.0f} MiB", f"{found.joined:.0f} s",
    ]  # fmt: skip


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, nargs="+", default=[100])
    parser.add_argument("--workers", type=int, nargs="+", default=[100])
    parser.add_argument("--store", choices=["sqlite", "postgresql"], nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--seconds", type=float, nargs="+", default=[20.0], help="how long a match takes")
    parser.add_argument("--window", type=float, default=30.0, help="seconds in which it is measured")
    parser.add_argument("--boards", type=int, default=1, help="of a match")
    parser.add_argument("--slots", type=int, default=1, help="of each worker")
    words = parser.parse_args()
    lines = []
    for store, bots, workers, seconds in itertools.product(words.store, words.bots, words.workers, words.seconds):
        size = ClusterSize(bots, workers, store, seconds, words.window, words.boards, words.slots)
        print(f"{size} …", file=sys.stderr, flush=True)
        lines.append(line(size, measured(size)))
        print(*lines[-1], sep=" | ", file=sys.stderr, flush=True)
    title = f"{machine()}\n{VARIANT}, {counted(words.boards, 'board')}; `python -m benchmarks.cluster`"
    show(title, HEADINGS, lines, words=(0,))


if __name__ == "__main__":
    main()

"""A ladder with a coordinator and workers as processes, whose logs are read and that can be hurt."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ladder.cluster.certificates import make_authority, make_worker
from tests import waiting
from tests.conftest import OWN_MOUNTS
from tests.e2e.chaos.program import CALIBRATION
from tests.e2e.command import ROOT, environment
from tests.ports import free_port
from tests.processes import children
from tests.relay import PortRelay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.e2e.small_ladder import SmallLadder

PATIENCE = max(300.0, waiting.PATIENCE)
"""Seconds after which what does not come never comes."""
MARK = "PIGPEN_CHAOS"
"""The variable by which all processes are found that a test has started, and those that these have started."""
DISK = "mount -t tmpfs -o size=3m,nr_inodes=400 none {folder} && exec {words}"


@dataclass
class RemoteWorker:
    """A worker's program, and the wire between it and its scheduler."""

    name: str
    kind: str
    folder: Path
    relay: PortRelay
    process: subprocess.Popen[bytes]
    variables: dict[str, str] = field(default_factory=dict)

    def everything(self) -> list[int]:
        """Its process, and all that it has started."""
        return [self.process.pid, *_descendants(self.process.pid)]

    def send(self, number: int, *, whole: bool) -> None:
        """Send a signal to the program, or as one does to a machine: to everything."""
        for pid in self.everything() if whole else [self.process.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


class ChaosCluster:
    """One coordinator, its workers, and what is known of what they have done."""

    def __init__(self, ladder: SmallLadder, folder: Path, slots: int, **settings: str) -> None:
        """
        Prepare; nothing is started.

        Args:
            ladder: With bots that any worker on this machine can start.
            folder: Takes logs and certificates.
            slots: Matches that a worker plays at once; for more than one it starts a second process.
            settings: For the coordinator, as variables.
        """
        self.ladder = ladder
        self.workers: dict[str, RemoteWorker] = {}
        self.coordinator: subprocess.Popen[bytes] | None = None
        self.events: list[dict[str, Any]] = []
        """Events that the coordinators have logged, as far as they were read."""
        self._folder = folder
        self._slots = str(slots)
        self._disks = tempfile.TemporaryDirectory(prefix="pgp-", ignore_cleanup_errors=True)  # sockets want short paths
        self._port = free_port()
        self._logs: list[Path] = []
        self._read: dict[Path, int] = {}
        self._mark = uuid.uuid4().hex
        listen = f"tls://127.0.0.1:{self._port}"
        self._ours = {MARK: self._mark, CALIBRATION: str(folder / "calibration.jsonl.gz")}
        self._variables = ladder.variables(**{"PIGPEN_CLUSTER_LISTEN": listen} | self._ours | settings)
        make_authority(ladder.settings.data_dir / "cluster")
        make_worker(ladder.settings.data_dir / "cluster", "worker", folder / "worker.pem")

    def start_coordinator(self, *words: str) -> None:
        """Start `pigpen ladder run --cluster WORDS`."""
        log = self._folder / f"coordinator-{len(self._logs)}.log"
        self._logs.append(log)
        with log.open("wb") as err:
            self.coordinator = subprocess.Popen(
                [*_program("hasty"), "ladder", "run", "--log-to-stderr", "--cluster", *words],
                cwd=ROOT, env=environment(**self._variables), stdout=subprocess.DEVNULL, stderr=err,
            )  # fmt: skip

    def end_coordinator(self) -> int:
        """Let it finish what is under way, and end; gives its exit code."""
        assert self.coordinator is not None
        self.coordinator.send_signal(signal.SIGINT)
        return self.coordinator.wait(PATIENCE)

    def scheduler(self) -> int | None:
        """The process of the coordinator's scheduler; None: there is none just now to which workers can come."""
        if self.coordinator is None:
            return None
        found = [pid for pid in children(self.coordinator.pid) if self.count("scheduler.started", pid=pid)]
        return found[0] if found else None

    def start_worker(
        self, name: str, kind: str = "hasty", *, small_disk: bool = False, **variables: str
    ) -> RemoteWorker:
        """Start `pigpen worker` behind a wire of its own, in a folder of its own; see `program.py` for kinds."""
        before = self.workers.get(name)
        relay = before.relay if before else PortRelay(self._port)
        place = Path(self._disks.name) / name
        place.mkdir(exist_ok=True)
        words = [*_program(kind), "worker", f"tls://127.0.0.1:{relay.port}", "--name", name, "--slots", self._slots,
                 "--certificate", str(self._folder / "worker.pem"), "--data-dir", str(place)]  # fmt: skip
        if small_disk:
            variables["SMALL_DISK"] = "1"
        if "SMALL_DISK" in variables:
            words = [*OWN_MOUNTS, "sh", "-c", DISK.format(folder=place, words='"$0" "$@"'), *words]
        with (self._folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                words, cwd=ROOT, stdout=log, stderr=log,
                env=environment(**self._ours | {"TMPDIR": str(self.ladder.scratch)} | variables),
            )  # fmt: skip
        self.workers[name] = RemoteWorker(name, kind, place, relay, process, variables)
        return self.workers[name]

    def start_again(self, name: str) -> None:
        """Start a worker that has ended as it was started before."""
        worker = self.workers[name]
        worker.process.wait()
        self.start_worker(name, worker.kind, small_disk="SMALL_DISK" in worker.variables, **worker.variables)

    def log_of(self, name: str) -> str:
        """Read the output of a worker's program."""
        return (self._folder / f"{name}.log").read_text()

    def look(self) -> None:
        """Read what the coordinators have logged since the last time."""
        for log in self._logs:
            with log.open("rb") as file:
                file.seek(self._read.get(log, 0))
                text = file.read()
            whole = text[: text.rfind(b"\n") + 1]
            self._read[log] = self._read.get(log, 0) + len(whole)
            self.events += [json.loads(line) for line in whole.splitlines() if line.startswith(b"{")]

    def count(self, event: str, **fields: object) -> int:
        """Count the log entries of an event."""
        self.look()
        return sum(each["event"] == event and fields.items() <= each.items() for each in self.events)

    def counts(self) -> Counter[str]:
        """Count the log entries of all events."""
        self.look()
        return Counter(each["event"] for each in self.events)

    def until(self, condition: Callable[[], bool], what: str, patience: float = PATIENCE) -> None:
        """Wait for what must come."""
        end = time.monotonic() + patience
        while not condition():
            assert time.monotonic() < end, f"{what}: not within {patience:g} s\n{self._tails()}"
            assert self.coordinator is None or self.coordinator.poll() in (None, 0, 130), self._tails()
            time.sleep(0.05)

    def processes(self) -> list[str]:
        """All processes that any of this has started, and that have not ended: number and command line."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if f"{MARK}={self._mark}".encode() in (path / "environ").read_bytes().split(b"\0"):
                    found.append(f"{path.name} {_words(int(path.name))}")
        return found

    def close(self) -> None:
        """End everything, however it is."""
        for worker in self.workers.values():
            worker.send(signal.SIGKILL, whole=True)
            worker.process.wait()
            worker.relay.close()
        if self.coordinator is not None:
            started = _descendants(self.coordinator.pid)
            self.coordinator.kill()
            self.coordinator.wait()
            for pid in started:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        self._disks.cleanup()

    def _tails(self) -> str:
        logs = [*self._logs[-1:], *(self._folder / f"{name}.log" for name in self.workers)]
        return "\n".join(f"== {log.name}\n" + "\n".join(_tail(log, 12)) for log in logs)


def _tail(log: Path, lines: int) -> Iterator[str]:
    return iter(log.read_text(errors="replace").splitlines()[-lines:])


def _program(kind: str) -> Sequence[str]:
    return [sys.executable, "-m", "tests.e2e.chaos.program", kind]


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _descendants(pid: int) -> list[int]:
    found = children(pid)
    return found + [each for child in found for each in _descendants(child)]

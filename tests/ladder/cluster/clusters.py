"""A scheduler process, and workers that come to it, as the coordinator sees them."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ladder.cluster.scheduler_process import FROZEN_SECONDS, TTL_SECONDS, SchedulerProcess
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from ladder.values.cluster import WorkerReport

PIGPEN = "ladder.cli.entry"


class Cluster:
    """A scheduler process and the programs that were started beside it."""

    def __init__(self, certificates: Path) -> None:
        self.certificates = certificates
        self.reports: asyncio.Queue[WorkerReport] = asyncio.Queue()
        self.connected: set[str] = set()
        """Connections of workers."""
        self.events: list[tuple[int, int, str]] = []
        self.progress: list[str] = []
        self.programs: list[subprocess.Popen[str]] = []
        self.scheduler: SchedulerProcess

    async def start(
        self,
        listen: str = "tls://127.0.0.1:0",
        ttl_seconds: float = TTL_SECONDS,
        frozen_seconds: float = FROZEN_SECONDS,
    ) -> None:
        """Start a scheduler, the first one or another."""
        self.connected.clear()
        self.scheduler = await SchedulerProcess.start(
            listen,
            self.certificates / "scheduler.pem",
            self._take_report,
            lambda *event: self.events.append(event),
            self.progress.append,
            ttl_seconds=ttl_seconds,
            frozen_seconds=frozen_seconds,
        )

    def python(self, *words: str) -> subprocess.Popen[str]:
        """Start a module of Python with these words; what it prints goes to its `stdout`."""
        started = subprocess.Popen(
            [sys.executable, "-m", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.programs.append(started)
        return started

    def worker(
        self, name: str = "mars", slots: int = 2, *, address: str = "", module: str = PIGPEN
    ) -> subprocess.Popen[str]:
        """Start a worker; *address*, if it is not the scheduler's, *module*, if it is not Pigpen's."""
        words = ("--certificate", str(self.certificates / "worker.pem"), "--name", name, "--slots", str(slots))
        return self.python(module, "worker", address or self.scheduler.address, *words)

    async def joined(self, name: str = "mars") -> str:
        """Wait until a worker has joined; gives its connection."""
        return (await self.report("joined", name)).worker

    async def report(self, event: str, name: str | None = None) -> WorkerReport:
        """Wait for a report of a kind, of a worker if *name* is given."""
        async with asyncio.timeout(PATIENCE):
            while True:
                report = await self.reports.get()
                if report.event == event and (name is None or (report.facts and report.facts.name == name)):
                    return report

    async def clear(self) -> None:
        """End the workers, and forget what was reported of them."""
        for program in self.programs:
            if program.poll() is None:
                program.send_signal(signal.SIGCONT)
                program.kill()
            await asyncio.to_thread(program.wait)
            if program.stdout is not None:
                program.stdout.close()
        self.programs.clear()
        while self.connected:
            await self.report("left")
        self.events.clear()
        self.progress.clear()

    async def close(self) -> None:
        """End everything that was started."""
        await self.clear()
        await self.scheduler.close()

    def _take_report(self, report: WorkerReport) -> None:
        if report.event == "left":
            self.connected.discard(report.worker)
        else:
            self.connected.add(report.worker)
        self.reports.put_nowait(report)


@asynccontextmanager
async def a_cluster(
    certificates: Path, ttl_seconds: float = TTL_SECONDS, frozen_seconds: float = FROZEN_SECONDS
) -> AsyncIterator[Cluster]:
    """Start a scheduler; end it and what was started beside it."""
    cluster = Cluster(certificates)
    await cluster.start(ttl_seconds=ttl_seconds, frozen_seconds=frozen_seconds)
    try:
        yield cluster
    finally:
        await cluster.close()

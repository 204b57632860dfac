"""
Many workers of a cluster in one process: the real worker's connection, each with tasks that sleep as matches do.

`python -m benchmarks.simulated_workers ADDRESS CERTIFICATE FIRST COUNT SLOTS SECONDS EVENTS`. A match that has slept is
played, by bots in this process that answer at once, so that its record is true and is verified and recorded as any.

Args:
    ADDRESS: The scheduler's: ``tls://HOST:PORT``.
    CERTIFICATE: A worker's certificate; all of them have it.
    FIRST: The number of the first worker: names come from the numbers.
    COUNT: How many there are.
    SLOTS: Of each of them.
    SECONDS: How long a match takes, give or take a half.
    EVENTS: A file that takes a line when a match begins, and when it ends: ``begin`` or ``end``, number, attempt, and
        Unix time.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sys
import time
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from benchmarks.instant.bot import Instant
from ladder.cluster.certificates import read_identity
from ladder.cluster.dask_setup import set_up_worker
from ladder.cluster.worker_facts import Facts
from ladder.cluster.worker_session import WorkerSession
from ladder.sandbox.host import scratch
from ladder.sandbox.host.scratch import scratch_folder
from ladder.worker.calibration_match import play_calibration_match
from ladder.worker.match_tasks import MatchOutcome, MatchTask
from referee.match.match import Match
from referee.records.file import PackedRecord
from referee.seats.seat import InlineSeat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from ladder.values.cluster import WorkerFacts

RUNTIME = "runsc"
"""The runtime that they report: with it, bots of one owner may play in several matches at once."""
JITTER = 0.5
JOINING = 10
"""Workers that connect at the same time."""


class SleepingWorker:
    """Sleeps, and plays then."""

    def __init__(self, seconds: float, events: TextIO) -> None:
        self._seconds = seconds
        self._events = events
        self._calibration: asyncio.Future[bytes] | None = None

    async def play(self, task: str) -> str:
        """Do as a match does."""
        if json.loads(task)["kind"] == "calibration":
            return await self._calibrated()
        match = MatchTask.model_validate_json(task)
        self._note("begin", match)
        await asyncio.sleep(self._seconds * random.uniform(1 - JITTER, 1 + JITTER))
        outcome = await play_at_once(match)
        self._note("end", match)
        return outcome.model_dump_json()

    async def _calibrated(self) -> str:
        """Play the calibration match, once for all of them."""
        if self._calibration is None:
            self._calibration = asyncio.ensure_future(play_calibration_match())
        record = await asyncio.shield(self._calibration)
        return MatchOutcome(match=0, attempt=0, record=record).model_dump_json()

    def _note(self, what: str, match: MatchTask) -> None:
        self._events.write(f"{what} {match.match} {match.attempt} {time.time()}\n")

    async def ready(self) -> None:
        """Return at once."""

    async def close(self) -> None:
        """Release nothing."""


class SimulatedFacts(Facts):
    """Facts that a worker reports of itself, without a Docker engine."""

    def collect(self) -> WorkerFacts:
        """Collect it."""
        self._asked = float("inf")
        self._engine = "28.0", (RUNTIME,)
        facts = super().collect()
        return facts.model_copy(update={"process": f"{scratch.this_process()} {self.name}", "memory": 1 << 40})


async def play_at_once(task: MatchTask) -> MatchOutcome:
    """Play a match in this process, with bots that answer at once."""
    record, spec = PackedRecord(), task.spec()

    @asynccontextmanager
    async def table(number: int) -> AsyncIterator[Sequence[InlineSeat]]:
        yield [InlineSeat(Instant()) for _ in spec.bots]

    match = Match(spec, table, record.write, runtime=task.runtime)
    await match.play()
    return MatchOutcome(
        match=task.match, attempt=task.attempt, record=bytes(record), starting_seconds=0.0, playing_seconds=1.0
    )


async def main(words: Sequence[str], events: TextIO) -> None:
    """Connect, and stay until a signal ends this, or the scheduler has gone."""
    address, certificate = words[0], Path(words[1])
    first, count, slots, seconds = int(words[2]), int(words[3]), int(words[4]), float(words[5])
    set_up_worker()
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    with scratch_folder() as folder:
        worker = SleepingWorker(seconds, events)
        joining = asyncio.Semaphore(JOINING)
        session = partial(WorkerSession, address, read_identity(certificate))
        made = [
            session(folder / str(number), worker, SimulatedFacts(f"worker-{number}", slots))
            for number in range(first, first + count)
        ]
        runs = [asyncio.create_task(_run(each, joining)) for each in made]
        stopped = asyncio.create_task(stopping.wait())
        await asyncio.wait([stopped, *runs], return_when=asyncio.FIRST_EXCEPTION)
        await asyncio.gather(*(each.close() for each in made), return_exceptions=True)


async def _run(session: WorkerSession, joining: asyncio.Semaphore) -> None:
    async with joining:
        await session.join()
    await session.run()


if __name__ == "__main__":
    with Path(sys.argv[7]).open("w", buffering=1) as events:
        asyncio.run(main(sys.argv[1:], events))

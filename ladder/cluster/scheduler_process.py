"""
A cluster's scheduler, as the coordinator sees it, with the errors of its calls. Nothing here knows Dask.

The errors are those of calls to a remote worker that end without an answer. Any other `SandboxError` is the worker's
own: it could not play.

SandboxError
├── SchedulerLost   the process between has ended: its calls may or may not be running
├── WorkerLost      the worker is not connected any more
└── InvalidAnswer   what it answered can be no answer
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from ladder.cluster.connections import foreign_event
from ladder.errors import SandboxError
from ladder.sandbox.host import scratch
from ladder.values.cluster import WorkerReport
from ladder.worker.channel import Frame, MessageKind, start_program
from ladder.worker.worker_pool import PlayingProcess

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    from ladder.worker.channel import Channel
    from ladder.worker.worker_pool import TakeEvents, TakeProgress

    TakeReport = Callable[[WorkerReport], None]
    """Takes reports on workers; it must not wait, and never fails."""


class SchedulerLost(SandboxError):
    """The scheduler has ended, and no match is to blame; the workers connect to the next one."""


class WorkerLost(SandboxError):
    """The worker is not connected any more; what it played is lost."""


class InvalidAnswer(SandboxError):
    """A message that can be no answer of a worker, such as one that is too long."""


PROGRAM = "ladder.cluster.scheduler_program"
START_SECONDS = 60.0
"""Seconds within which a scheduler must listen for workers."""
OBEY_SECONDS = 90.0
"""Seconds after which a call that was given up must have ended; the scheduler disconnects a worker before that."""
WATCH_SECONDS = 10.0
"""Seconds between two times that the scheduler is asked whether it still works."""
FROZEN_SECONDS = 30.0
"""Seconds without an answer after which a scheduler is killed, and replaced by a new one."""
TTL_SECONDS = 30.0
"""Seconds without a message after which a worker counts as lost."""

log = structlog.get_logger()


class SchedulerProcess(PlayingProcess):
    """The process to which workers come. Only for the thread of the event loop that started it."""

    address = ""
    """The address at which workers reach it."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        channel: Channel,
        take_report: TakeReport,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        obey_seconds: float = OBEY_SECONDS,
        frozen_seconds: float = FROZEN_SECONDS,
    ) -> None:
        super().__init__(process, channel, take_events, take_progress, obey_seconds)
        self._frozen_seconds = frozen_seconds
        self._watching: asyncio.Task[None] | None = None
        self._take_report = take_report

    @classmethod
    async def start(
        cls,
        listen: str,
        certificate: Path,
        take_report: TakeReport,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        *,
        ttl_seconds: float = TTL_SECONDS,
        obey_seconds: float = OBEY_SECONDS,
        frozen_seconds: float = FROZEN_SECONDS,
    ) -> SchedulerProcess:
        """
        Start one, and wait until workers can come.

        Args:
            listen: Where it waits for them: ``tls://HOST:PORT``; port 0: any.
            certificate: The file with the scheduler's certificate.
            take_report: Takes which workers connect, what they report of themselves, and which are lost.
            take_events: Takes the events of the matches that they play.
            take_progress: Takes the progress of their trials.
            ttl_seconds: Seconds without a message after which a worker counts as lost.
            obey_seconds: Seconds that a call may take to end after it was given up.
            frozen_seconds: Seconds without an answer after which it is killed.

        Raises:
            SandboxError: If it does not start, such as when the port is taken.
        """
        words = (PROGRAM, listen, certificate, ttl_seconds, scratch.this_process())
        process, channel = await start_program(words, "scheduler")
        started = cls(process, channel, take_report, take_events, take_progress, obey_seconds, frozen_seconds)
        try:
            async with asyncio.timeout(START_SECONDS):
                started.address = await started.call(MessageKind.READY)
        except BaseException as error:
            started.kill()
            await started.close()
            if isinstance(error, TimeoutError):
                raise SandboxError(f"The scheduler did not start within {START_SECONDS:g} seconds.") from None
            raise
        started._watching = asyncio.create_task(started._watch())
        log.info("scheduler.started", pid=started.pid, address=started.address)
        return started

    async def play(self, worker: str, task: str) -> str:
        """
        Let a worker play a task, and give its outcome; cancelled, wait until it has given that up.

        Args:
            worker: Its connection (`WorkerReport.worker`).
            task: As JSON.

        Raises:
            SchedulerLost: If the scheduler has ended meanwhile.
            WorkerLost: If the worker is lost meanwhile.
            InvalidAnswer: If what it answered can be no answer.
            SandboxError: If it could not play it.
        """
        return await self.call(MessageKind.PLAY_AT, f"{worker}\n{task}")

    async def close(self) -> None:
        """See `ChildProcess.close`."""
        if self._watching is not None:
            self._watching.cancel()
        await super().close()
        if self._watching is not None:
            await asyncio.wait([self._watching])

    async def _watch(self) -> None:
        """Kill it if it is frozen; its end is noticed as every other one."""
        with suppress(SandboxError):
            while True:
                await asyncio.sleep(min(WATCH_SECONDS, self._frozen_seconds))
                limit = asyncio.get_running_loop().call_later(self._frozen_seconds, self._end_frozen)
                try:
                    await self.call(MessageKind.READY)
                finally:
                    limit.cancel()

    def _end_frozen(self) -> None:
        self._hangs()
        self.kill()

    def turn_away(self, worker: str, sentence: str) -> None:
        """
        Make a worker end; its program prints the sentence, and does not connect again.

        Args:
            worker: Its connection.
            sentence: Why.
        """
        self._channel.send(Frame(MessageKind.TURN_AWAY, 0, f"{worker}\n{sentence}"))

    def _receive(self, message: Frame) -> None:
        if message.kind is MessageKind.WORKER:
            self._take_report(WorkerReport.model_validate_json(message.body))
        else:
            super()._receive(message)

    def _failed(self, message: Frame) -> SandboxError:
        if message.kind is MessageKind.LOST:
            return WorkerLost(message.body)
        if message.kind is MessageKind.INVALID:
            return InvalidAnswer(message.body)
        return super()._failed(message)

    async def _give_up(self, number: int, answer: asyncio.Future[str]) -> None:
        if not await self._gives_up(number, answer):
            self._hangs()  # it is not killed: other workers play on

    def _hangs(self) -> None:
        log.warning("scheduler.hangs", pid=self.pid)

    def _log(self, line: str) -> None:
        if event := foreign_event(line):
            getattr(log, event.level)(event.name, **event.fields)

    def _missed(self, playing: int) -> None:
        log.warning("scheduler.lost", pid=self.pid, reason=self._sentence(), playing=playing)

    def _lost(self) -> SandboxError:
        return SchedulerLost(self._sentence())

    def _sentence(self) -> str:
        return f"The cluster's scheduler (process {self.pid}) {self._how()}."

"""One worker process, as the coordinator sees it."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import structlog

from ladder.errors import SandboxError
from ladder.sandbox.host import owners
from ladder.worker.channel import MessageKind
from ladder.worker.child_process import OBEY_SECONDS, ChildProcess, start_program

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from ladder.worker.bot_store import StorePlan
    from ladder.worker.channel import Channel, Frame

    TakeEvents = Callable[[int, int, str], None]
    """Takes the match, the attempt, and events as lines of JSON; it never fails."""
    TakeProgress = Callable[[str], None]
    """Takes a `TrialProgress` as JSON; it never fails."""

PROGRAM = "ladder.worker.process"

log = structlog.get_logger()


class WorkerProcess(ChildProcess):
    """A process that plays tasks. Only for the thread of the event loop that started it."""

    def __init__(
        self,
        number: int,
        process: subprocess.Popen[bytes],
        channel: Channel,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        obey_seconds: float = OBEY_SECONDS,
    ) -> None:
        super().__init__(process, channel, obey_seconds)
        self._name = {"worker": number, "pid": process.pid}
        self._take_events = take_events
        self._take_progress = take_progress

    @classmethod
    async def start(
        cls,
        number: int,
        count: int,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        *,
        store: StorePlan | None = None,
        obey_seconds: float = OBEY_SECONDS,
    ) -> WorkerProcess:
        """
        Start one.

        Args:
            number: Of this worker, from 0.
            count: Number of workers on this machine.
            take_events: Takes the events of the matches that it plays.
            take_progress: Takes the progress of its trials.
            store: Where bots are kept whose ladder is on another machine; None: it is on this one.
            obey_seconds: Seconds that it may take to follow an order to stop before it is killed.

        Raises:
            SandboxError: If the system lets no process start.
        """
        words = [PROGRAM, number, count, owners.this_process(), *([store.model_dump_json()] if store else [])]
        try:
            process, channel = await start_program(words)
        except OSError as error:
            raise SandboxError(f"No worker process can be started: {error}") from error
        started = cls(number, process, channel, take_events, take_progress, obey_seconds)
        log.info("worker.started", **started._name)
        return started

    def _receive(self, message: Frame) -> None:
        if message.kind is MessageKind.LOG:
            self._log(json.loads(message.body))
        elif message.kind is MessageKind.LIVE:
            self._pass_on(message.body)
        elif message.kind is MessageKind.TRIAL and self._take_progress:
            # It writes to the database, and may wait for its turn.
            asyncio.get_running_loop().run_in_executor(None, self._take_progress, message.body)

    def _pass_on(self, body: str) -> None:
        head, _, batch = body.partition("\n")
        match, attempt = map(int, head.split(" "))
        if self._take_events:
            self._take_events(match, attempt, batch)

    def _log(self, event: dict[str, object]) -> None:
        level, name = str(event.pop("level")), str(event.pop("event"))
        getattr(log, level)(name, **event | self._name)

    def _missed(self, playing: int) -> None:
        log.warning("worker.lost", **self._name, reason=self._sentence(), playing=playing)

    def _hangs(self) -> None:
        log.warning("worker.hangs", **self._name)

    def _sentence(self) -> str:
        return f"Worker {self._name['worker']} (process {self.pid}) {self._how()}."

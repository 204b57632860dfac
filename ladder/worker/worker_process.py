"""One worker process, as the coordinator sees it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import structlog

from ladder.sandbox.host import owners
from ladder.worker.child_process import OBEY_SECONDS, start_program
from ladder.worker.playing_process import PlayingProcess

if TYPE_CHECKING:
    import subprocess

    from ladder.worker.bot_store import StorePlan
    from ladder.worker.channel import Channel
    from ladder.worker.playing_process import TakeEvents, TakeProgress

PROGRAM = "ladder.worker.process"

log = structlog.get_logger()


class WorkerProcess(PlayingProcess):
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
        super().__init__(process, channel, take_events, take_progress, obey_seconds)
        self._name = {"worker": number, "pid": process.pid}

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
        process, channel = await start_program(words, "worker process")
        started = cls(number, process, channel, take_events, take_progress, obey_seconds)
        log.info("worker.started", **started._name)
        return started

    def _log(self, line: str) -> None:
        event = json.loads(line)
        level, name = str(event.pop("level")), str(event.pop("event"))
        getattr(log, level)(name, **event | self._name)

    def _missed(self, playing: int) -> None:
        log.warning("worker.lost", **self._name, reason=self._sentence(), playing=playing)

    def _hangs(self) -> None:
        log.warning("worker.hangs", **self._name)

    def _sentence(self) -> str:
        return f"Worker {self._name['worker']} (process {self.pid}) {self._how()}."

"""
Several worker processes that play tasks: one process of Python is one core of refereeing.

A process is started when a task needs it. So one that has ended is replaced by the next task that comes to its slot,
and one that ends again and again is started no more often than matches begin: the runner pauses after void matches.

`WorkerProcess` is one of them, as the coordinator sees it; its base, `PlayingProcess`, is a child process that plays
tasks, or has them played, and reports on them meanwhile. `KnownBots` are those that a process or a machine is likely to
have ready, because it played them last.
"""

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from ladder.errors import SandboxError
from ladder.sandbox.host import scratch
from ladder.worker.channel import OBEY_SECONDS, ChildProcess, MessageKind, live_events, start_program

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Coroutine, Iterable

    from ladder.worker.bot_store import StorePlan
    from ladder.worker.channel import Channel, Frame

    TakeEvents = Callable[[int, int, str], None]
    """Takes the match, the attempt, and events as lines of JSON; it never fails."""
    TakeProgress = Callable[[str], None]
    """Takes a `TrialProgress` as JSON; it never fails."""


class PlayingProcess(ChildProcess):
    """A process that reports events of matches and the progress of trials."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        channel: Channel,
        take_events: TakeEvents | None = None,
        take_progress: TakeProgress | None = None,
        obey_seconds: float = OBEY_SECONDS,
    ) -> None:
        super().__init__(process, channel, obey_seconds)
        self._take_events = take_events
        self._take_progress = take_progress

    def _receive(self, message: Frame) -> None:
        if message.kind is MessageKind.LOG:
            self._log(message.body)
        elif message.kind is MessageKind.LIVE and self._take_events:
            self._take_events(*live_events(message.body))
        elif message.kind is MessageKind.TRIAL and self._take_progress:
            # It writes to the database, and may wait for its turn.
            asyncio.get_running_loop().run_in_executor(None, self._take_progress, message.body)

    @abstractmethod
    def _log(self, line: str) -> None:
        """Write an event of it, a line of JSON, into the log."""


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
        words = [PROGRAM, number, count, scratch.this_process(), *([store.model_dump_json()] if store else [])]
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


class KnownBots:
    """Identities of the versions played last, up to a number."""

    def __init__(self, max_bots: int) -> None:
        """Begin with none; *max_bots* of them are remembered."""
        self._max_bots = max_bots
        self._known: dict[str, None] = {}
        """The one played last at the end."""

    def remember(self, bots: Iterable[str]) -> None:
        """Note that these are played."""
        for bot in bots:
            self._known.pop(bot, None)
            self._known[bot] = None
        while len(self._known) > self._max_bots:
            del self._known[next(iter(self._known))]

    def count(self, bots: Iterable[str]) -> int:
        """Count those of *bots* that are known."""
        return len(self._known.keys() & set(bots))

    def clear(self) -> None:
        """Forget them all."""
        self._known.clear()


if TYPE_CHECKING:
    Start = Callable[[int, int], Coroutine[None, None, WorkerProcess]]


MAX_KNOWN = 64
"""Versions of bots that are remembered for each process: as many as a sandbox keeps in memory."""


class WorkerPool:
    """A `TaskWorker` that passes tasks on, to the process that plays the fewest."""

    def __init__(self, count: int, start: Start = WorkerProcess.start) -> None:
        """
        Prepare the slots of *count* processes; the first task starts the first process.

        Args:
            count: Number of processes, at least 1.
            start: Starts a process, given its number and how many there are.
        """
        self._slots = [_WorkerSlot(number, count, start) for number in range(count)]

    async def play(self, task: str) -> str:
        """
        Let a process play a task.

        Raises:
            SandboxError: If the process has ended meanwhile, or none can be started.
        """
        bots = [bot["identity"] for bot in json.loads(task).get("bots", ())]
        slot = min(self._slots, key=lambda each: each.rank(bots))
        return await slot.play(task, bots)

    async def ready(self) -> None:
        """
        Check whether every process can play; where there is none, start one.

        Raises:
            SandboxError: If one cannot, or does not answer: then it is killed.
        """
        living = [slot for slot in self._slots if slot.is_living] or self._slots[:1]
        checks = await asyncio.gather(*(slot.ready() for slot in living), return_exceptions=True)
        if errors := [check for check in checks if isinstance(check, BaseException)]:
            raise errors[0]

    async def close(self) -> None:
        """End all processes."""
        await asyncio.gather(*(slot.close() for slot in self._slots))


class _WorkerSlot:
    """A slot for one process, and after it for the one that replaces it."""

    def __init__(self, number: int, count: int, start: Start) -> None:
        self._number = number
        self._count = count
        self._start = start
        self._process: asyncio.Future[WorkerProcess] | None = None
        """The process, or its start."""
        self._tasks = 0
        self._loaded = KnownBots(MAX_KNOWN)
        """The bots that its process has loaded."""

    @property
    def is_living(self) -> bool:
        """True if there is a process that takes tasks, or is about to."""
        if self._process is None or not self._process.done():
            return self._process is not None
        return not self._process.exception() and not self._process.result().has_ended

    def rank(self, bots: Iterable[str]) -> tuple[int, int, bool, int]:
        """Give a rank; the lowest is best for a task of these bots: few tasks, then many bots that are loaded there."""
        return self._tasks, -self._loaded.count(bots), not self.is_living, self._number

    async def play(self, task: str, bots: Iterable[str]) -> str:
        """Play a task of these bots here."""
        self._tasks += 1
        try:
            process = await self.process()
            self._loaded.remember(bots)
            return await process.call(MessageKind.PLAY, task)
        finally:
            self._tasks -= 1

    async def process(self) -> WorkerProcess:
        """Give the process; a new one if there is none."""
        if not self.is_living:
            self._process = asyncio.ensure_future(self._start(self._number, self._count))
            self._loaded.clear()
        assert self._process is not None
        return await asyncio.shield(self._process)  # others wait for it, too

    async def ready(self) -> None:
        process = await self.process()
        try:
            async with asyncio.timeout(OBEY_SECONDS):
                await process.call(MessageKind.READY)
        except TimeoutError:
            raise SandboxError(f"Worker {self._number} did not answer within {OBEY_SECONDS:g} seconds.") from None

    async def close(self) -> None:
        if self._process is not None and self.is_living:
            with suppress(SandboxError):  # it did not start
                await (await self._process).close()

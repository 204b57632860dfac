"""
Several worker processes that play tasks: one process of Python is one core of refereeing.

A process is started when a task needs it. So one that has ended is replaced by the next task that comes to its slot,
and one that ends again and again is started no more often than matches begin: the runner pauses after void matches.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.worker.channel import MessageKind
from ladder.worker.child_process import OBEY_SECONDS
from ladder.worker.known_bots import KnownBots
from ladder.worker.worker_process import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

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

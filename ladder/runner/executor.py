"""
Executors: take a task as a string, give a future of an outcome as a string.

The caller must not rely on a future's ending: a worker may hang, or be lost with its machine.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Protocol

from ladder.worker.task_worker import shut_down

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ladder.worker.task_worker import TaskWorker

CLOSE_SECONDS = 60.0
"""Seconds that closing may take; what is left then is removed at the next start."""


class Executor(Protocol):
    """Where matches are played."""

    slots: int
    """Number of tasks to play at once."""

    def submit(self, task: str, key: str) -> Future[str]:
        """Play *task*, which *key* names; to cancel the future is to give the task up."""

    def ready(self) -> Future[None]:
        """Check whether tasks can be played now; the future raises `SandboxError` if not."""

    def close(self) -> None:
        """Give up what is under way and clean up."""


class LocalExecutor:
    """
    Gives several tasks at once to a worker, in a thread with an event loop.

    The worker plays them in this thread, or passes them on (`WorkerProcesses`). Programs that a process sandbox starts
    die with the thread that started them, so with this one.
    """

    def __init__(self, worker: TaskWorker, slots: int) -> None:
        self.slots = slots
        self._worker = worker
        self._working: set[asyncio.Task[str]] = set()
        self._loop = asyncio.new_event_loop()
        # A daemon: a loop that hangs must not hold up the exit.
        self._thread = threading.Thread(target=self._run, name="matches", daemon=True)
        self._thread.start()

    def submit(self, task: str, key: str) -> Future[str]:
        """Play *task*."""
        return asyncio.run_coroutine_threadsafe(self._work(task), self._loop)

    def ready(self) -> Future[None]:
        """Check whether matches can be played now."""
        return asyncio.run_coroutine_threadsafe(self._worker.ready(), self._loop)

    def close(self) -> None:
        """Give up the matches that are under way, and clean up."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(shut_down(self._worker, self._working))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()

    async def _work(self, task: str) -> str:
        working = asyncio.current_task()
        assert working is not None
        self._working.add(working)
        try:
            return await self._worker.play(task)
        finally:
            self._working.discard(working)

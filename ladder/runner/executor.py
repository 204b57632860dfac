"""
Executors: take a task as a string, give a future of an outcome as a string.

The caller must not rely on a future's ending: a worker may hang, or be lost with its machine.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future

CLOSE_SECONDS = 60.0
"""Seconds that closing may take; what is left then is removed at the next start."""
REST_SECONDS = 1.0
"""Seconds that tasks of libraries in the event loop may take to end."""


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


class TaskWorker(Protocol):
    """Plays tasks in an event loop: `ladder.worker.worker.Worker` does."""

    async def play(self, task: str) -> str:
        """Play a task."""

    async def ready(self) -> None:
        """Check whether tasks can be played."""

    async def close(self) -> None:
        """Stop everything and clean up."""


class LocalExecutor:
    """
    Plays several tasks at once in this process, in a thread with an event loop.

    Programs that a process sandbox starts die with the thread that started them, so with this one.
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
            self._loop.run_until_complete(self._shut_down())
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

    async def _shut_down(self) -> None:
        # Only ours: what runs below them (gRPC's servers, for example) ends when they clear away, in its own order.
        tasks = list(self._working)
        for task in tasks:
            if not task.cancelling():  # else it clears away already, and must be let
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._worker.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}  # after what needs them, such as a server's own tasks
        for each in rest:
            each.cancel()
        if rest:
            await asyncio.wait(rest, timeout=REST_SECONDS)  # gRPC's do not always listen

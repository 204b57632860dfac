"""
Who works at tasks: anything that takes a string and gives a future of a string.

Whoever hands tasks out must not count on a future's coming back: a worker may hang, or be lost with its machine.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from concurrent.futures import Future

CLOSE_SECONDS = 60.0
"""How long clearing away may take in the end; what is left then is removed at the next start."""
REST_SECONDS = 1.0
"""How long tasks may take to end that libraries have left in the loop."""


class Executor(Protocol):
    """Where matches are played."""

    slots: int
    """How many tasks are worked at at once."""

    def submit(self, task: str, key: str) -> Future[str]:
        """Work at *task*, which *key* names; cancelling the future gives it up."""

    def ready(self) -> Future[None]:
        """Try whether tasks can be worked at now; the future raises `SandboxError` if not."""

    def close(self) -> None:
        """Give up what is under way and clear it away."""


class TaskWorker(Protocol):
    """What works at tasks in an event loop: `ladder.worker.worker.Worker`."""

    async def play(self, task: str) -> str:
        """Work at a task."""

    async def ready(self) -> None:
        """Try whether tasks can be worked at."""

    async def close(self) -> None:
        """Clear away."""


class LocalExecutor:
    """
    Works in this process: in one thread with an event loop, some tasks at once.

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
        """Try whether matches can be played now."""
        return asyncio.run_coroutine_threadsafe(self._worker.ready(), self._loop)

    def close(self) -> None:
        """Give up the matches that are under way, and clear them away."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._clear_away())
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

    async def _clear_away(self) -> None:
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

"""
Executors: take a task as a string, give a future of an outcome as a string.

The caller must not rely on a future's ending: a worker may hang, or be lost with its machine.
"""

from __future__ import annotations

import asyncio
import enum
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from ladder.errors import SandboxError
from ladder.worker.service import shut_down

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

    from ladder.pairing.suspension import Reporter
    from ladder.store.commands.queue import MachineLoad
    from ladder.worker.service import TaskWorker

CLOSE_SECONDS = 60.0
"""Seconds that closing may take; what is left then is removed at the next start."""


class NotPlayed(SandboxError):
    """A task was not played, for no reason that lies in it: it goes back into the queue as it was."""


class Judgement(enum.Enum):
    """The judgement of the answer to a task."""

    COUNTED = enum.auto()
    """It was used, or came too late."""
    VOID = enum.auto()
    """The platform failed, where the task was played."""
    INVALID = enum.auto()
    """It cannot be true: it cannot be understood, is another task's, or its record does not hold."""


@dataclass(frozen=True)
class AttemptFailure:
    """The reason that an attempt has no result that counts."""

    judgement: Judgement | None
    """None: it was not played, for no reason that lies in it."""
    reason: str
    """In a sentence."""
    lost: str | None = None
    """The identity of the bot's version whose program is missing, if that is the reason."""
    broke: int | None = None
    """The number of the one bot whose container was lost, where that is why; 0 in a trial, which has one bot."""


class Executor(Protocol):
    """The place where matches are played."""

    @property
    def slots(self) -> int:
        """Number of tasks to play at once; it may change."""

    def machines(self) -> list[MachineLoad] | None:
        """Give what each machine has room for just now; None: all is played on this machine."""

    def submit(self, task: str, key: str) -> Future[str]:
        """
        Play *task*, which *key* names; to cancel the future is to give the task up.

        The future raises `NotPlayed` if the task is to go back into the queue, and anything else if it is void.
        """

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> bool:
        """
        Take the judgement of a task, once for each that has an answer or is void.

        Args:
            key: Names the task.
            judgement: What its answer was good for.
            reason: Why it was good for nothing, in a sentence.

        Returns:
            Whether the executor sees to it: it asks less of the place where that happened. Else the whole platform is
            suspected when a task is void.
        """

    def reporter(self, key: str) -> Reporter | None:
        """Give the worker that has played a task, until it is judged; None: this machine."""

    def ready(self) -> Future[None]:
        """Check whether tasks can be played now; the future raises `SandboxError` if not."""

    def close(self) -> None:
        """Give up what is under way and clean up."""


class LocalExecutor:
    """
    Gives several tasks at once to a worker, in a thread with an event loop.

    The worker plays them in this thread, or passes them on (`WorkerPool`). Programs that a process sandbox starts
    die with the thread that started them, so with this one.
    """

    def __init__(self, worker: TaskWorker, slots: int) -> None:
        self._slots = slots
        self._worker = worker
        self._working: set[asyncio.Task[str]] = set()
        self._loop = asyncio.new_event_loop()
        # A daemon: a loop that hangs must not hold up the exit.
        self._thread = threading.Thread(target=self._run, name="matches", daemon=True)
        self._thread.start()

    @property
    def slots(self) -> int:
        """Number of tasks to play at once."""
        return self._slots

    def machines(self) -> list[MachineLoad] | None:
        """Give None: it is this machine."""
        return None

    def submit(self, task: str, key: str) -> Future[str]:
        """Play *task*."""
        return self._begin(partial(self._worker.play, task))

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> bool:
        """Give False: nothing is known of one place that is not true of all others."""
        return False

    def reporter(self, key: str) -> Reporter | None:
        """Give None: it is this machine."""
        return None

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

    def _begin(self, play: Callable[[], Coroutine[None, None, str]]) -> Future[str]:
        """Let the thread do it; it is given up when the executor is closed."""
        return asyncio.run_coroutine_threadsafe(self._work(play), self._loop)

    async def _work(self, play: Callable[[], Coroutine[None, None, str]]) -> str:
        working = asyncio.current_task()
        assert working is not None
        self._working.add(working)
        try:
            return await play()
        finally:
            self._working.discard(working)

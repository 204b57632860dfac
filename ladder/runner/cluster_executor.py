"""
An executor whose tasks are played on other machines.

A thread with an event loop speaks with the scheduler process, which carries tasks to workers; whose task is played
where is decided here (`Fleet`).
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from ladder.runner.executor import LocalExecutor

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ladder.pairing.suspension import Reporter
    from ladder.runner.cluster_dispatch import ClusterDispatch
    from ladder.runner.executor import Judgement
    from ladder.store.commands.queue import MachineLoad


class ClusterExecutor(LocalExecutor):
    """Gives tasks to a cluster; its slots are those of the workers that have been let in."""

    def __init__(self, dispatch: ClusterDispatch, max_at_once: int | None = None) -> None:
        """
        Begin to wait for workers.

        Args:
            dispatch: Carries tasks to them; only this executor's thread uses it from now on.
            max_at_once: The most tasks at once; None: as many as the workers take.

        Raises:
            UserError: If the settings do not let it begin.
            SandboxError: If it cannot begin.
            StoreError: If the database does not answer.
        """
        super().__init__(dispatch, 0)
        self._dispatch = dispatch
        self._max_at_once = max_at_once
        try:
            asyncio.run_coroutine_threadsafe(dispatch.begin(), self._loop).result()
        except BaseException:
            self.close()
            raise

    @property
    def slots(self) -> int:
        """Number of tasks that the workers play at once."""
        slots = self._dispatch.fleet.slots
        return slots if self._max_at_once is None else min(slots, self._max_at_once)

    def machines(self) -> list[MachineLoad] | None:
        """Give what each machine has room for just now."""
        return asyncio.run_coroutine_threadsafe(self._dispatch.machines(), self._loop).result()

    def submit(self, task: str, key: str) -> Future[str]:
        """Let a worker play *task*."""
        return self._begin(partial(self._dispatch.play_as, task, key))

    def judge(self, key: str, judgement: Judgement, reason: str = "") -> bool:
        """Count it for, or against, the worker that had the task."""
        self._loop.call_soon_threadsafe(self._dispatch.judge, key, judgement, reason)
        return True

    def reporter(self, key: str) -> Reporter | None:
        """Give the worker that has played a task."""
        return self._dispatch.fleet.reporter(key)

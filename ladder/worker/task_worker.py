"""Interface of the worker that plays tasks in an event loop, and its shutdown."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

REST_SECONDS = 1.0
"""Seconds that tasks of libraries in the event loop may take to end."""


class TaskWorker(Protocol):
    """Plays tasks in an event loop: `ladder.worker.worker.Worker` does."""

    async def play(self, task: str) -> str:
        """Play a task."""

    async def ready(self) -> None:
        """
        Check whether tasks can be played.

        Raises:
            SandboxError: If not.
        """

    async def close(self) -> None:
        """Stop everything and clean up."""


async def give_up(working: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they have cleared away."""
    tasks = list(working)
    for task in tasks:
        if not task.cancelling():  # else it clears away already, and must be let
            task.cancel()
    if tasks:
        await asyncio.wait(tasks)


async def shut_down(worker: TaskWorker, working: Iterable[asyncio.Task[Any]]) -> None:
    """
    Give up what a worker does, let it clear away, and close it: the last step of its event loop.

    Args:
        worker: The worker.
        working: The asyncio tasks in which it works.
    """
    # Only ours: what runs below them (gRPC's servers, for example) ends when they clear away, in its own order.
    await give_up(working)
    await worker.close()
    rest = asyncio.all_tasks() - {asyncio.current_task()}  # after what needs them, such as a server's own tasks
    for each in rest:
        each.cancel()
    if rest:
        await asyncio.wait(rest, timeout=REST_SECONDS)  # gRPC's do not always listen

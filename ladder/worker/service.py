"""
The service of one worker: it answers a coordinator's calls, several at once.

`TaskWorker` is the interface of the worker that plays tasks in an event loop; `shut_down` ends it.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ladder.errors import SandboxError
from ladder.worker.channel import Frame, MessageKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


class Service:
    """One worker behind one connection."""

    def __init__(self, worker: TaskWorker, send: Callable[[Frame], None]) -> None:
        """
        Begin without calls.

        Args:
            worker: Does what calls ask for.
            send: Sends an answer, without waiting; raises ValueError if it is too long.
        """
        self._worker = worker
        self._send = send
        self._calls: dict[int, asyncio.Task[str]] = {}

    def take(self, message: Frame) -> None:
        """Begin a call, or give one up."""
        if message.kind is MessageKind.CANCEL:
            self._cancel(message.call)
        else:
            self._begin(message)

    @property
    def working(self) -> list[asyncio.Task[str]]:
        """The calls that are not answered yet."""
        return list(self._calls.values())

    def _begin(self, message: Frame) -> None:
        task = asyncio.create_task(self._do(message))
        self._calls[message.call] = task
        task.add_done_callback(partial(self._answer, message.call))

    def _cancel(self, call: int) -> None:
        # Once is enough: a second time would cut short the clearing away. One that has ended has its answer.
        if (task := self._calls.get(call)) is not None and not task.cancelling():
            task.cancel()

    async def _do(self, message: Frame) -> str:
        if message.kind is MessageKind.PLAY:
            return await self._worker.play(message.body)
        await self._worker.ready()
        return ""

    def _answer(self, call: int, done: asyncio.Task[str]) -> None:
        del self._calls[call]
        try:
            self._send(_answer_of(call, done))
        except ValueError as error:
            self._send(Frame(MessageKind.FAILURE, call, f"The answer cannot be sent: {error}."))


def _answer_of(call: int, done: asyncio.Task[str]) -> Frame:
    """Make the answer to a call that has ended."""
    if done.cancelled():
        return Frame(MessageKind.CANCELLED, call)
    if error := done.exception():
        text = str(error) if isinstance(error, SandboxError) else f"{type(error).__name__}: {error}"
        return Frame(MessageKind.FAILURE, call, text)
    return Frame(MessageKind.ANSWER, call, done.result())

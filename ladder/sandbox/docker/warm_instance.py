"""One instance in a warm container, from its fork until the container is clear again."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from ladder.errors import ContainerLost, SandboxError
from ladder.sandbox.base import Exit
from ladder.sandbox.docker.container_controller import ContainerController
from ladder.sandbox.docker.container_instance import (
    KILLED,
    KILLED_FROM_OUTSIDE,
    LOST,
    LOST_LOG,
    NO_LOG,
    WAS_LOST,
)
from ladder.sandbox.docker.control_group import LeasedGroup
from ladder.values.sandbox_kind import has_own_kernel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any

    from ladder.sandbox.docker.output import Output
    from ladder.sandbox.docker.warm_container import WarmContainer

    GiveBack = Callable[["WarmInstance", bool], Awaitable[None]]
    Look = Callable[[WarmContainer], Awaitable[Exit | None]]


class WarmInstance:
    """A fork of a warm container's server; it has the container for itself while it lives."""

    def __init__(
        self, container: WarmContainer, output: Output, core: int | None, look: Look, give_back: GiveBack
    ) -> None:
        """
        Take over a container whose server has just been ordered to start an instance.

        Args:
            container: It.
            output: What the instance writes.
            core: The core that it is limited to once it is seated; None: any.
            look: Asks the engine how a container ended.
            give_back: Takes the instance afterwards, and whether another one may follow in its container.
        """
        self._group = LeasedGroup(container.group)
        self.controller = ContainerController(self._group, output, core)
        """The controller that freezes it and reads its CPU time."""
        self.container = container
        """The container in which it runs."""
        self._ended = container.ended
        self._output = output
        self._look = look
        self._give_back = give_back
        self._end: Exit | None = None
        self._is_lost = False
        self._stopping: asyncio.Task[None] | None = None
        self._stopped = asyncio.Event()

    @property
    def name(self) -> str:
        """Name of its container."""
        return self.container.name

    async def wait(self) -> Exit:
        """
        Wait until its program has ended, by itself or by `stop`.

        Raises:
            SandboxError: If the container ended by no doing of the bot's.
        """
        if self._end is None:
            await _first(self._ended, self._stopped.wait(), self.container.lost.wait())
            await self._note_end()
        if self._end is None:
            raise ContainerLost(WAS_LOST) if self._is_lost else SandboxError(KILLED_FROM_OUTSIDE)
        if self._end.code == NO_LOG and not self._output.has_connected():
            raise SandboxError(f"{LOST_LOG}.")
        return self._end

    async def stop(self) -> None:
        """End it, keeping how it ended and what it wrote last, and clear the container for the next one."""
        if self._stopping is None:
            self.controller.thaw()  # a frozen fork server reads no command
            self._stopping = asyncio.ensure_future(self._clear())
        await asyncio.shield(self._stopping)  # a caller that is cancelled meanwhile does not stop it

    async def log_tail(self) -> str:
        """Give the end of what it wrote to stdout and stderr; works after `stop` too."""
        return str(self._output)

    async def peak_memory(self) -> int | None:
        """Give None: the kernel counts for all instances of the container together."""
        return None

    async def _clear(self) -> None:
        is_clear = await self.container.clear()
        await self._note_end()
        self._end = self._end or KILLED
        self._output.close()
        is_clear = is_clear and not self._group.out_of_memory()
        self.controller.close()
        self._stopped.set()
        await self._give_back(self, is_clear)

    async def _note_end(self) -> None:
        """Note how it ended, if it did so by itself."""
        if self._end is None and self._ended.done():
            self._end = _exit(self._ended.result(), self._group.out_of_memory())
        elif self._end is None and self.container.lost.is_set():
            # For want of memory the kernel may have ended the whole container. One with a kernel of its own ends for
            # other reasons, too, and the engine does not always say which: there it is the bot's doing.
            end = await self._look(self.container)
            has_ended_itself = has_own_kernel(self.container.plan.runtime) and end is not KILLED
            is_its_doing = end is not None and (end.oom or has_ended_itself)
            self._end = self._end or (end if is_its_doing else None)
            self._is_lost = end is LOST


async def _first(future: asyncio.Future[int], *waits: Coroutine[Any, Any, object]) -> None:
    """Wait until one of them is done, and for the others no longer."""
    waiting: list[asyncio.Future[Any]] = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait((future, *waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()


def _exit(status: int, out_of_memory: bool) -> Exit:
    """Give the end that the launcher and the engine would report of a program that ended so."""
    code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return Exit(code, out_of_memory)

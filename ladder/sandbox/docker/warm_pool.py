"""The warm containers that no instance is in: which one may be used next, and which have to go."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ladder.values.sandbox_kind import WARM_BYTES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ladder.sandbox.docker.container_plan import ContainerPlan
    from ladder.sandbox.docker.warm_container import WarmContainer

MAX_USES = 1000
"""Instances after which a container is removed: it keeps traces of each of them, and a new one costs them no time."""
IDLE_SECONDS = 600.0
"""Seconds without use after which a container is removed."""


class WarmPool:
    """Keeps containers between instances, those used last for longest."""

    def __init__(
        self,
        launch: Callable[[ContainerPlan], Awaitable[WarmContainer]],
        remove: Callable[[WarmContainer], Awaitable[None]],
        max_bytes: int = WARM_BYTES,
        idle_seconds: float = IDLE_SECONDS,
        max_uses: int = MAX_USES,
    ) -> None:
        """
        Begin with none.

        Args:
            launch: Makes a container.
            remove: Removes one.
            max_bytes: What those without an instance may have together.
            idle_seconds: Seconds that one may be without an instance.
            max_uses: Instances that one may have, one after the other.
        """
        self._launch = launch
        self._remove = remove
        self._max_bytes = max_bytes
        self._idle_seconds = idle_seconds
        self._max_uses = max_uses
        self._idle: dict[WarmContainer, asyncio.TimerHandle] = {}
        """The one used last at the end, each with what will remove it."""
        self._removing: set[asyncio.Task[None]] = set()

    def plans(self) -> set[ContainerPlan]:
        """Give the images of the idle containers."""
        return {container.plan for container in self._idle}

    async def take(self, plan: ContainerPlan, deals: str) -> WarmContainer:
        """
        Give a container in which no instance has seen *deals*; a new one if there is none.

        Raises:
            SandboxError: If none can be made.
        """
        for container in [each for each in self._idle if each.lost.is_set()]:
            self._drop(container)
        fitting = [each for each in self._idle if each.plan == plan and deals not in each.seen]
        if fitting:
            container = fitting[-1]
            self._idle.pop(container).cancel()
        else:
            container = await self._launch(plan)
        container.seen.add(deals)
        return container

    async def give_back(self, container: WarmContainer, is_clear: bool) -> None:
        """Keep a container for the next instance, if it is clear; make room for it."""
        if not is_clear or container.lost.is_set() or len(container.seen) >= self._max_uses:
            await self._remove(container)
            return
        later = asyncio.get_running_loop().call_later(self._idle_seconds, self._drop, container)
        self._idle[container] = later
        while len(self._idle) > 1 and self._bytes() > self._max_bytes:
            self._drop(next(iter(self._idle)))

    async def close(self) -> None:
        """Remove them all."""
        for container in list(self._idle):
            self._drop(container)
        await asyncio.gather(*self._removing, return_exceptions=True)

    def _bytes(self) -> int:
        return sum(container.group.memory() or 0 for container in self._idle)

    def _drop(self, container: WarmContainer) -> None:
        self._idle.pop(container).cancel()
        removing = asyncio.ensure_future(self._remove(container))
        self._removing.add(removing)
        removing.add_done_callback(self._removing.discard)

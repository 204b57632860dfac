"""The images whose files are kept in memory: those that play, and some that played last."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container

    from ladder.sandbox.docker.container_plan import ContainerPlan
    from ladder.sandbox.docker.image_lock import ImageLock
    from referee.records.lines import ImageFiles

MAX_IMAGES = 64
"""Images kept at one time, as long as fewer play. A lock costs a container that sleeps; images share their base."""
SHARE = 0.25
"""Share of the machine's memory that images that do not play may have together."""


class LockedImages:
    """Locks images when they are used, and unlocks those least recently used."""

    def __init__(
        self,
        lock: Callable[[ContainerPlan], Awaitable[ImageLock]],
        unlock: Callable[[ImageLock], Awaitable[None]],
        playing: Callable[[], Container[ContainerPlan]],
        max_images: int = MAX_IMAGES,
        max_bytes: int | None = None,
    ) -> None:
        """
        Begin with none.

        Args:
            lock: Locks an image, or reads it where it cannot be locked.
            unlock: Unlocks it.
            playing: The images that may not be unlocked now.
            max_images: How many to keep at most, unless more play.
            max_bytes: What they may have together, unless those that play have more; None: a share of the memory.
        """
        self._lock = lock
        self._unlock = unlock
        self._playing = playing
        self._max_images = max_images
        self._max_bytes = memory_share() if max_bytes is None else max_bytes
        self._locks: dict[ContainerPlan, asyncio.Future[ImageLock]] = {}
        """By image, the most recently used one at the end."""

    async def ensure(self, image: ContainerPlan) -> ImageFiles:
        """
        Make sure that an image's files are in memory: locked, or else read now.

        Raises:
            BotRejected: If that image cannot be kept in memory.
            SandboxError: If the engine fails.
        """
        before = self._locks.pop(image, None)
        locking = before
        if locking is None or _is_over(locking):
            locking = asyncio.ensure_future(self._lock(image))
        self._locks[image] = locking
        if before is not None and before is not locking:
            await self._let_go(before)
        try:
            lock = await asyncio.shield(locking)
        finally:
            if locking.done() and _is_over(locking) and self._locks.get(image) is locking:
                del self._locks[image]
        await self._unlock_oldest()
        return lock.files

    async def close(self) -> None:
        """Wait for what is under way; the sandbox removes the containers when it is closed."""
        locks, self._locks = list(self._locks.values()), {}
        for found in await asyncio.gather(*locks, return_exceptions=True):
            if not isinstance(found, BaseException):
                found.close()

    async def _unlock_oldest(self) -> None:
        playing = self._playing()
        idle = [image for image, lock in self._locks.items() if lock.done() and image not in playing]
        while idle and self._are_too_many():
            await self._let_go(self._locks.pop(idle.pop(0)))

    def _are_too_many(self) -> bool:
        return len(self._locks) > self._max_images or sum(image.size for image in self._locks) > self._max_bytes

    async def _let_go(self, locking: asyncio.Future[ImageLock]) -> None:
        if locking.done() and not locking.cancelled() and not locking.exception():
            lock = locking.result()
            lock.close()
            await self._unlock(lock)


def memory_share() -> int:
    """Give the bytes of this machine's memory that locked images that do not play may take."""
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * SHARE)


def _is_over(locking: asyncio.Future[ImageLock]) -> bool:
    """Tell whether a lock that was asked for does not hold any more, or never did."""
    return locking.done() and (locking.cancelled() or bool(locking.exception()) or not locking.result().holds())

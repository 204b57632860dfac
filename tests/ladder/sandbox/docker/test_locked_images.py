"""Images kept in memory, and the end of that; a fake locks them here."""

from __future__ import annotations

import asyncio

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.docker.container_plan import ContainerPlan, EngineFacts
from ladder.sandbox.docker.image_lock import ImageLock, LockedImages

ENGINE = EngineFacts("x86_64", frozenset({"runc"}), "cgroupfs")


def image(name: str, size: int = 1) -> ContainerPlan:
    return ContainerPlan(name, ("bot",), size, "runc", ENGINE)


class Lock(ImageLock):
    """A lock that can break."""

    broken = False

    def holds(self) -> bool:
        return super().holds() and not self.broken


class Locker:
    """Counts what is locked and unlocked."""

    def __init__(self, *, locks: bool = True, most: int = 2) -> None:
        self.locked: list[str] = []
        self.unlocked: list[str] = []
        self.made: list[Lock] = []
        self.playing: set[ContainerPlan] = set()
        self.fails = False
        self._locks = locks
        self.images = LockedImages(self._lock, self._unlock, lambda: self.playing, most, max_bytes=100)

    async def _lock(self, plan: ContainerPlan) -> ImageLock:
        self.locked.append(plan.image)
        await asyncio.sleep(0)
        if self.fails:
            raise SandboxError("The engine is gone.")
        self.made.append(Lock("locked" if self._locks else "read", plan.image))
        return self.made[-1]

    async def _unlock(self, lock: ImageLock) -> None:
        self.unlocked.append(lock.container)


async def test_an_image_that_is_wanted_by_many_at_once_is_locked_once() -> None:
    locker = Locker()
    assert await asyncio.gather(*(locker.images.ensure(image("a")) for _ in range(4))) == ["locked"] * 4
    assert await locker.images.ensure(image("a")) == "locked"
    assert locker.locked == ["a"]


async def test_the_image_that_was_wanted_longest_ago_is_unlocked_when_there_are_too_many() -> None:
    locker = Locker()
    for name in ("a", "b", "a", "c"):
        await locker.images.ensure(image(name))
    assert locker.unlocked == ["b"]


async def test_an_image_that_plays_stays_locked() -> None:
    locker = Locker()
    locker.playing = {image("a"), image("b")}
    for name in ("a", "b", "c", "d"):
        await locker.images.ensure(image(name))
    assert locker.unlocked == ["c", "d"]


async def test_a_lock_that_has_broken_is_made_anew() -> None:
    locker = Locker()
    await locker.images.ensure(image("a"))
    locker.made[0].broken = True
    await locker.images.ensure(image("a"))
    assert (locker.locked, locker.unlocked) == (["a", "a"], ["a"])


async def test_images_that_do_not_play_have_a_limit_of_memory_together() -> None:
    locker = Locker(most=9)
    locker.playing = {image("a", 90)}
    for name, size in (("a", 90), ("b", 10), ("c", 10), ("d", 80)):
        await locker.images.ensure(image(name, size))
    assert locker.unlocked == ["b", "c", "d"]


async def test_what_cannot_be_locked_is_read_whenever_it_is_wanted() -> None:
    locker = Locker(locks=False)
    assert await asyncio.gather(*(locker.images.ensure(image("a")) for _ in range(4))) == ["read"] * 4
    assert await locker.images.ensure(image("a")) == "read"
    assert locker.locked == ["a", "a"]


async def test_a_failure_is_told_to_all_who_wait_and_not_remembered() -> None:
    locker = Locker()
    locker.fails = True
    found = await asyncio.gather(*(locker.images.ensure(image("a")) for _ in range(2)), return_exceptions=True)
    assert [str(error) for error in found] == ["The engine is gone."] * 2
    locker.fails = False
    assert await locker.images.ensure(image("a")) == "locked"


async def test_who_gives_up_waiting_does_not_stop_the_lock() -> None:
    locker = Locker()
    waiting = asyncio.ensure_future(locker.images.ensure(image("a")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await locker.images.ensure(image("a")) == "locked"
    assert locker.locked == ["a"]

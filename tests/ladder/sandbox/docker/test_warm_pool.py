"""Warm containers that are kept, and the end of that; without an engine."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from ladder.sandbox.docker.container_plan import ContainerPlan, EngineFacts, ForkPlan
from ladder.sandbox.docker.warm_container import WarmPool

if TYPE_CHECKING:
    from ladder.sandbox.docker.warm_container import WarmContainer

ENGINE = EngineFacts("x86_64", frozenset({"runc"}), "cgroupfs")
FAR = 3600.0


def plan(image: str) -> ContainerPlan:
    return ContainerPlan(image, ("python", "bot.py"), 1, "runc", ENGINE, ForkPlan(("bot.py",), ""))


class Group:
    def memory(self) -> int:
        return 20


class Container:
    def __init__(self, plan: ContainerPlan) -> None:
        self.plan = plan
        self.group = Group()
        self.seen: set[str] = set()
        self.lost = asyncio.Event()


class Pool(WarmPool):
    """Containers that are no containers."""

    def __init__(self, max_bytes: int = 1000, idle_seconds: float = FAR, max_uses: int = 1000) -> None:
        self.launched: list[Any] = []
        self.removed: list[Any] = []
        super().__init__(self._make, self._note, max_bytes, idle_seconds, max_uses)

    async def _make(self, plan: ContainerPlan) -> WarmContainer:
        self.launched.append(Container(plan))
        return cast("WarmContainer", self.launched[-1])

    async def _note(self, container: WarmContainer) -> None:
        self.removed.append(container)


async def used(pool: Pool, image: str, deals: str) -> WarmContainer:
    container = await pool.take(plan(image), deals)
    await pool.give_back(container, is_clear=True)
    return container


async def test_a_container_is_used_again_for_other_deals_of_its_image_only() -> None:
    pool = Pool()
    first = await used(pool, "a", "1")
    assert await used(pool, "a", "2") is first
    assert await used(pool, "a", "1") is not first
    assert await used(pool, "b", "3") is not first
    assert pool.plans() == {plan("a"), plan("b")}
    await pool.close()
    assert pool.removed == pool.launched


async def test_one_that_is_taken_is_nobody_elses() -> None:
    pool = Pool()
    one, other = await asyncio.gather(pool.take(plan("a"), "1"), pool.take(plan("a"), "2"))
    assert one is not other
    assert pool.plans() == set()
    await pool.close()


async def test_one_that_is_not_clear_goes() -> None:
    pool = Pool()
    first = await pool.take(plan("a"), "1")
    await pool.give_back(first, is_clear=False)
    assert pool.removed == [first]
    assert await used(pool, "a", "2") is not first
    await pool.close()


async def test_one_that_was_lost_while_idle_is_not_used() -> None:
    pool = Pool()
    first = await used(pool, "a", "1")
    first.lost.set()
    assert await used(pool, "a", "2") is not first
    await pool.close()
    assert pool.removed == pool.launched


async def test_one_that_was_lost_while_used_goes() -> None:
    pool = Pool()
    first = await pool.take(plan("a"), "1")
    first.lost.set()
    await pool.give_back(first, is_clear=True)
    assert pool.removed == [first]


async def test_those_that_were_not_used_for_longest_make_room() -> None:
    pool = Pool(max_bytes=50)
    containers = [await used(pool, image, "1") for image in "abc"]
    await asyncio.sleep(0)
    assert pool.removed == containers[:1]
    assert await used(pool, "b", "2") is containers[1]
    await used(pool, "d", "1")
    await asyncio.sleep(0)
    assert pool.removed == [containers[0], containers[2]]
    await pool.close()


async def test_the_last_one_stays_however_large_it_is() -> None:
    pool = Pool(max_bytes=1)
    first = await used(pool, "a", "1")
    assert await used(pool, "a", "2") is first
    await pool.close()


async def test_one_that_nobody_wants_goes_after_a_while() -> None:
    pool = Pool(idle_seconds=0.0)
    first = await used(pool, "a", "1")
    while not pool.removed:
        await asyncio.sleep(0)
    assert pool.removed == [first]
    assert pool.plans() == set()


async def test_one_that_has_been_used_often_goes() -> None:
    pool = Pool(max_uses=2)
    first = await used(pool, "a", "1")
    assert pool.removed == []
    assert await used(pool, "a", "2") is first
    assert pool.removed == [first]

"""Facts that a worker reports of itself, where some take long to find out."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime

import pytest

from ladder.cluster.facts import Facts
from ladder.values.value import LAST_SECOND

SOON, NEVER = 0.01, 60.0
"""Seconds: so short that nothing new is known by then; so long that no test waits for it."""


class SlowFacts(Facts):
    """Counts images only when it is allowed to."""

    def __init__(self) -> None:
        super().__init__("mars", 2, self._count)
        self.counted, self.fails = 0, False
        self.may_count = threading.Semaphore(0)
        self._asked = float("inf")  # the Docker engine is not asked

    def _count(self) -> tuple[int, int]:
        assert self.may_count.acquire(timeout=NEVER)
        self.counted += 1
        if self.fails:
            raise OSError("The disk is gone.")
        return self.counted, 0


async def test_several_may_ask_at_once_and_one_of_them_asks_the_machine() -> None:
    facts = SlowFacts()
    asking = [asyncio.create_task(facts.latest(NEVER)) for _ in range(3)]
    await asyncio.sleep(0)
    facts.may_count.release()
    assert [each.images for each in await asyncio.gather(*asking)] == [1, 1, 1]


async def test_what_was_known_is_said_while_the_machine_is_asked_but_that_it_leaves_at_once() -> None:
    facts = SlowFacts()
    facts.may_count.release()
    first = await facts.latest(SOON)
    facts.leaving = True
    second = await facts.latest(SOON)
    assert (first.images, first.leaving, second.images, second.leaving) == (1, False, 1, True)
    assert second.clock > first.clock
    facts.may_count.release()


async def test_what_was_known_is_said_where_it_cannot_be_found_out_and_then_it_is_tried_again() -> None:
    facts = SlowFacts()
    facts.may_count.release(4)
    facts.fails = True
    with pytest.raises(OSError, match="The disk is gone"):
        await facts.latest(NEVER)
    facts.fails = False
    assert (await facts.latest(NEVER)).images == 2
    facts.fails = True
    assert (await facts.latest(NEVER)).images == 2
    facts.fails = False
    assert (await facts.latest(NEVER)).images == 4


async def test_a_certificate_that_never_expires_is_reported_with_the_last_moment_that_there_is() -> None:
    facts = SlowFacts()
    facts.may_count.release(2)
    assert (await facts.latest(NEVER)).certificate_ends is None
    facts.certificate_ends = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
    assert (await facts.latest(NEVER)).certificate_ends == LAST_SECOND

"""Events are collected, sent together, and bounded while they are not taken."""

from __future__ import annotations

import asyncio
import json

import pytest

from ladder.worker.live_observer import BUFFER_CHARACTERS, LiveSender


class Taker:
    """Takes batches while it is open."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.is_open = True
        self.offered = asyncio.Event()

    def __call__(self, batch: str) -> bool:
        self.offered.set()
        if self.is_open:
            self.batches.append(batch.split("\n"))
        return self.is_open


@pytest.fixture
def taker() -> Taker:
    return Taker()


@pytest.fixture
def sender(taker: Taker) -> LiveSender:
    return LiveSender(taker, flush_seconds=0.001)


async def test_what_comes_within_a_moment_is_sent_together(sender: LiveSender, taker: Taker) -> None:
    for line in "abc":
        sender.send(line)
    assert taker.batches == []
    await taker.offered.wait()
    assert taker.batches == [["a", "b", "c"]]
    sender.send("d")
    sender.flush()
    assert taker.batches == [["a", "b", "c"], ["d"]]


async def test_nothing_is_sent_where_nothing_happened(sender: LiveSender, taker: Taker) -> None:
    sender.flush()
    assert taker.batches == []


async def test_what_is_not_taken_is_offered_again(sender: LiveSender, taker: Taker) -> None:
    taker.is_open = False
    sender.send("a")
    await taker.offered.wait()
    sender.send("b")
    taker.is_open = True
    taker.offered.clear()
    await taker.offered.wait()
    assert taker.batches == [["a", "b"]]


async def test_what_finds_no_room_is_a_gap(sender: LiveSender, taker: Taker) -> None:
    half = "a" * (BUFFER_CHARACTERS // 2)
    taker.is_open = False
    for line in (half, half, "c", "dd"):
        sender.send(line)
    taker.is_open = True
    sender.flush()
    (batch,) = taker.batches
    assert [len(line) for line in batch[:2]] == [len(half)] * 2
    assert [json.loads(line) for line in batch[2:]] == [{"type": "gap", "missed": 2}]


async def test_after_a_gap_there_is_room_again(sender: LiveSender, taker: Taker) -> None:
    sender.send("a" * BUFFER_CHARACTERS)
    sender.send("b")
    await taker.offered.wait()
    sender.send("c")
    sender.flush()
    gap, after = taker.batches
    assert (len(gap), after) == (2, ["c"])

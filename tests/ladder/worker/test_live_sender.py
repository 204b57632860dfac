"""Events are collected, sent together, and bounded while nobody takes them."""

from __future__ import annotations

import asyncio
import json

import pytest

from ladder.worker import live_sender
from ladder.worker.live_sender import LiveSender


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
def taker(monkeypatch: pytest.MonkeyPatch) -> Taker:
    monkeypatch.setattr(live_sender, "FLUSH_SECONDS", 0.001)
    return Taker()


async def test_what_comes_within_a_moment_is_sent_together(taker: Taker) -> None:
    sender = LiveSender(taker)
    for line in "abc":
        sender.send(line)
    assert taker.batches == []
    await taker.offered.wait()
    assert taker.batches == [["a", "b", "c"]]
    sender.send("d")
    sender.flush()
    assert taker.batches == [["a", "b", "c"], ["d"]]


async def test_nothing_is_sent_where_nothing_happened(taker: Taker) -> None:
    LiveSender(taker).flush()
    assert taker.batches == []


async def test_what_is_not_taken_is_offered_again(taker: Taker) -> None:
    taker.is_open = False
    sender = LiveSender(taker)
    sender.send("a")
    await taker.offered.wait()
    sender.send("b")
    taker.is_open = True
    taker.offered.clear()
    await taker.offered.wait()
    assert taker.batches == [["a", "b"]]


async def test_what_finds_no_room_is_a_gap(taker: Taker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_sender, "BUFFER_CHARACTERS", 4)
    taker.is_open = False
    sender = LiveSender(taker)
    for line in ("aa", "bb", "c", "dd"):
        sender.send(line)
    taker.is_open = True
    sender.flush()
    (batch,) = taker.batches
    assert batch[:2] == ["aa", "bb"]
    assert [json.loads(line) for line in batch[2:]] == [{"type": "gap", "missed": 2}]


async def test_after_a_gap_there_is_room_again(taker: Taker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_sender, "BUFFER_CHARACTERS", 1)
    sender = LiveSender(taker)
    sender.send("a")
    sender.send("b")
    await taker.offered.wait()
    sender.send("c")
    sender.flush()
    assert [len(batch) for batch in taker.batches] == [2, 1]

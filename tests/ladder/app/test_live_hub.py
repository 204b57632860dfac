"""Many viewers of few matches: each sees everything once, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import weakref
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.app.live_hub import LiveHub, LiveTail, PollPace
from ladder.errors import LadderError
from ladder.results.live_folder import LiveChunk, LiveFile, LiveFolder
from ladder.runner.live_writer import LiveWriter
from ladder.store import models
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import enter, lease, queue

if TYPE_CHECKING:
    from ladder.app.live_hub import LiveViewer
    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from ladder.values.live_events import LiveEvent

__all__ = ["backend"]

LINES = [f'{{"type":"play","card":"{number}"}}' for number in range(2000)]


@pytest.fixture
def ladder(database: Database, settings: Settings) -> Ladder:
    """A ladder that plays matches 1 and 2."""
    with database.write() as session:
        versions = [enter(session, bot) for bot in ("Trotter", "Snout", "Truffle", "Sty")]
        for seed in "12":
            lease(session, queue(session, versions, seed=seed))
    return Ladder(settings, database)


@pytest.fixture
def writer(ladder: Ladder) -> Iterator[LiveWriter]:
    writer = LiveWriter(LiveFolder(ladder.settings.data_dir))
    for match in (1, 2):
        writer.begin(match, 1)
    yield writer
    writer.close()


@asynccontextmanager
async def opened(ladder: Ladder, pace: PollPace) -> AsyncIterator[LiveHub]:
    hub = LiveHub(ladder, pace)
    yield hub
    await hub.close()
    assert (hub.matches, hub.viewers) == (0, 0)


@pytest.fixture
async def hub(ladder: Ladder) -> AsyncIterator[LiveHub]:
    async with opened(ladder, PollPace(poll_seconds=0.002, doubt_seconds=3600)) as hub:
        yield hub


@pytest.fixture
async def doubting(ladder: Ladder) -> AsyncIterator[LiveHub]:
    """A hub that soon asks the ladder whether a match is still being played."""
    async with opened(ladder, PollPace(poll_seconds=0.002, doubt_seconds=0.01)) as hub:
        yield hub


async def take(viewer: LiveViewer, count: int) -> list[LiveEvent]:
    return [await anext(viewer) for _ in range(count)]


async def everything(viewer: LiveViewer) -> list[int]:
    async with viewer:
        return [event.id async for event in viewer]


async def waiting(viewer: LiveViewer) -> asyncio.Task[LiveEvent]:
    """A viewer that has seen everything and waits for more."""
    task = asyncio.ensure_future(anext(viewer))
    while not (viewer._tail and viewer.news._waiters):
        assert not task.done()
        await asyncio.sleep(0)
    return task


def set_status(database: Database, status: models.Status, attempt: int = 1) -> None:
    with database.write() as session:
        match = session.get_one(models.StoredMatch, 1)
        match.status, match.attempt = status, attempt


async def test_a_viewer_sees_what_was_and_what_comes_up_to_the_end(hub: LiveHub, writer: LiveWriter) -> None:
    writer.append(1, 1, "\n".join(LINES[:3]))
    viewer = hub.follow(1)
    assert [event.id for event in await take(viewer, 3)] == [1, 2, 3]
    more = await waiting(viewer)
    writer.append(1, 1, LINES[3])
    assert (await more).line == '{"id":4,"type":"play","card":"3"}'
    writer.end(1, 1, "done")
    assert [(event.id, event.type) async for event in viewer] == [(5, "end")]
    assert hub.matches == 0


async def test_a_viewer_may_come_before_the_first_event(hub: LiveHub, writer: LiveWriter) -> None:
    first = await waiting(hub.follow(1))
    writer.append(1, 1, LINES[0])
    assert (await first).id == 1


async def test_a_viewer_goes_on_after_the_event_that_it_knows(hub: LiveHub, writer: LiveWriter) -> None:
    writer.append(1, 1, "\n".join(LINES))
    writer.end(1, 1, "done")
    assert await everything(hub.follow(1, "1-1990")) == list(range(1991, 2002))
    assert await everything(hub.follow(1, "2-1990")) == list(range(1, 2002))
    assert await everything(hub.follow(1, "1-2001")) == [2001]  # it knows the end: told again, that it may leave


async def test_two_hundred_viewers_see_everything_and_share_what_is_read(
    hub: LiveHub, writer: LiveWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = 0
    read = LiveFile.read

    def counted(self: LiveFile, offset: int) -> LiveChunk:
        nonlocal reads
        chunk = read(self, offset)
        reads += bool(chunk.events)
        return chunk

    monkeypatch.setattr(LiveFile, "read", counted)
    writer.append(1, 1, "\n".join(line.ljust(100) for line in LINES[:1000]))
    viewers = [asyncio.ensure_future(everything(hub.follow(1))) for _ in range(200)]
    while hub.viewers < 200:
        await asyncio.sleep(0.001)
    assert hub.matches == 1
    for line in LINES[1000:1010]:
        writer.append(1, 1, line)
        await asyncio.sleep(0.004)
    writer.end(1, 1, "done")
    assert await asyncio.gather(*viewers) == [list(range(1, 1012))] * 200
    assert reads < 100, "each viewer alone would have read as often as there were chunks"


async def test_a_slow_viewer_holds_up_nobody_and_loses_nothing(hub: LiveHub, writer: LiveWriter) -> None:
    slow = hub.follow(1)
    writer.append(1, 1, LINES[0])
    await take(slow, 1)
    writer.append(1, 1, "\n".join(LINES[1:]))
    writer.end(1, 1, "done")
    assert len(await everything(hub.follow(1))) == 2001
    assert await everything(slow) == list(range(2, 2002))


async def test_the_last_viewer_s_leaving_frees_everything(hub: LiveHub, writer: LiveWriter) -> None:
    writer.append(1, 1, LINES[0])
    gc.collect()
    files = len(os.listdir("/proc/self/fd"))
    viewers = [hub.follow(1), hub.follow(1)]
    for viewer in viewers:
        await take(viewer, 1)
    known = weakref.ref(viewers[0]._tail or viewers)
    assert isinstance(known(), LiveTail)
    await viewers[0].aclose()
    assert (hub.viewers, hub.matches) == (1, 1)
    await viewers[1].aclose()
    assert (hub.viewers, hub.matches) == (0, 0)
    del viewer
    viewers.clear()
    while known() is not None:  # its task ends
        await asyncio.sleep(0)
        gc.collect()
    assert len(os.listdir("/proc/self/fd")) == files


async def test_closing_ends_one_that_waits_at_once(hub: LiveHub, writer: LiveWriter) -> None:
    viewer = hub.follow(1)
    task = await waiting(viewer)
    await viewer.aclose()
    with pytest.raises(StopAsyncIteration):
        await task
    with pytest.raises(StopAsyncIteration):
        await anext(viewer)
    assert hub.matches == 0


async def test_one_that_is_cancelled_is_let_out(hub: LiveHub, writer: LiveWriter) -> None:
    task = asyncio.ensure_future(everything(hub.follow(1)))
    while not hub.viewers:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert hub.matches == 0


async def test_closing_the_hub_ends_everybody(hub: LiveHub, writer: LiveWriter) -> None:
    tasks = [await waiting(hub.follow(match)) for match in (1, 1, 2)]
    late = asyncio.ensure_future(everything(hub.follow(1)))
    await asyncio.sleep(0)  # it asks the ladder
    await hub.close()
    for task in tasks:
        with pytest.raises(StopAsyncIteration):
            await task
    assert await late == []
    assert await everything(hub.follow(2)) == []


async def test_a_match_whose_run_was_killed_ends_too(doubting: LiveHub, writer: LiveWriter, database: Database) -> None:
    writer.append(1, 1, LINES[0])
    viewer = doubting.follow(1)
    await take(viewer, 1)
    set_status(database, models.Status.QUEUED)
    last = await anext(viewer)
    assert (last.id, json.loads(last.line)) == (2, {"id": 2, "type": "end", "outcome": "void"})


async def test_if_its_next_attempt_has_begun_the_old_one_is_void(
    doubting: LiveHub, writer: LiveWriter, database: Database
) -> None:
    writer.append(1, 1, LINES[0])
    viewer = doubting.follow(1)
    await take(viewer, 1)
    set_status(database, models.Status.LEASED, attempt=2)
    assert json.loads((await anext(viewer)).line)["outcome"] == "void"
    writer.begin(1, 2)
    writer.append(1, 2, LINES[0])
    again = doubting.follow(1, "1-2")
    assert [(event.attempt, event.id) for event in await take(again, 1)] == [(2, 1)]


async def test_a_match_that_is_done_ends_at_once_with_or_without_its_file(
    hub: LiveHub, writer: LiveWriter, database: Database
) -> None:
    set_status(database, models.Status.DONE)
    async with hub.follow(1) as viewer:
        assert [(event.id, event.type) async for event in viewer] == [(1, "end")]
    writer.append(1, 1, "\n".join(LINES[:3]))
    assert await everything(hub.follow(1)) == [1, 2, 3, 4]


async def test_a_match_that_is_not_there_is_told(hub: LiveHub) -> None:
    with pytest.raises(LadderError, match="There is no match 5"):
        await anext(hub.follow(5))

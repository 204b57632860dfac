"""Matches of a real ladder run, watched while worker processes play them."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.app.live_hub import LiveHub
from ladder.app.live_matches import events, running
from ladder.results.live_folder import LiveFolder
from ladder.store import models
from ladder.values.live_events import LiveEnd, LiveMatch, LiveOpened, LivePlayed, LiveScored, parse
from referee.records.file import read_record
from referee.records.lines import DealLine
from tests.e2e.small_ladder import PATIENT, SmallLadder, small_ladder, until, waiting_for
from tests.e2e.small_ladder import events as logged
from tests.e2e.test_killed_workers import assert_whole, named, two_at_work
from tests.processes import has_ended
from tests.referee.wires import found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.live_events import LiveEvent

TWO = {"PIGPEN_WORKERS": "2", **PATIENT}


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def small(tmp_path: Path, gate: Path) -> Iterator[SmallLadder]:
    """A ladder whose bots answer no question before there is a file *gate*."""
    with small_ladder(tmp_path, program=waiting_for(gate)) as small:
        yield small


@pytest.fixture
def ladder(small: SmallLadder) -> Ladder:
    return Ladder(small.settings, small.database)


def wait_for_both(ladder: Ladder, attempt: int) -> None:
    """Until a deal of matches 1 and 2 has begun, at this attempt."""
    for match in (1, 2):
        wait_for(ladder, match, attempt)


def wait_for(ladder: Ladder, match: int, attempt: int) -> None:
    """Until a deal of the match has begun, at this attempt."""
    while not (len((page := events(ladder, match)).events) > 1 and page.attempt == attempt):
        time.sleep(0.05)


async def followed(ladder: Ladder, gate: Path, *matches: int) -> list[list[LiveEvent]]:
    """Open the gate when each match has a viewer, and give what they have seen up to the end."""
    hub = LiveHub(ladder)

    async def follow(match: int) -> list[LiveEvent]:
        async with hub.follow(match) as viewer:
            return [event async for event in viewer]

    viewers = [asyncio.ensure_future(follow(match)) for match in matches]
    while hub.viewers < len(matches):
        await asyncio.sleep(0.01)
    gate.touch()
    return await asyncio.gather(*viewers)


def test_a_killed_worker_s_match_is_played_again_and_told_anew_and_the_other_goes_on(
    small: SmallLadder, ladder: Ladder, gate: Path
) -> None:
    with small.running("--matches", "3", "--concurrency", "2", **TWO) as runner:
        begun = until(runner, "worker.started", "worker.started", "match.started", "match.started")
        wait_for_both(ladder, 1)
        assert_both_run(ladder)
        started = named(begun, "worker.started")
        first = next(event["pid"] for event in started if event["worker"] == 0)
        os.kill(first, signal.SIGKILL)
        seen = until(runner, "worker.lost", "match.void")
        parsed = [parse(line) for line in LiveFolder(small.settings.data_dir).path(1, 1).read_bytes().splitlines()]
        assert parsed[-1] == LiveEnd(id=len(parsed), outcome="void")
        wait_for(ladder, 1, 2)
        assert events(ladder, 1, "1-1").events[0].id == 1
        followed_to_the_end = asyncio.run(followed(ladder, gate, 1, 2))
        out, err = runner.communicate()
        seen += logged(err)
    assert (runner.returncode, out.split(" (")[0]) == (0, "3 matches recorded")
    reason = f"Worker 0 (process {first}) was ended by signal 9."
    assert [event["reason"] for event in named(seen, "worker.lost") + named(seen, "match.void")] == [reason] * 2
    assert [event["worker"] for event in named(seen, "worker.started")] == [0]
    assert small.attempts()[:2] == [(1, 2, 1), (2, 1, 0)]
    assert_whole(small, 3)
    assert running(ladder) == []
    with small.database.read() as session:
        seeds = [match.seed for match in session.scalars(select(models.StoredMatch).order_by(models.StoredMatch.id))]
    for match, attempt, seed, received in zip((1, 2), (2, 1), seeds, followed_to_the_end, strict=False):
        assert {event.attempt for event in received} == {attempt}
        assert_tells_all(ladder, match, attempt, received)
        lines = "\n".join(event.line for event in received).encode()
        assert lines == LiveFolder(small.settings.data_dir).path(match, attempt).read_bytes().rstrip()
        assert not found(bytes.fromhex(seed), lines)


def assert_both_run(ladder: Ladder) -> None:
    """Matches 1 and 2 are told of as running, each up to its first card that is not forced."""
    rows = running(ladder)
    assert [(row.match, row.attempt, len(row.bots)) for row in rows] == [(1, 1, 2), (2, 1, 2)]
    for row in rows:
        assert row.progress is not None
        assert (row.progress.public, row.progress.deals, row.progress.deals_done) == ("played", 2, 0)
        # Who holds the two of clubs leads it; who has one other club must follow with it.
        assert [(table.moment.trick, str(table.moment.cards[0])) for table in row.progress.tables] == [(1, "2C")]


def assert_tells_all(ladder: Ladder, match: int, attempt: int, received: list[LiveEvent]) -> None:
    """Assert that the events are those of the record, and none of them came too early."""
    assert [event.id for event in received] == list(range(1, len(received) + 1))
    parsed = [parse(event.line) for event in received]
    deals = [line for line in read_record(ladder.files.record(match, attempt)) if isinstance(line, DealLine)]
    assert isinstance(parsed[0], LiveMatch)
    assert parsed[-1] == LiveEnd(id=len(received), outcome="done")
    assert [each.line for each in parsed if isinstance(each, LiveOpened)] == deals
    for line in deals:
        plays = [
            (each.seat, each.card) for each in parsed if isinstance(each, LivePlayed) and each.table == line.rotation
        ]
        assert plays == [(step.seat, step.play) for step in line.steps if step.play]
    last = max(place for place, each in enumerate(parsed) if isinstance(each, LiveScored))
    first_open = min(place for place, each in enumerate(parsed) if isinstance(each, LiveOpened))
    assert last < first_open, "there is one board: its cards are played up to the last table's last trick"
    for event in received[:last]:
        assert len(re.findall(r"[2-9TJQKA][CDHS]\b", event.line)) == (event.type == "play"), event.line


@pytest.mark.parametrize("kills", [0, pytest.param(1, marks=pytest.mark.long)])
def test_what_killed_runs_left_is_cleared_away_and_their_matches_are_played_again(
    small: SmallLadder, ladder: Ladder, gate: Path, kills: int
) -> None:
    """Runs whose coordinator is killed alone, before all is killed."""
    folder = LiveFolder(small.settings.data_dir)
    for _ in range(kills):
        with small.running("--concurrency", "2", **TWO) as runner:
            workers = two_at_work(small, runner)
            runner.kill()
            runner.communicate()  # until the last worker has closed stderr, too
            while not all(map(has_ended, workers)):
                time.sleep(0.01)
            assert small.processes() == []
            assert list(small.scratch.iterdir()) == [], "a killed coordinator's workers end and leave nothing"
    killed = [(1, kills + 1), (2, kills + 1)]
    with small.running("--concurrency", "2", **TWO) as runner:
        workers = two_at_work(small, runner)
        wait_for_both(ladder, kills + 1)
        assert folder.attempts() == killed
        for pid in (*workers, runner.pid):
            os.kill(pid, signal.SIGKILL)
        runner.communicate()
    assert folder.attempts() == killed
    gate.touch()
    assert small.pigpen("ladder", "run", "--matches", "2", **PATIENT).returncode == 0
    assert [attempt for _, attempt, _ in small.attempts()[:2]] == [kills + 2] * 2  # it may have seen a worker end
    assert folder.attempts() == [(1, kills + 2), (2, kills + 2)]
    assert_whole(small, 2)


@pytest.mark.long  # on each push: the setting reaches the task, and what the observer tells with it
def test_where_the_organiser_wants_nothing_told_there_is_no_file(small: SmallLadder, gate: Path) -> None:
    gate.touch()
    assert small.pigpen("ladder", "run", "--matches", "1", PIGPEN_LIVE="off").returncode == 0
    assert LiveFolder(small.settings.data_dir).attempts() == []


@pytest.mark.long
def test_with_open_hands_the_first_event_of_a_deal_holds_them(small: SmallLadder, gate: Path) -> None:
    gate.touch()
    assert small.pigpen("ladder", "run", "--matches", "1", PIGPEN_LIVE="open").returncode == 0
    parsed = LiveFolder(small.settings.data_dir).path(1, 1).read_text().splitlines()
    assert len(re.findall(r"[2-9TJQKA][CDHS]\b", parsed[1])) == 52

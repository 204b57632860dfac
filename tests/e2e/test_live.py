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
from ladder.app.live import events, running
from ladder.app.live_hub import LiveHub
from ladder.results.live_folder import LiveFolder
from ladder.store import models
from ladder.values.live_events import LiveEnd, LiveMatch, LiveOpened, LivePlayed, LiveScored, parse
from referee.records.file import read_record
from referee.records.lines import DealLine
from tests.e2e.small_ladder import PATIENT, SmallLadder, small_ladder, until, waiting_for
from tests.processes import children
from tests.referee.taps import found

if TYPE_CHECKING:
    import subprocess
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


def wait_for_both(ladder: Ladder, runner: subprocess.Popen[str], attempt: int = 1) -> None:
    """Until a deal of matches 1 and 2 has begun, at this attempt."""
    until(runner, "match.started", "match.started")
    for match in (1, 2):
        while not (len((page := events(ladder, match)).events) > 1 and page.attempt == attempt):
            time.sleep(0.01)


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


def test_two_matches_are_followed_while_two_workers_play_them(small: SmallLadder, ladder: Ladder, gate: Path) -> None:
    with small.running("--matches", "2", "--concurrency", "2", **TWO) as runner:
        wait_for_both(ladder, runner)
        rows = running(ladder)
        assert [(row.match, row.attempt, len(row.bots)) for row in rows] == [(1, 1, 2), (2, 1, 2)]
        for row in rows:
            assert row.progress is not None
            assert (row.progress.public, row.progress.deals, row.progress.deals_done) == ("played", 2, 0)
            assert [[play.card for play in table.plays] for table in row.progress.tables] == [["2C"]]  # forced
        seen = asyncio.run(followed(ladder, gate, 1, 2))
        runner.communicate()
        assert runner.returncode == 0
    assert running(ladder) == []
    with small.database.read() as session:
        seeds = [match.seed for match in session.scalars(select(models.StoredMatch).order_by(models.StoredMatch.id))]
    for match, seed, heard in zip((1, 2), seeds, seen, strict=False):
        assert_tells_all(ladder, match, heard)
        told = "\n".join(event.line for event in heard).encode()
        assert told == LiveFolder(small.settings.data_dir).path(match, 1).read_bytes().rstrip()
        assert not found(bytes.fromhex(seed), told)


def assert_tells_all(ladder: Ladder, match: int, heard: list[LiveEvent]) -> None:
    """What was seen is what the record holds, and nothing of it came too early."""
    assert [event.id for event in heard] == list(range(1, len(heard) + 1))
    told = [parse(event.line) for event in heard]
    deals = [line for line in read_record(ladder.files.record(match, 1)) if isinstance(line, DealLine)]
    assert isinstance(told[0], LiveMatch)
    assert told[-1] == LiveEnd(id=len(heard), outcome="done")
    assert [each.line for each in told if isinstance(each, LiveOpened)] == deals
    for line in deals:
        plays = [
            (each.seat, each.card) for each in told if isinstance(each, LivePlayed) and each.table == line.rotation
        ]
        assert plays == [(step.seat, step.play) for step in line.steps if step.play]
    last = max(place for place, each in enumerate(told) if isinstance(each, LiveScored))
    first_open = min(place for place, each in enumerate(told) if isinstance(each, LiveOpened))
    assert last < first_open, "there is one board: its cards are played up to the last table's last trick"
    for event in heard[:last]:
        assert len(re.findall(r"[2-9TJQKA][CDHS]\b", event.line)) == (event.type == "play"), event.line


def test_a_killed_worker_s_match_ends_void_and_its_next_attempt_is_told_anew(
    small: SmallLadder, ladder: Ladder, gate: Path
) -> None:
    with small.running("--matches", "2", "--concurrency", "2", **TWO) as runner:
        wait_for_both(ladder, runner)
        for pid in children(runner.pid):
            os.kill(pid, signal.SIGKILL)
        until(runner, "match.void", "match.void")
        file = LiveFolder(small.settings.data_dir).path(1, 1)
        first = [parse(line) for line in file.read_bytes().splitlines()]
        assert first[-1] == LiveEnd(id=len(first), outcome="void")
        wait_for_both(ladder, runner, attempt=2)
        assert events(ladder, 1, "1-1").events[0].id == 1
        seen = asyncio.run(followed(ladder, gate, 1, 2))
        runner.communicate()
        assert runner.returncode == 0
    for heard in seen:
        assert {event.attempt for event in heard} == {2}
        assert parse(heard[-1].line) == LiveEnd(id=len(heard), outcome="done")


def test_what_a_killed_run_left_is_removed_by_the_next_one(small: SmallLadder, ladder: Ladder, gate: Path) -> None:
    folder = LiveFolder(small.settings.data_dir)
    with small.running("--concurrency", "2", **TWO) as runner:
        wait_for_both(ladder, runner)
        workers = children(runner.pid)
        for pid in (*workers, runner.pid):
            os.kill(pid, signal.SIGKILL)
        runner.communicate()
    assert folder.attempts() == [(1, 1), (2, 1)]
    gate.touch()
    assert small.pigpen("ladder", "run", "--matches", "2").returncode == 0
    assert folder.attempts() == [(1, 2), (2, 2)]


def test_a_run_that_is_given_up_says_so(small: SmallLadder, ladder: Ladder) -> None:
    with small.running("--concurrency", "2", **TWO) as runner:
        wait_for_both(ladder, runner)
        runner.send_signal(signal.SIGINT)
        until(runner, "ladder.stopping")
        runner.send_signal(signal.SIGINT)
        runner.communicate()
    for match in (1, 2):
        lines = LiveFolder(small.settings.data_dir).path(match, 1).read_bytes().splitlines()
        assert parse(lines[-1]) == LiveEnd(id=len(lines), outcome="returned")


def test_where_the_organiser_wants_nothing_told_there_is_no_file(small: SmallLadder, gate: Path) -> None:
    gate.touch()
    assert small.pigpen("ladder", "run", "--matches", "1", PIGPEN_LIVE="off").returncode == 0
    assert LiveFolder(small.settings.data_dir).attempts() == []


def test_with_open_hands_the_first_event_of_a_deal_holds_them(small: SmallLadder, gate: Path) -> None:
    gate.touch()
    assert small.pigpen("ladder", "run", "--matches", "1", PIGPEN_LIVE="open").returncode == 0
    told = LiveFolder(small.settings.data_dir).path(1, 1).read_text().splitlines()
    assert len(re.findall(r"[2-9TJQKA][CDHS]\b", told[1])) == 52

"""The files of running matches: numbered, late if wanted, ended, removed; and no failure harms anything."""

from __future__ import annotations

import asyncio
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from ladder.results.live_folder import LiveFolder
from ladder.runner.live_writer import GRACE_SECONDS, WAITING_CHARACTERS, LiveWriter
from tests.referee.scripted_seats import FakeTime

BATCH = '{"type":"a"}\n{"type":"b"}'


@pytest.fixture
def folder(tmp_path: Path) -> LiveFolder:
    return LiveFolder(tmp_path)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def writer(folder: LiveFolder, time: FakeTime) -> Iterator[LiveWriter]:
    writer = LiveWriter(folder, tick=time)
    yield writer
    writer.close()


def types(folder: LiveFolder, match: int = 7, attempt: int = 2) -> list[str]:
    """The types of the events that are there; their numbers are checked."""
    events = [json.loads(line) for line in folder.path(match, attempt).read_text().splitlines()]
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    return [str(event["type"]) for event in events]


def test_events_are_numbered_through_all_batches(writer: LiveWriter, folder: LiveFolder) -> None:
    writer.begin(7, 2)
    writer.begin(8, 1)
    for _ in range(2):
        writer.append(7, 2, BATCH)
    writer.append(8, 1, BATCH)
    assert types(folder) == ["a", "b", "a", "b"]
    assert types(folder, 8, 1) == ["a", "b"]


@pytest.mark.parametrize("outcome", ["done", "void", "returned"])
def test_the_last_event_says_what_became_of_it(writer: LiveWriter, folder: LiveFolder, outcome: str) -> None:
    writer.begin(7, 2)
    writer.append(7, 2, BATCH)
    for _ in range(2):
        writer.end(7, 2, outcome)  # type: ignore[arg-type]
    assert types(folder) == ["a", "b", "end"]
    last = folder.path(7, 2).read_text().splitlines()[-1]
    assert json.loads(last) == {"id": 3, "type": "end", "outcome": outcome}


def test_who_has_not_begun_or_has_ended_is_not_heard(writer: LiveWriter, folder: LiveFolder) -> None:
    writer.append(7, 2, BATCH)
    writer.end(7, 2, "done")
    assert folder.attempts() == []
    writer.begin(7, 2)
    writer.end(7, 2, "void")
    writer.append(7, 2, BATCH)
    assert folder.attempts() == []


def test_a_file_does_not_grow_without_end(
    writer: LiveWriter, folder: LiveFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.runner.live_writer.WRITTEN_BYTES", 3 * len(BATCH))
    writer.begin(7, 2)
    writer.begin(8, 1)
    for _ in range(9):
        writer.append(7, 2, BATCH)
    writer.append(8, 1, BATCH)
    writer.end(7, 2, "done")
    assert types(folder) == ["a", "b", "a", "b", "gap", "end"]
    assert types(folder, 8, 1) == ["a", "b"], "another attempt has room of its own"


def test_a_file_goes_some_time_after_the_end(writer: LiveWriter, folder: LiveFolder, time: FakeTime) -> None:
    for match in (1, 2):
        writer.begin(match, 1)
        writer.append(match, 1, BATCH)
    writer.end(1, 1, "done")
    time.seconds += GRACE_SECONDS - 1
    writer.begin(3, 1)
    assert folder.attempts() == [(1, 1), (2, 1)]
    time.seconds += 1
    writer.begin(4, 1)
    assert folder.attempts() == [(2, 1)]


def test_what_earlier_runs_left_is_removed_but_not_what_another_run_plays(
    writer: LiveWriter, folder: LiveFolder
) -> None:
    folder.root.mkdir()
    for match in (1, 2, 3):
        folder.path(match, 1).touch()
    writer.clear(set(writer.left()) - {(2, 1), (3, 2)})
    assert folder.attempts() == [(2, 1)]


async def test_with_a_delay_events_come_late(folder: LiveFolder) -> None:
    writer = LiveWriter(folder, delay=0.01)
    writer.begin(7, 2)
    writer.append(7, 2, BATCH)
    assert folder.attempts() == []
    while not folder.attempts():
        await asyncio.sleep(0.001)
    assert types(folder) == ["a", "b"]
    writer.close()
    assert types(folder) == ["a", "b", "end"]


async def test_at_the_end_of_a_match_nothing_is_held_back(folder: LiveFolder) -> None:
    writer = LiveWriter(folder, delay=3600)
    writer.begin(7, 2)
    for _ in range(2):
        writer.append(7, 2, BATCH)
    writer.end(7, 2, "done")
    assert types(folder) == ["a", "b", "a", "b", "end"]


async def test_what_was_held_back_of_a_void_match_stays_unknown(folder: LiveFolder) -> None:
    writer = LiveWriter(folder, delay=3600)
    writer.begin(7, 2)
    writer.append(7, 2, BATCH)
    writer.end(7, 2, "void")
    assert folder.attempts() == []


async def test_what_is_held_back_is_bounded(folder: LiveFolder) -> None:
    half = BATCH.ljust(WAITING_CHARACTERS // 2)
    writer = LiveWriter(folder, delay=3600)
    writer.begin(7, 2)
    for _ in range(4):
        writer.append(7, 2, half)
    writer.end(7, 2, "done")
    assert types(folder) == ["a", "b", "a", "b", "gap", "gap", "end"]
    assert json.loads(folder.path(7, 2).read_text().splitlines()[4]) == {"id": 5, "type": "gap", "missed": 2}


def test_a_folder_that_cannot_be_written_harms_nothing(folder: LiveFolder, writer: LiveWriter) -> None:
    folder.root.write_text("in the way")
    writer.begin(7, 2)
    with capture_logs() as logs:
        for _ in range(2):
            writer.append(7, 2, BATCH)
        writer.end(7, 2, "done")
    assert [(event["event"], event["file"]) for event in logs] == [("live.failed", "7-2.jsonl")]


def test_a_full_disk_ends_the_file_and_nothing_else(writer: LiveWriter, folder: LiveFolder) -> None:
    folder.root.mkdir()
    folder.path(7, 2).symlink_to("/dev/full")
    writer.begin(7, 2)
    writer.begin(8, 1)
    with capture_logs() as logs:
        writer.append(7, 2, BATCH)
        writer.append(7, 2, BATCH)
        writer.append(8, 1, BATCH)
        writer.end(7, 2, "done")
    assert [event["reason"] for event in logs] == [str(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))]
    assert types(folder, 8, 1) == ["a", "b"]

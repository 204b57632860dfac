"""Worker processes that are killed, and those whose coordinator is: nothing is lost, doubled, blamed or left behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from ladder.results.files import MatchFiles
from ladder.store import models
from ladder.store.models import Status
from tests.e2e.small_ladder import PATIENT, SmallLadder, events, small_ladder, until, waiting_for
from tests.processes import children, has_ended

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

TWO = {"PIGPEN_WORKERS": "2", **PATIENT}
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def ladder(tmp_path: Path, gate: Path) -> Iterator[SmallLadder]:
    """A ladder whose bots answer no question before there is a file *gate*."""
    with small_ladder(tmp_path, program=waiting_for(gate)) as ladder:
        yield ladder


def two_at_work(ladder: SmallLadder, runner: subprocess.Popen[str]) -> list[int]:
    """Wait until two workers play a match each and all bots are there; gives the workers' processes."""
    while len(ladder.processes()) < 4:
        assert runner.poll() is None
        time.sleep(0.05)
    workers = children(runner.pid)
    assert len(workers) == 2
    return workers


def named(seen: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event for event in seen if event["event"] == name]


def assert_whole(ladder: SmallLadder, count: int) -> None:
    """All matches are recorded, each once, without a fault; no process and no folder is left."""
    with ladder.database.read() as session:
        done = select(models.StoredMatch).where(models.StoredMatch.status == Status.DONE)
        matches = session.scalars(done.order_by(models.StoredMatch.ordinal)).all()
        assert session.scalars(select(models.StoredFault)).all() == []
    assert [match.ordinal for match in matches] == list(range(1, count + 1))
    files = MatchFiles(ladder.settings.data_dir)
    there = {path for path in files.root.rglob("*") if path.is_file()}
    assert there == {path(match.id, match.attempt) for match in matches for path in (files.record, files.logs)}
    assert ladder.processes() == []
    assert list(ladder.scratch.iterdir()) == []


@pytest.mark.long
def test_if_all_workers_are_killed_again_and_again_each_match_is_still_recorded_once(
    ladder: SmallLadder, gate: Path
) -> None:
    with ladder.running("--matches", "3", "--concurrency", "2", **TWO) as runner:
        for _ in range(2):
            for pid in two_at_work(ladder, runner):
                os.kill(pid, signal.SIGKILL)
            until(runner, "match.void", "match.void")
        gate.touch()
        out, _ = runner.communicate()
    assert (runner.returncode, out.split(" (")[0]) == (0, "3 matches recorded")
    assert ladder.attempts()[:2] == [(1, 3, 2), (2, 3, 2)]
    assert_whole(ladder, 3)


def test_signals_for_all_of_them_are_for_the_coordinator(ladder: SmallLadder, gate: Path) -> None:
    with ladder.running("--concurrency", "2", **TWO) as runner:
        workers = two_at_work(ladder, runner)
        assert {os.getpgid(pid) for pid in workers} == set(workers), "a terminal's Ctrl-C does not come to them"
        for pid in workers:
            for number in SIGNALS:
                os.kill(pid, number)
        runner.send_signal(signal.SIGINT)
        until(runner, "ladder.stopping")
        gate.touch()
        out, err = runner.communicate()
    assert (runner.returncode, out.split(" (")[0]) == (130, "2 matches recorded")
    assert err.endswith("pigpen: Interrupted.\n")
    assert named(events(err), "worker.lost") == []
    assert all(map(has_ended, workers))
    assert_whole(ladder, 2)


@pytest.mark.long  # on each push: the test before, and test_ladder_run.py gives matches back
def test_a_terminal_s_ctrl_c_does_not_come_to_the_workers(ladder: SmallLadder) -> None:
    with ladder.running("--concurrency", "2", **TWO) as runner:
        workers = two_at_work(ladder, runner)
        assert {os.getpgid(pid) for pid in workers} == set(workers)
        runner.send_signal(signal.SIGINT)
        until(runner, "ladder.stopping")
        runner.send_signal(signal.SIGINT)
        runner.communicate()
        assert runner.returncode == 130
    assert all(map(has_ended, workers))
    assert set(ladder.statuses()) == {"queued"}
    assert ladder.attempts()[:2] == [(1, 1, 0), (2, 1, 0)]
    assert_whole(ladder, 0)

"""A ladder whose runner is killed again and again loses no match, records none twice, and leaves nothing behind."""

from __future__ import annotations

import os
import random
import tempfile
import time
from itertools import cycle
from pathlib import Path

import pytest
from sqlalchemy import select

from ladder.sandbox.host.scratch import OWNER, scratch_folder
from ladder.store import models
from ladder.store.models import Status
from tests.e2e.judging import assert_each_result_has_its_record, assert_ratings_follow_from_the_records
from tests.e2e.small_ladder import RULES, SmallLadder, small_ladder
from tests.for_two import FOR_TWO
from tests.ladder.ladders import queue
from tests.waiting import until

SEED = 20261121
KILLS = 20
MATCHES = 300
VARIANTS = (FOR_TWO.name, "gongzhu")
WAITING = 230
"""Matches in the queue at the beginning, of one table each; the scheduler adds others, of two or four."""
MAX_LINES = 14
"""A runner is killed after at most this many lines of its log, and a moment."""


def put_matches_in_the_queue(ladder: SmallLadder, rng: random.Random) -> None:
    with ladder.database.write() as session:
        versions = session.scalars(select(models.Version.id)).all()
        for number, variant in zip(range(WAITING), cycle(VARIANTS)):
            queue(session, rng.sample(versions, RULES[variant].players), variant, f"chaos {number}", "deals:1")


def run_and_kill(ladder: SmallLadder, lines: int, moment: float) -> None:
    """Start a runner, and kill it after *lines* lines of its log and *moment* seconds."""
    with ladder.running("--concurrency", "2", PIGPEN_WORKERS="2") as runner:
        assert runner.stderr is not None
        for _ in range(lines):
            assert runner.stderr.readline(), "it ended by itself"
        time.sleep(moment)
        assert runner.poll() is None, "it ended by itself"
        runner.kill()
        runner.stderr.read()
    until(lambda: not ladder.processes())


def recorded(ladder: SmallLadder) -> int:
    with ladder.database.read() as session:
        return len(session.scalars(select(models.StoredMatch.id).where(models.StoredMatch.status == Status.DONE)).all())


@pytest.mark.long  # on each push: test_live.py, test_two_coordinators.py, test_cluster_chaos.py
@pytest.mark.timeout(3600)
def test_a_runner_that_is_killed_again_and_again_records_each_match_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(SEED)
    with small_ladder(tmp_path, VARIANTS) as ladder:
        put_matches_in_the_queue(ladder, rng)
        run_and_kill(ladder, MAX_LINES, 0.0)  # something is recorded, however slow the machine is
        for _ in range(KILLS - 1):  # while it starts, plays, writes, or schedules
            run_and_kill(ladder, rng.randrange(MAX_LINES), rng.random() / 2)
        left = MATCHES - recorded(ladder)
        assert 0 < left < MATCHES
        done = ladder.pigpen("ladder", "run", "--log-to-stderr", "--matches", str(left), "--concurrency", "2")
        assert (done.returncode, done.stdout.split(" (")[0]) == (0, f"{left} matches recorded")
        matches = assert_each_result_has_its_record(ladder)
        assert len(matches) == MATCHES
        assert sum(match.attempt > 1 for match in matches) >= KILLS / 4
        # The scheduler puts matches into the queue ahead of time: some of those wait still. None is lost or leased.
        assert set(ladder.statuses()) <= {Status.DONE, Status.QUEUED}
        assert_ratings_follow_from_the_records(ladder)
        assert ladder.processes() == []
        assert_no_folder_is_left(ladder, monkeypatch)


def assert_no_folder_is_left(ladder: SmallLadder, monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Every start sweeps. If a runner was killed between making a folder and marking it, only age tells that it is
    nobody's.
    """
    monkeypatch.setattr(tempfile, "tempdir", str(ladder.scratch))
    for unmarked in list(ladder.scratch.iterdir()):
        if unmarked.is_file():  # by it Python tries whether a folder is fit for temporary files
            assert unmarked.read_bytes() in (b"", b"blat")
            unmarked.unlink()
            continue
        assert [path.name for path in unmarked.iterdir()] in ([], [OWNER])
        os.utime(unmarked, (time.time() - 3600,) * 2)
    with scratch_folder() as mine:
        assert list(ladder.scratch.iterdir()) == [mine]

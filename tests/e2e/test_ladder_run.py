"""`pigpen ladder run`, as an organiser types it: how it ends, and what stands in its log."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.app.ladder import Ladder
from ladder.results.live_folder import LiveFolder
from ladder.store import models
from ladder.store.models import Status
from ladder.values.live_events import LiveEnd, parse
from tests.e2e.small_ladder import PATIENT, SmallLadder, awaited, enter_quick, events, small_ladder, until, waiting_for
from tests.e2e.test_live import wait_for_both
from tests.for_two import FOR_TWO
from tests.processes import children, listening

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def ladder(tmp_path: Path) -> Iterator[SmallLadder]:
    with small_ladder(tmp_path) as ladder:
        yield ladder


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def waiting_ladder(tmp_path: Path, gate: Path) -> Iterator[SmallLadder]:
    """A ladder whose bots answer no question before there is a file *gate*."""
    with small_ladder(tmp_path, program=waiting_for(gate)) as ladder:
        yield ladder


def test_a_run_ends_after_its_matches_and_says_how_it_went_and_its_log_tells_of_every_match_and_of_no_seed(
    ladder: SmallLadder,
) -> None:
    done = ladder.pigpen("ladder", "run", "--matches", "3", "--concurrency", "2", "--log-to-stderr")
    assert done.returncode == 0
    assert done.stdout.startswith("3 matches recorded (6 deals) in ")
    assert done.stdout.endswith("See: pigpen standings\n")
    assert ladder.statuses() == {"done": 3}
    log = (ladder.settings.data_dir / "logs" / "ladder.jsonl").read_text()
    assert events(log) == events(done.stderr)
    counted = Counter(event["event"] for event in events(log) if not event["event"].startswith("worker."))
    assert counted == {"match.started": 3, "match.finished": 3}
    with ladder.database.read() as session:
        for seed in session.scalars(select(models.StoredMatch.seed)):
            assert seed not in log


def test_it_goes_on_until_every_rating_is_sure_enough(tmp_path: Path) -> None:
    with small_ladder(tmp_path, bots=["Trotter", "Snout"]) as ladder:
        done = ladder.pigpen("ladder", "run", "--until-ci", "200")
        assert done.returncode == 0
        with ladder.database.read() as session:
            errors = session.scalars(select(models.Rating.error)).all()
            assert len(errors) == 2
            assert max(error or 1000.0 for error in errors) <= 200
            assert min(session.scalars(select(models.Rating.matches))) >= 5


@pytest.mark.long  # on each push: the same with SIGTERM below, and with SIGINT in test_killed_workers.py
def test_the_first_ctrl_c_finishes_what_is_under_way(waiting_ladder: SmallLadder, gate: Path) -> None:
    with waiting_ladder.running("--concurrency", "1", **PATIENT) as runner:
        until(runner, "match.started")
        runner.send_signal(signal.SIGINT)
        until(runner, "ladder.stopping")
        gate.touch()
        until(runner, "match.finished")
        out, err = runner.communicate()
    assert (runner.returncode, out.split(" (")[0]) == (130, "1 match recorded")
    assert err.endswith("pigpen: Interrupted.\n")
    assert waiting_ladder.attempts()[0] == (1, 1, 0)
    assert waiting_ladder.statuses()[Status.LEASED] == 0


def test_new_bots_are_played_a_second_ctrl_c_gives_matches_back_and_sigterm_ends_it_as_a_service_manager_expects(
    tmp_path: Path, gate: Path
) -> None:
    with small_ladder(tmp_path, bots=["Trotter"], program=waiting_for(gate)) as ladder:
        with ladder.running("--concurrency", "2", **PATIENT) as runner:
            waiting = until(runner, "ladder.waiting")[-1]
            assert " 2 different owners" in waiting["reason"]
            enter_quick(ladder.database, ladder.settings, tmp_path, "Sty", [FOR_TWO.name], waiting_for(gate))
            until(runner, "match.started", "match.started")
            wait_for_both(Ladder(ladder.settings, ladder.database), attempt=1)
            runner.send_signal(signal.SIGINT)
            until(runner, "ladder.stopping")
            runner.send_signal(signal.SIGINT)
            until(runner, "ladder.aborting")
            runner.communicate()
            assert runner.returncode == 130
        assert ladder.processes() == []
        assert set(ladder.statuses()) == {"queued"}
        assert ladder.attempts()[:2] == [(1, 1, 0), (2, 1, 0)]
        assert list(ladder.scratch.iterdir()) == []
        live = LiveFolder(ladder.settings.data_dir)
        assert live.attempts() == [(1, 1), (2, 1)]
        for match in (1, 2):
            lines = live.path(match, 1).read_bytes().splitlines()
            assert parse(lines[-1]) == LiveEnd(id=len(lines), outcome="returned")
        awaited(gate).unlink(missing_ok=True)
        with ladder.running("--concurrency", "1", **PATIENT) as runner:
            until(runner, "match.started", "worker.started")
            while not awaited(gate).exists():  # then it plays
                time.sleep(0.01)
            workers = children(runner.pid)
            assert workers
            pids = (runner.pid, *workers)
            assert [listening(pid) for pid in pids] == [set()] * len(pids), "no port is open while it plays"
            runner.send_signal(signal.SIGTERM)
            until(runner, "ladder.stopping")
            gate.touch()
            _, err = runner.communicate()
        assert (runner.returncode, err.splitlines()[-1]) == (143, "pigpen: Terminated.")
        assert ladder.statuses()[Status.DONE] == 1
        assert ladder.attempts()[:2] == [(1, 2, 0), (2, 1, 0)]


@pytest.mark.long  # on each push: test_two_coordinators.py
def test_two_runners_at_one_ladder_record_each_match_once(ladder: SmallLadder) -> None:
    with ladder.running("--matches", "2") as one, ladder.running("--matches", "2") as other:
        logs = [events(runner.communicate()[1]) for runner in (one, other)]
        assert (one.returncode, other.returncode) == (0, 0)
    recorded = [[event["match"] for event in log if event["event"] == "match.finished"] for log in logs]
    assert [len(set(matches)) for matches in recorded] == [2, 2]
    assert not set(recorded[0]) & set(recorded[1])
    with ladder.database.read() as session:
        ordinals = session.scalars(
            select(models.StoredMatch.ordinal).where(models.StoredMatch.status == Status.DONE)
        ).all()
    assert sorted(ordinal or 0 for ordinal in ordinals) == list(range(1, 5))


def test_the_same_seed_and_the_same_bots_give_the_same_pairings(tmp_path: Path) -> None:
    first: list[list[str]] = []
    for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        (tmp_path / name).mkdir()
        with small_ladder(tmp_path / name) as ladder:
            done = ladder.pigpen("ladder", "run", "--matches", "1", "--seed", seed, "--log-to-stderr")
            first.append(next(event["bots"] for event in events(done.stderr) if event["event"] == "match.started"))
    assert first[0] == first[1]
    assert first[2] != first[0]


def test_a_goal_that_nobody_can_reach_is_refused_with_the_reason(tmp_path: Path) -> None:
    with small_ladder(tmp_path, bots=["Trotter"]) as ladder:
        done = ladder.pigpen("ladder", "run", "--matches", "3")
    assert done.returncode == 2
    assert " 2 different owners" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--matches", "3", "--until-ci", "20"), "--matches and --until-ci exclude each other: choose one."),
        (("--variant", "for-tow"), "for-two"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(ladder: SmallLadder, words: tuple[str, ...], sentence: str) -> None:
    done = ladder.pigpen("ladder", "run", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pigpen: ")
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_where_there_is_no_ladder_it_says_how_to_begin_one(ladder: SmallLadder, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    other = {"PIGPEN_DATA_DIR": str(nowhere), "PIGPEN_DATABASE_URL": f"sqlite:///{nowhere}/ladder.db"}
    done = ladder.pigpen("ladder", "run", **other)
    assert done.returncode == 2
    assert "pigpen submit" in done.stderr


def test_a_match_time_that_bots_could_use_up_is_refused(ladder: SmallLadder) -> None:
    done = ladder.pigpen("ladder", "run", "--matches", "1", PIGPEN_MATCH_SECONDS="60")
    assert done.returncode == 2
    assert done.stderr.startswith("pigpen: match_seconds is 60, ")
    assert "Set match_seconds to 0" in done.stderr
    assert set(ladder.statuses()) == set()

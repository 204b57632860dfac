"""Two runners at one ladder in PostgreSQL: whatever is killed, nothing is lost, and nothing counts twice."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pytest

from ladder.store.models import Status
from tests.e2e.judging import assert_each_result_has_its_record, assert_ratings_follow_from_the_records
from tests.e2e.runners import coordinators, playing, recorded, runner
from tests.e2e.small_ladder import SLOW, SmallLadder, small_ladder
from tests.ladder.postgres import LASTING, Server, running_server
from tests.waiting import PATIENCE, until

SEED = 20261123


def kills(rng: random.Random) -> Iterator[str]:
    """Yield the targets to kill, one after the other: a runner and the database at least once."""
    yield from ("one", "database", "other")
    while True:
        yield rng.choice(("one", "database", "other"))


def play_and_kill(ladder: SmallLadder, server: Server, rng: random.Random, times: int) -> None:
    """Let two runners play while one after the other is killed, or the database, and comes back; stop them in order."""
    with ExitStack() as stack:
        runners = {name: stack.enter_context(runner(ladder)) for name in ("one", "other")}
        until(lambda: len(coordinators(ladder)) == 2)
        assert_others_are_refused(ladder, ladder.scratch.parent)
        for victim in islice(kills(rng), times):
            before, living = recorded(ladder), {program.pid for program in runners.values()}
            until(lambda: recorded(ladder) > before and coordinators(ladder) >= living)  # noqa: B023
            time.sleep(rng.random())
            if victim != "database":
                until(lambda: runners[victim].pid in playing(ladder))  # noqa: B023
            ended = [program.poll() for program in runners.values()]
            assert ended == [None, None], (ladder.scratch.parent / "output").read_text(errors="replace")[-2000:]
            if victim == "database":
                server.kill()
                time.sleep(rng.random())
                server.start()
            else:
                runners[victim].kill()
                runners[victim] = stack.enter_context(runner(ladder))
        before = recorded(ladder)
        living = {program.pid for program in runners.values()}
        until(lambda: recorded(ladder) > before + 2 and coordinators(ladder) == living)
        for program in runners.values():
            program.send_signal(signal.SIGINT)
        assert [program.wait(PATIENCE) for program in runners.values()] == [130, 130]


@pytest.mark.postgres
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("times", [2, pytest.param(24, marks=pytest.mark.long)])
def test_two_runners_lose_nothing_and_record_nothing_twice_whatever_is_killed_and_refuse_others(
    tmp_path: Path, times: int
) -> None:
    with (
        running_server(LASTING) as server,
        small_ladder(tmp_path, program=SLOW, database_url=server.url("postgres")) as ladder,
    ):
        play_and_kill(ladder, server, random.Random(SEED), times)
        assert coordinators(ladder) == set()
        assert set(ladder.statuses()) <= {Status.DONE, Status.QUEUED}
        done = assert_each_result_has_its_record(ladder)
        assert any(match.attempt > 1 for match in done)
        assert max(match.failures for match in done) == 0, "no match failed; only its coordinator was killed"
        assert_ratings_follow_from_the_records(ladder)
        until(lambda: not ladder.processes())


def assert_others_are_refused(ladder: SmallLadder, folder: Path) -> None:
    """A runner that keeps its records in another folder, and a copy of the database that is in use."""
    other = folder / "other"
    other.mkdir()
    done = ladder.pigpen("ladder", "run", "--log-to-stderr", "--matches", "1", PIGPEN_DATA_DIR=str(other))
    assert done.returncode == 2
    assert "in another folder than" in done.stderr
    copied = ladder.pigpen("db", "copy", f"sqlite:///{folder}/copy.db")
    assert copied.returncode == 2
    assert "is in use: a coordinator " in copied.stderr
    assert not (folder / "copy.db").exists()

"""A ladder whose matches are played by `pigpen worker`, in processes that share nothing with the coordinator."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ladder.cluster.certificates import make_worker
from ladder.store.queries.workers import workers
from ladder.values.cluster import WorkerState
from tests import waiting
from tests.e2e.command import PIGPEN, environment
from tests.e2e.small_ladder import PATIENT, SmallLadder, events, small_ladder, until, waiting_for
from tests.e2e.test_up import running
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.values.cluster import WorkerRow


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def ladder(tmp_path: Path, gate: Path) -> Iterator[SmallLadder]:
    """A ladder whose bots answer no question before there is a file *gate*."""
    with small_ladder(tmp_path, program=waiting_for(gate)) as ladder:
        yield ladder


class Cluster:
    """The address that workers connect to, and their settings."""

    def __init__(self, ladder: SmallLadder) -> None:
        self.address = f"tls://127.0.0.1:{free_port()}"
        self.variables = {"PIGPEN_CLUSTER_LISTEN": self.address, **PATIENT}
        self._ladder = ladder

    @contextmanager
    def worker(self, name: str) -> Iterator[subprocess.Popen[bytes]]:
        """`pigpen worker` with one slot, and with a disk of its own; killed at the end."""
        with tempfile.TemporaryDirectory(prefix="pigpen-", ignore_cleanup_errors=True) as disk:  # a short path
            here = Path(disk)
            (here / "tmp").mkdir()
            make_worker(self._ladder.settings.data_dir / "cluster", name, here / "certificate.pem")
            words = ("--certificate", str(here / "certificate.pem"), "--name", name, "--slots", "1")
            with subprocess.Popen(
                [PIGPEN, "worker", self.address, *words, "--data-dir", disk], cwd=here,
                env=environment(TMPDIR=str(here / "tmp"), XDG_DATA_HOME=disk), stdout=subprocess.DEVNULL,
            ) as program:  # fmt: skip
                try:
                    yield program
                finally:
                    program.kill()

    def rows(self) -> dict[str, WorkerRow]:
        """Read the rows of the workers."""
        with self._ladder.database.read() as session:
            return {row.name: row for row in workers(session, 0.0)}


@pytest.mark.long  # test_cluster_chaos.py kills workers and schedulers on each push
def test_a_run_waits_for_workers_and_a_match_whose_worker_is_killed_is_played_by_another(
    ladder: SmallLadder, gate: Path
) -> None:
    cluster = Cluster(ladder)
    with ladder.running("--cluster", "--matches", "3", **cluster.variables) as runner:
        until(runner, "cluster.waiting")
        with cluster.worker("mars") as mars:
            until(runner, "match.started")
            mars.kill()
            (lost,) = [event for event in until(runner, "match.void") if event["event"] == "match.void"]
        with cluster.worker("venus"):
            gate.touch()
            out, err = runner.communicate()
    assert (runner.returncode, out.split(" (")[0]) == (0, "3 matches recorded"), err
    assert lost["reason"].startswith("Worker mars: ")
    assert ladder.statuses() == {"done": 3}
    assert [failures for _, _, failures in ladder.attempts()].count(1) == 1
    rows = cluster.rows()
    assert [(rows[name].tasks, rows[name].voids, rows[name].state) for name in ("mars", "venus")] == [
        (0, 1, WorkerState.GONE),
        (3, 0, WorkerState.GONE),
    ]
    assert rows["venus"].speed


@pytest.mark.long  # test_cluster_chaos.py kills workers and schedulers on each push
def test_a_scheduler_that_is_killed_is_started_again_and_nothing_is_held_against_anybody(
    ladder: SmallLadder, gate: Path
) -> None:
    cluster = Cluster(ladder)
    with ladder.running("--cluster", "--matches", "2", **cluster.variables) as runner, cluster.worker("mars"):
        (first, *_) = until(runner, "scheduler.started", "match.started")
        os.kill(first["pid"], signal.SIGKILL)
        seen = until(runner, "scheduler.lost", "match.returned", "scheduler.started", "worker.joined")
        gate.touch()
        out, err = runner.communicate()
    assert (runner.returncode, out.split(" (")[0]) == (0, "2 matches recorded"), err
    assert ladder.statuses() == {"done": 2}
    assert {failures for _, _, failures in ladder.attempts()} == {0}
    (reason,) = [event["reason"] for event in seen if event["event"] == "match.returned"]
    assert f"scheduler (process {first['pid']}) " in reason
    assert " signal 9." in reason
    assert "calibration.played" not in [event["event"] for event in events(err)]  # it is the same worker
    row = cluster.rows()["mars"]
    assert (row.tasks, row.voids, row.lies) == (2, 0, 0)


@pytest.mark.long  # on each push: test_fleet.py and test_cluster_executor.py
def test_a_drained_worker_ends_what_it_plays_and_plays_again_when_it_is_resumed(
    ladder: SmallLadder, gate: Path
) -> None:
    cluster, reason = Cluster(ladder), "It gets a new disk."
    with ladder.running("--cluster", "--matches", "2", **cluster.variables) as runner, cluster.worker("mars"):
        until(runner, "match.started")
        waiting.until(lambda: "mars" in cluster.rows())
        assert ladder.pigpen("cluster", "drain", "mars", "--reason", reason).returncode == 0
        until(runner, "worker.drained")
        gate.touch()
        (paused,) = [event for event in until(runner, "cluster.waiting") if event["event"] == "cluster.waiting"]
        assert paused["reason"].endswith(f" mars: {reason}")
        assert ladder.pigpen("cluster", "resume", "mars").returncode == 0
        out, err = runner.communicate()
    assert (runner.returncode, out.split(" (")[0]) == (0, "2 matches recorded"), err
    assert ladder.attempts() == [(1, 1, 0), (2, 1, 0)]


@pytest.mark.long
def test_up_plays_on_other_machines_too(ladder: SmallLadder) -> None:
    cluster = Cluster(ladder)
    with running(ladder, "up", "--cluster", **cluster.variables) as up:
        assert up.part("--cluster")
        log = ladder.settings.data_dir / "logs" / "ladder.jsonl"
        waiting.until(lambda: log.exists() and "cluster.waiting" in log.read_text())
        assert cluster.address in log.read_text()
        code, _, _ = up.end(signal.SIGTERM)
    assert code == 0

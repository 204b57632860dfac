"""A ladder whose engine goes away in mid-match and comes back: nobody is blamed, nothing is lost, nothing is left."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

import docker
import pytest
from sqlalchemy import select

from ladder.results.files import MatchFiles
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from referee.records.file import read_record
from referee.records.lines import MatchLine
from tests.e2e.small_ladder import SmallLadder, events
from tests.for_two import FOR_TWO
from tests.ladder.cut_engine import CutEngine
from tests.ladder.ladders import NOW
from tests.ladder.store.submitted import Fit

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.docker
LATER = pytest.mark.long


@pytest.fixture(scope="module")
def image() -> str:
    """The id of a sample bot's image."""

    async def build() -> str:
        sandbox = DockerSandbox()
        try:
            return (await sandbox.load(find_bot("random"))).identity
        finally:
            await sandbox.close()

    return asyncio.run(build())


@pytest.fixture
def ladder(tmp_path: Path, image: str) -> Iterator[SmallLadder]:
    """Two bots in containers, and what they play takes four for a match."""
    settings = load_settings(data_dir=tmp_path / "data", boards=1)
    (tmp_path / "scratch").mkdir()
    database = open_ladder(settings, create=True)
    with database.write() as session:
        for name, owner in (("Trotter", "ada"), ("Snout", "ben")):
            Fit(name, owner, image, "docker", name, 1000).enter(session, [FOR_TWO], NOW)
    yield SmallLadder(settings, database, tmp_path / "scratch")
    database.close()


def until(runner: subprocess.Popen[str], event: str) -> None:
    assert runner.stderr is not None
    for line in runner.stderr:
        if any(each["event"] == event for each in events(line)):
            return
    raise AssertionError(f"it ended before {event}")


def containers(client: docker.DockerClient, runner: subprocess.Popen[str], *labels: str) -> list[dict[str, str]]:
    """The labels of the containers of the runner's workers; only of those with these *labels*, if any."""
    found = client.api.containers(all=True, filters={"label": ["pigpen.coordinator", *labels]})
    return [each["Labels"] for each in found if f" {runner.pid} " in each["Labels"]["pigpen.coordinator"]]


def process_of(mark: str) -> int:
    """The number of the process that `owners.this_process` named so."""
    return int(mark.split()[3])


def test_it_waits_for_its_engine_and_removes_what_was_left(ladder: SmallLadder, tmp_path: Path) -> None:
    client = docker.from_env()
    engine = CutEngine(tmp_path / "engine.sock")
    with ladder.running(
        "--matches", "1", "--concurrency", "1",
        PIGPEN_SANDBOX="docker", PIGPEN_RUNTIME="runc", PIGPEN_WORKERS="1", PIGPEN_INSTANCES="fresh",
        DOCKER_HOST=engine.address,
    ) as runner:  # fmt: skip
        until(runner, "match.started")
        while len(labels := containers(client, runner, "seat")) < 2:
            assert runner.poll() is None
        assert {(each["match"], each["attempt"]) for each in labels} == {("1", "1")}
        engine.cut()
        engine.close()
        (tmp_path / "engine.sock").unlink()
        until(runner, "match.void")
        until(runner, "platform.down")
        engine = CutEngine(tmp_path / "engine.sock")
        until(runner, "platform.up")
        until(runner, "match.finished")
        out, _ = runner.communicate()
        assert (runner.returncode, out.split(" (")[0]) == (0, "1 match recorded")
        assert containers(client, runner) == []
    with ladder.database.read() as session:
        done = select(models.StoredMatch.failures).where(models.StoredMatch.status == "done")
        assert session.scalars(done).all() == [1]
        assert session.scalars(select(models.Rating.takeovers)).all() == [0] * 2
    engine.close()
    client.close()


@pytest.mark.parametrize(
    ("instances", "label"), [("warm", "pigpen.instances=warm"), pytest.param("fresh", "seat", marks=LATER)]
)
def test_a_run_that_is_stopped_twice_leaves_no_container(ladder: SmallLadder, instances: str, label: str) -> None:
    client = docker.from_env()
    with ladder.running(
        "--concurrency", "1", PIGPEN_SANDBOX="docker", PIGPEN_RUNTIME="runc", PIGPEN_BOARDS="100",
        PIGPEN_INSTANCES=instances,
    ) as runner:  # fmt: skip
        until(runner, "match.started")
        while len(containers(client, runner, label)) < 2:
            assert runner.poll() is None
        runner.send_signal(signal.SIGINT)
        until(runner, "ladder.stopping")
        runner.send_signal(signal.SIGINT)
        runner.communicate()
        assert runner.returncode == 130
        assert containers(client, runner) == []
    with ladder.database.read() as session:
        assert set(session.scalars(select(models.StoredMatch.status))) == {"queued"}
    client.close()


def test_a_killed_worker_s_containers_are_removed_while_the_run_goes_on(ladder: SmallLadder) -> None:
    """With the default runtime: gVisor, where the engine knows it."""
    client = docker.from_env()
    words = ("--matches", "1", "--concurrency", "1")
    with ladder.running(*words, PIGPEN_SANDBOX="docker", PIGPEN_WORKERS="1") as runner:
        until(runner, "match.started")
        while len(labels := containers(client, runner, "pigpen.instances=warm")) < 2:
            assert runner.poll() is None
        owner = labels[0]["pigpen.owner"]
        os.kill(process_of(owner), signal.SIGKILL)
        until(runner, "match.void")
        until(runner, "match.finished")
        assert client.api.containers(all=True, filters={"label": f"pigpen.owner={owner}"}) == []
        runner.communicate()
        assert runner.returncode == 0
        assert containers(client, runner) == []
    with ladder.database.read() as session:
        done = select(models.StoredMatch).where(models.StoredMatch.status == "done")
        (match,) = session.scalars(done).all()
        assert match.failures == 1
        assert session.scalars(select(models.StoredFault)).all() == []
        record = MatchFiles(ladder.settings.data_dir).record(match.id, match.attempt)
    first = next(read_record(record))
    assert isinstance(first, MatchLine)
    has_gvisor = "runsc" in client.api.info()["Runtimes"]
    assert (first.runtime, first.instances) == ("runsc" if has_gvisor else "runc", "warm")
    client.close()


def test_a_killed_coordinator_s_workers_remove_their_containers(ladder: SmallLadder) -> None:
    client = docker.from_env()
    with ladder.running(
        "--concurrency", "1", PIGPEN_SANDBOX="docker", PIGPEN_RUNTIME="runc", PIGPEN_BOARDS="100"
    ) as runner:
        until(runner, "match.started")
        while len(containers(client, runner, "pigpen.instances=warm")) < 2:
            assert runner.poll() is None
        runner.kill()
        runner.communicate()  # until the worker has closed stderr, too
        assert containers(client, runner) == []
    client.close()

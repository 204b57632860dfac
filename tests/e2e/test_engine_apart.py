"""An engine that sees neither files nor processes of this machine, as one in a virtual machine: bots play there."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import docker
import pytest

from ladder.app.local.play import WHAT_HAPPENS
from ladder.sandbox.docker.base_image import ensure_base_image, find_base
from ladder.sandbox.docker.referee_container import ensure_referee_image
from referee.records.file import read_record
from referee.records.lines import MatchLine
from tests.e2e.command import PATIENT, PIGPEN, environment, pigpen_process
from tests.e2e.machines import lan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.e2e.machines import Machine

SAMPLES = Path(__file__).parents[2] / "sample_bots"
pytestmark = [pytest.mark.docker, pytest.mark.machines, pytest.mark.long, pytest.mark.timeout(1500)]


class Apart:
    """An engine on a machine of its own, which does not see the folder for temporary files of this one."""

    def __init__(self, machine: Machine, hidden: Path) -> None:
        self.hidden = hidden
        self.address = f"unix:///proc/{machine.first}/root/run/docker.sock"
        self.client = docker.DockerClient(self.address)

    def pigpen(self, *words: str) -> tuple[int, str, str]:
        """Type a command that uses this engine; its code, and what it prints."""
        done = pigpen_process(*words, DOCKER_HOST=self.address, TMPDIR=str(self.hidden))
        return done.returncode, done.stdout, done.stderr

    def is_empty(self) -> bool:
        """True if nothing of a match is left: containers, and volumes."""
        return not self.client.api.containers(all=True) and not self.client.api.volumes()["Volumes"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    here, hidden = docker.from_env(), Path(tempfile.mkdtemp(prefix="apart-"))
    with lan(tmp_path_factory.mktemp("apart")) as network:
        machine = network.add("apart")
        machine.script(f"mount -t tmpfs tmpfs {hidden}")
        machine.start_engine()
        apart = Apart(machine, hidden)
        apart.client.images.load(b"".join(here.api.get_image(find_base(here, print))))
        ensure_referee_image(apart.client, ensure_base_image(apart.client, print), print)
        yield apart
        apart.client.close()
    here.close()
    shutil.rmtree(hidden)


def test_a_match_is_played_and_recorded_beside_the_bots(engine: Apart) -> None:
    mine, record = engine.hidden / "mine", engine.hidden / "match.jsonl"
    shutil.copytree(SAMPLES / "cautious", mine)
    words = ("play", str(mine), "random", "random", str(mine), "--boards", "1", "--seed", "7")
    code, printed, reported = engine.pigpen(*words, *PATIENT, "--json", "--record", str(record))
    assert code == 0, reported
    assert WHAT_HAPPENS in reported
    found = json.loads(printed)
    assert [row["bot"] for row in found["results"]] == ["mine", "random", "random#2", "mine#2"]
    assert [row["faults"] for row in found["results"]] == [0] * 4
    first, *_ = lines = list(read_record(record))
    assert isinstance(first, MatchLine)
    assert (first.runtime, first.instances, len(lines)) == ("runc", "warm", 6)
    assert pigpen_process("verify", str(record)).returncode == 0
    assert engine.is_empty()


SPY = """import os, socket, sys
from bot_base import Random
import pigpen

roots = [name for name in ("/var/run/docker.sock", "/var/lib/docker") if os.path.exists(name)]
seats = [name for name in os.listdir("/run/pigpen") if name.startswith("seat")]
try:
    socket.socket(socket.AF_INET)
except OSError:
    print("sees", roots, len(seats) <= 1, file=sys.stderr)
pigpen.run(Random())
"""


def test_a_bot_sees_no_network_no_engine_and_no_seat_but_its_own(engine: Apart) -> None:
    spy = engine.hidden / "spy"
    spy.mkdir()
    (spy / "bot.py").write_text(SPY)
    shutil.copy(SAMPLES / "random" / "bot.py", spy / "bot_base.py")
    words = ("play", str(spy), "random", "random", "random", "--deals", "1", "--fresh", "--json")
    code, printed, reported = engine.pigpen(*words)
    assert code == 0, reported
    (mine,) = (row for row in json.loads(printed)["results"] if row["bot"] == "spy")
    assert [each["printed"].strip() for each in mine["rotations"]] == ["sees [] True"]
    assert engine.is_empty()


def test_nothing_is_left_there_after_an_interrupt(engine: Apart) -> None:
    words = ("play", "random", "random", "random", "random", "--boards", "1000")
    variables = environment(DOCKER_HOST=engine.address, TMPDIR=str(engine.hidden))
    with subprocess.Popen([PIGPEN, *words], env=variables, stderr=subprocess.PIPE, text=True) as player:
        while len(engine.client.api.containers()) < 4:  # the referee's, and some bots'
            assert player.poll() is None
        player.send_signal(signal.SIGINT)
        player.communicate()
    assert player.returncode == 130
    assert engine.is_empty()


def test_what_is_wrong_there_is_said_here_in_the_same_words(engine: Apart) -> None:
    bad = engine.hidden / "bad"
    bad.mkdir()
    (bad / "Dockerfile").write_text("FROM scratch\nCOPY nothing /nothing\n")
    code, _, reported = engine.pigpen("play", str(bad), "random", "random", "random", "--deals", "1")
    assert code == 2
    assert "bad does not build" in reported
    assert engine.is_empty()

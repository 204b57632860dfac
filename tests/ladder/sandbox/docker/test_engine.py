from __future__ import annotations

import os
import subprocess

import pytest

from ladder.errors import SandboxError
from ladder.sandbox.docker.engine import connect
from tests.ladder.containers import ROOT


def run_script(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "engine"], env=os.environ | environment, capture_output=True, text=True, check=False
    )


@pytest.mark.docker
def test_the_script_is_silent_when_an_engine_answers() -> None:
    done = run_script(PIGPEN_NO_INSTALL="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_script_changes_nothing_for_a_remote_engine() -> None:
    done = run_script(DOCKER_HOST="unix:///nowhere/docker.sock")
    assert done.returncode == 3
    assert "unix:///nowhere/docker.sock" in done.stderr


@pytest.mark.parametrize("host", ["unix:///nowhere/docker.sock", "tcp://127.0.0.1:9"])
def test_no_engine_is_told_with_the_ways_out(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(SandboxError, match=r"scripts/engine.*--sandbox process"):
        connect()

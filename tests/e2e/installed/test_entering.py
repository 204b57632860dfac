"""The commands of docs/guide.md, from an empty environment to a bot that is ranked on a remote ladder."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.command import PLAIN
from tests.e2e.installed.installing import WITH_BYTECODE, Installation
from tests.e2e.test_readme import GUIDE, OTHER_LADDER, blocks, section
from tests.e2e.whole_ladder import PATIENCE, whole_ladder

if TYPE_CHECKING:
    from pathlib import Path

ARENA = "https://arena.example"
HOUSE = {"Snout": "counting"}
"""The only bots of the house: few enough that the machine has nothing else to do."""


@pytest.mark.long  # on each push: test_wheels.py, test_other_systems.py and test_remote_submit.py
@pytest.mark.docker
@pytest.mark.timeout(PATIENCE)
def test_a_contestant_gets_a_bot_ranked_on_somebody_elses_ladder(
    installation: Installation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = [line for block in blocks("sh", section(GUIDE, OTHER_LADDER)) for line in block.splitlines()]
    assert [line.split()[1] for line in commands] == ["login", "new", "submit", "standings", "show"]
    organiser, contestant = tmp_path / "organiser", tmp_path / "contestant"
    for folder in (organiser, contestant):
        folder.mkdir()
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PIGPEN_", "XDG_"))} | PLAIN
    variables |= WITH_BYTECODE | {
        "HOME": str(contestant), "PATH": f"{installation.folder}/bin", "PIGPEN_DATA_DIR": str(contestant / "no-ladder"),
        "DOCKER_HOST": "unix:///nonexistent/docker.sock",
    }  # fmt: skip
    took = [f"{installation.seconds:6.1f} s  pip install"]

    def typed(command: str, stdin: str = "") -> str:
        begun = time.monotonic()
        done = subprocess.run(
            shlex.split(command), cwd=contestant, env=variables, input=stdin, capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )  # fmt: skip
        took.append(f"{time.monotonic() - begun:6.1f} s  {command}")
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.stderr == "" or command.startswith("pigpen submit")
        return done.stdout

    with whole_ladder(organiser, HOUSE) as (address, token):
        begun = time.monotonic()
        shown = {}
        for command in commands:
            is_login = command == f"pigpen login {ARENA}"
            word = f"pigpen login {address} --token" if is_login else command
            shown[command.split()[1]] = typed(word, token if is_login else "")
        whole = installation.seconds + time.monotonic() - begun
        assert "Trotter@1 of ada: sha256:" in shown["submit"]
        assert "gongzhu: entered, Elo " in shown["submit"]
        (row,) = [line.split() for line in shown["standings"].splitlines() if " Trotter " in line]
        assert row[0].strip("=").isdigit()
        again = typed("pigpen submit ./trotter --name Trotter")
        assert again.startswith("Trotter@1 is this already; ")
        assert not (contestant / "no-ladder").exists()
    with capsys.disabled():
        print(*["", *took, f"{whole:6.1f} s  from pip install to a ranked bot"], sep="\n")

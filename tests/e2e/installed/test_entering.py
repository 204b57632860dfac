"""The commands of docs/guide.md, from an empty environment to a bot that is ranked on a remote ladder."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from ladder.app.ladder import Ladder
from ladder.sandbox.bots.bot_source import find_bot
from ladder.sandbox.docker.docker_sandbox import DockerSandbox
from ladder.settings.settings import load_settings
from pigpen.rules import PRESETS
from tests.e2e.command import PIGPEN, PLAIN, environment
from tests.e2e.installed.installing import WITH_BYTECODE, Installation
from tests.e2e.test_readme import GUIDE, OTHER_LADDER, blocks, section
from tests.ladder.accounts import add_person, token_of
from tests.ladder.ladders import NOW
from tests.ladder.store.submitted import Fit
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

PATIENCE = 600
ARENA = "https://arena.example"
HOUSE = {"Snout": "counting"}
"""The only bots of the house: few enough that the machine has nothing else to do."""


async def images_of(samples: Iterable[str]) -> dict[str, str]:
    """The ids of the images of sample bots. Their trials are not the point here."""
    sandbox = DockerSandbox()
    try:
        return {sample: (await sandbox.load(find_bot(sample))).identity for sample in samples}
    finally:
        await sandbox.close()


@contextmanager
def somebodys_ladder(folder: Path) -> Iterator[tuple[str, str]]:
    """A whole ladder with containers, as its organiser runs it; gives its address, and a token of a contestant's."""
    variables = environment(
        PIGPEN_DATA_DIR=str(folder / "data"), PIGPEN_SITE_PORT=str(free_port()), PIGPEN_BOARDS="1",
        PIGPEN_PREFLIGHT_DEALS="1", PIGPEN_CLOCK="600+1", PIGPEN_LIMIT="60", PIGPEN_CONCURRENCY="1",
    )  # fmt: skip
    images = asyncio.run(images_of(HOUSE.values()))
    with Ladder.open(load_settings(data_dir=folder / "data"), create=True) as ladder:
        with ladder.database.write() as session:
            for name, sample in HOUSE.items():
                bot = Fit(name, f"owner-of-{name}", images[sample], "docker", sample, 1000, can_fork=True)
                bot.enter(session, [PRESETS["gongzhu"]], NOW)
        add_person(ladder, "ada")
        token = token_of(ladder, "ada")
    with (
        (folder / "up.log").open("w") as log,
        subprocess.Popen(
            [PIGPEN, "up"], cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=log, text=True
        ) as up,
    ):
        try:
            assert up.stdout is not None
            address = ""
            while not address.startswith("http"):
                line = up.stdout.readline()
                assert line, (folder / "up.log").read_text()
                address = line.removeprefix("The site is at ").strip().rstrip("/")
            yield address, token
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):  # at once: other tests try how matches end in order
                up.send_signal(number)
            up.wait(PATIENCE)


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

    with somebodys_ladder(organiser) as (address, token):
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

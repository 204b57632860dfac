"""A ladder in containers, as docs/deploy.md has it typed: from nothing to a rated match, on a machine of its own."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from ladder.sandbox.docker.base_image import BaseImage
from ladder.sandbox.docker.ladder_image import ladder_tag, make_images
from tests.e2e.command import PIGPEN, ROOT
from tests.e2e.machines import Machine, lan

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 1500
"""Seconds for all of it, on a machine that is busy with other things, too."""
NAME = "arena.example"
BRIEF = "runtime = 'runc'\nboards = 1\npreflight_deals = 1\nclock = '600+1'\nlimit = 60\n"
"""Settings under which a match takes seconds, and no bot is late on a busy machine."""
BOTS = ("counting", "cautious", "random", "sampling")
pytestmark = [
    pytest.mark.compose, pytest.mark.docker, pytest.mark.machines, pytest.mark.long, pytest.mark.timeout(PATIENCE + 20),
]  # fmt: skip


def typed_on_the_page() -> str:
    """The commands with which the page begins such a ladder."""
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```sh\n(pigpen ladder image\n.*?)```", page, re.DOTALL)
    return str(code)


class Arena:
    """The machine, and the ladder that runs there."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def type(self, words: str) -> str:
        """Type a command in the folder of the ladder; what it prints."""
        done = self._machine.run("bash", "-c", f"cd /opt/arena && {words}")
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def pigpen(self, *words: str) -> str:
        """Type a command of Pigpen in the container of the runner."""
        return self.type(f"docker-compose exec -T run pigpen {shlex.join(words)}")

    def page(self, path: str) -> str:
        """A page of the site, as it comes through the proxy."""
        seen = "--insecure --silent --fail --resolve arena.example:443:127.0.0.1"
        return self.type(f"curl {seen} https://{NAME}{path}")

    def first_match(self) -> dict[str, Any]:
        """Wait until a match has been played."""
        end = time.monotonic() + PATIENCE
        while not (found := json.loads(self.pigpen("matches", "--status", "done", "--json"))):
            assert time.monotonic() < end, self.type("docker-compose logs --tail=50")
            time.sleep(2.0)
        row: dict[str, Any] = found[0]
        return row


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with an engine that has the images, but for PostgreSQL's."""
    made = make_images(print)
    assert set(made) == {ladder_tag()}
    with lan(tmp_path_factory.mktemp("compose")) as network:
        machine = network.add("arena")
        machine.start_engine()
        give(machine, *made, BaseImage().latest, BaseImage().tag)
        (machine.folder / "opt" / "stubs").mkdir()
        stub = machine.folder / "opt" / "stubs" / "pigpen"
        stub.write_text(f'#!/bin/sh\nexec {shlex.quote(str(PIGPEN))} "$@"\n')
        stub.chmod(0o755)
        yield machine


def give(machine: Machine, *names: str) -> None:
    """Have images on the machine's engine: to make them takes packages from the Internet."""
    enter = shlex.join([*machine._enter, "env", "--unset=DOCKER_HOST"])
    words = f"docker save {shlex.join(names)} | {enter} docker load"
    subprocess.run(words, shell=True, check=True, capture_output=True)


def test_from_nothing_to_a_rated_match(machine: Machine) -> None:
    begin, _, start = typed_on_the_page().partition("docker-compose up")
    assert f"pigpen ladder compose {NAME} arena" in begin
    begin = begin.replace("pigpen ladder image", f"docker image inspect {ladder_tag()} > /dev/null")  # it has it
    data = "/var/tmp/pigpen"
    machine.script(f"cd /opt; {begin.replace(f'{NAME} arena', f'{NAME} arena --data-dir {data}')}")
    with (machine.folder / "opt" / "arena" / "pigpen.toml").open("a") as settings:
        settings.write(BRIEF)
    machine.script(f"cd /opt/arena; docker-compose up{start}")
    arena = Arena(machine)
    try:
        assert arena.page("/healthz") == "ok\n"
        for bot in BOTS:
            arena.pigpen("submit", bot, "--name", bot.title(), "--owner", f"o-{bot}", "--variant", "hearts")
        match = arena.first_match()
        assert {seat["bot"].partition("@")[0] for seat in match["seats"]} == {bot.title() for bot in BOTS}
        (hearts,) = json.loads(arena.pigpen("standings", "--variant", "hearts", "--json"))
        assert [row["matches"] > 0 for row in hearts["standings"]] == [True] * len(BOTS)
        assert "Counting" in arena.page("/v/hearts")
    finally:
        arena.type("docker-compose down --volumes --timeout 120; rm -rf /opt/arena")

"""A ladder in containers, as docs/deploy.md has it typed: from nothing to a rated match, on a machine of its own."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
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
"""Seconds for a ladder, on a machine that is busy with other things, too."""
NAME = "arena.example"
BRIEF = "boards = 1\npreflight_deals = 1\nclock = '600+1'\nlimit = 60\n"
"""Settings under which a match takes seconds, and no bot is late on a busy machine."""
BOTS = ("counting", "cautious", "random", "sampling")
pytestmark = [
    pytest.mark.compose, pytest.mark.docker, pytest.mark.machines, pytest.mark.long, pytest.mark.timeout(PATIENCE + 20),
]  # fmt: skip


IMAGE = 'FROM pigpen/bot:latest\nCOPY bot.py .\nCMD ["python", "bot.py"]'
UP = "docker-compose up --detach"
JOIN = "import sys; from tests.e2e.accounts import token_of_invited; print(token_of_invited(*sys.argv[1:]))"


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

    def settings(self, text: str) -> None:
        """Add settings of the ladder."""
        with (self._machine.folder / "opt" / "arena" / "pigpen.toml").open("a") as file:
            file.write(text)

    def as_contestant(self, *words: str, **variables: str) -> str:
        """Type a command of Pigpen on the machine itself, as a contestant does who trusts the certificate."""
        certificate = "/opt/arena/tls/fullchain.pem"
        trusted = {"SSL_CERT_FILE": certificate, "REQUESTS_CA_BUNDLE": certificate, "XDG_CONFIG_HOME": "/var/tmp/ada"}
        done = self._machine.run(*words, **trusted | variables)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def pigpen(self, *words: str) -> str:
        """Type a command of Pigpen in the container of the runner."""
        return self.type(f"docker-compose exec -T run pigpen {shlex.join(words)}")

    def page(self, path: str) -> str:
        """A page of the site, as it comes through the proxy."""
        seen = "--insecure --silent --fail --resolve arena.example:443:127.0.0.1"
        return self.type(f"curl {seen} https://{NAME}{path}")

    def submit_all(self) -> None:
        """Submit sample bots, when the site answers."""
        assert self.page("/healthz") == "ok\n"
        for bot in BOTS:
            self.pigpen("submit", bot, "--name", bot.title(), "--owner", f"o-{bot}", "--variant", "hearts")

    def match_with(self, bot: str) -> dict[str, Any]:
        """Wait until a match of a bot has been played."""
        end = time.monotonic() + PATIENCE
        while True:
            for row in json.loads(self.pigpen("matches", "--status", "done", "--json")):
                if bot in bots_of(row):
                    return dict(row)
            assert time.monotonic() < end, self.type("docker-compose logs --tail=50")
            time.sleep(2.0)

    def end(self) -> None:
        """End the ladder, and remove all of it."""
        self.type("docker-compose down --volumes --timeout 120; rm -rf /opt/arena /var/tmp/pigpen")


def bots_of(match: dict[str, Any]) -> set[str]:
    return {seat["bot"].partition("@")[0] for seat in match["seats"]}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine with an engine that has the images, but for PostgreSQL's."""
    made = make_images(print)
    assert set(made) == {ladder_tag()}
    with lan(tmp_path_factory.mktemp("compose")) as network:
        machine = network.add("arena")
        machine.patience = PATIENCE
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


def lay_out(machine: Machine, *options: str) -> Arena:
    """Write the files of a ladder there, as the page has it typed; nothing of it runs."""
    begin, up, rest = typed_on_the_page().partition(UP)
    assert f"pigpen ladder compose {NAME} arena" in begin
    assert (up, rest.strip()) == (UP, "")
    begin = begin.replace("pigpen ladder image", f"docker image inspect {ladder_tag()} > /dev/null")  # it has it
    written = shlex.join([NAME, "arena", "--data-dir", "/var/tmp/pigpen", *options])
    machine.script(f"cd /opt; {begin.replace(f'{NAME} arena', written)}")
    return Arena(machine)


def test_from_nothing_to_a_rated_match(machine: Machine) -> None:
    arena = lay_out(machine)
    arena.settings(f"runtime = 'runc'\n{BRIEF}")
    arena.type(UP)
    try:
        arena.submit_all()
        assert bots_of(arena.match_with("Counting")) == {bot.title() for bot in BOTS}
        (hearts,) = json.loads(arena.pigpen("standings", "--variant", "hearts", "--json"))
        assert [row["matches"] > 0 for row in hearts["standings"]] == [True] * len(BOTS)
        assert "Counting" in arena.page("/v/hearts")
        proof = "acme/.well-known/acme-challenge"  # where certbot puts what shows that the name is the organiser's
        arena.type(f"mkdir -p {proof}; echo mine > {proof}/token")
        reached = f"curl --silent --fail --resolve {NAME}:80:127.0.0.1 http://{NAME}/.well-known/acme-challenge/token"
        assert arena.type(reached) == "mine\n"
    finally:
        arena.end()


@pytest.mark.postgres
@pytest.mark.registry
@pytest.mark.runsc
def test_with_postgresql_a_registry_and_gvisor(machine: Machine) -> None:
    give(machine, *make_images(print, postgres=True))
    arena = lay_out(machine, "--postgres", "--registry")
    arena.settings(f"runtime = 'runsc'\nlanguages = ''\n{BRIEF}")
    trust_the_certificate(machine)
    arena.type(UP)
    try:
        arena.submit_all()
        doctor = json.loads(arena.pigpen("doctor", "--json"))
        assert [row["name"] for row in doctor["findings"] if not row["holds"]] == []
        link = arena.pigpen("account", "invite", "--name", "ada").split()[-1]
        token = arena.as_contestant(sys.executable, "-c", JOIN, link, "ada", PYTHONPATH=str(ROOT)).strip()
        arena.as_contestant("bash", "-c", f"echo {token} | {shlex.quote(str(PIGPEN))} login https://{NAME} --token")
        arena.type(
            f"mkdir bot; cp {ROOT}/sample_bots/counting/bot.py bot; printf %s {shlex.quote(IMAGE)} > bot/Dockerfile"
        )
        arena.type("docker build --quiet --tag fifth:1 bot")
        arena.as_contestant(str(PIGPEN), "submit", "fifth:1", "--name", "Fifth", "--variant", "hearts")
        arena.match_with("Fifth")
        arena.type("docker-compose stop; docker-compose start postgres; sleep 10")
        inside = "docker-compose exec -T postgres"
        arena.type(f"{inside} pg_dump --host /tmp --username pigpen --format custom pigpen > ladder.dump")
        assert "matches" in arena.type(f"{inside} pg_restore --list < ladder.dump")
        count = f"{inside} psql --host /tmp --username pigpen --tuples-only --no-align --command"
        statuses = arena.type(f"{count} 'select distinct status from matches' pigpen").split()
        assert "done" in statuses
        assert "leased" not in statuses, "matches under way are finished first"
        arena.type(UP)
        assert "Fifth" in arena.page("/v/hearts")
    finally:
        arena.end()


def trust_the_certificate(machine: Machine) -> None:
    """Follow the page where the registry's certificate vouches for itself."""
    machine.script(
        f"echo 127.0.0.1 {NAME} >> /etc/hosts; cd /opt/arena; mkdir -p /etc/docker/certs.d/{NAME}:5000; "
        f"cp tls/fullchain.pem /etc/docker/certs.d/{NAME}:5000/ca.crt; "
        "sed -i s,^PIGPEN_AUTHORITIES=.*,PIGPEN_AUTHORITIES=/etc/pigpen/fullchain.pem, .env"
    )

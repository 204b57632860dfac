"""The commands of docs/cluster.md on three machines, each with a network, a disk and a Docker engine of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ladder.sandbox.docker.base_image import BaseImage, ensure_base_image
from ladder.sandbox.docker.engine import connect
from tests.e2e.command import PIGPEN, ROOT
from tests.e2e.machines import Lan, Machine, lan
from tests.waiting import until

SLURM = "## Workers as jobs of Slurm"
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
BY_HAND, _, BY_SLURM = PAGE.partition(SLURM)
NAMES = ("arena", "mars", "venus")
PATIENCE = 900
"""Seconds for all of it, on a machine that is busy with other things, too."""
STUBS = {
    "apt-get": "exit 0",
    "systemctl": 'echo "$@" >> /opt/systemctl',
    "scp": 'cp "$MACHINES/${1%%.*}${1#*:}" "$2"',
    "python3": 'case "$*" in "-m venv "*) exit 0 ;; *) exec /usr/bin/python3 "$@" ;; esac',
}
"""Programs that a machine for tests has in other ways: packages, services, and files of others."""
SUBMIT = "/opt/pigpen/bin/pigpen submit ./mybot"
OTHERS = "; ".join(f"{SUBMIT} --name {bot} --owner {bot} --variant gongzhu" for bot in ("Snout", "Truffle", "Acorn"))
BRIEF = "boards = 1\npreflight_deals = 1\n"
"""Settings under which a match takes a second or two."""


def blocks(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """All commands of a part of the page, with the machines on which they are typed."""
    for where, code in re.findall(r"[^\n]*?[Oo]n (`[^\n:]*`):\n\n```sh\n(.*?)```", text, flags=re.DOTALL):
        yield tuple(re.findall(r"`(\w+)`", where)), code


class Arena:
    """The three machines of the page."""

    def __init__(self, network: Lan, folder: Path) -> None:
        self._network = network
        self._folder = folder
        self._started = 0
        for name in NAMES:
            machine = network.add(name)
            for program, script in STUBS.items():
                _write(machine.folder / "opt" / "stubs" / program, f"#!/bin/sh\n{script}\n")
            for program, script in {"pip": "exit 0", "pigpen": f'exec {shlex.quote(str(PIGPEN))} "$@"'}.items():
                _write(machine.folder / "opt" / "pigpen" / "bin" / program, f"#!/bin/sh\n{script}\n")
            machine.start_engine()

    def __getitem__(self, name: str) -> Machine:
        return self._network.machines[name]

    def type(self, names: tuple[str, ...], code: str) -> None:
        """Type a block of commands, and start the services that it enables."""
        for name in names:
            machine = self[name]
            machine.script(code, MACHINES=str(self._folder))
            orders_file = machine.folder / "opt" / "systemctl"
            orders = orders_file.read_text().splitlines() if orders_file.exists() else []
            orders_file.unlink(missing_ok=True)
            for order in orders:
                if order.startswith("enable --now "):
                    self._start(machine, order.removeprefix("enable --now "))
            if "pigpen.toml" in code:
                machine.script(f"printf '{BRIEF}' >> /etc/pigpen/pigpen.toml")

    def submit_others(self) -> None:
        """Enter the bots of three other owners."""
        self["arena"].script(f"cd /etc/pigpen; {OTHERS}", REQUESTS_CA_BUNDLE="/etc/pigpen/authorities.pem")

    def plug(self, name: str, *, is_in: bool) -> None:
        self._network.plug(name, is_in=is_in)

    def workers(self) -> dict[str, dict[str, Any]]:
        """Read the output of `pigpen cluster status`."""
        done = self["arena"].run("sh", "-c", "cd /etc/pigpen && /opt/pigpen/bin/pigpen cluster status --json")
        return {worker["name"]: worker for worker in json.loads(done.stdout or "[]")}

    def order(self, what: str, worker: str) -> None:
        """Type `pigpen cluster drain mars`, for example."""
        self["arena"].script(f"cd /etc/pigpen; /opt/pigpen/bin/pigpen cluster {what} {worker}")

    def who_plays(self) -> str:
        """Wait until a worker has played a match that counts; gives its name."""
        workers = self.wait(lambda workers: any(worker["tasks"] for worker in workers.values()))
        return next(name for name, worker in workers.items() if worker["tasks"])

    def wait(self, holds: Callable[[dict[str, dict[str, Any]]], bool]) -> dict[str, dict[str, Any]]:
        """Wait until something holds of the workers."""
        until = time.monotonic() + PATIENCE
        while not holds(found := self.workers()):
            assert time.monotonic() < until, f"{found}\n{''.join(self[name].printed() for name in NAMES)}"
            time.sleep(3.0)  # to look costs a second of a core
        return found

    @staticmethod
    def _start(machine: Machine, service: str) -> None:
        """Start what systemd would, as the unit says."""
        unit = (machine.folder / "etc" / "systemd" / "system" / f"{service}.service").read_text()
        unit_fields = dict(re.findall(r"^(\w+)=(.*)$", unit, flags=re.MULTILINE))
        variables = dict(each.split("=", 1) for each in unit_fields.get("Environment", "").split())
        machine.start(
            *unit_fields["ExecStart"].split(), folder=unit_fields.get("WorkingDirectory", "/"), variables=variables
        )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    with lan(tmp_path) as network:
        yield Arena(network, tmp_path)


def give_base_image(machine: Machine) -> None:
    """Have Pigpen's base image on a machine's engine: to make it takes packages from the Internet."""
    client = connect()
    ensure_base_image(client, print)
    client.close()
    names = shlex.join([BaseImage().latest, BaseImage().tag])
    enter = shlex.join([*machine._enter, "env", "--unset=DOCKER_HOST"])  # the engine of the tests may be another one
    subprocess.run(f"docker save {names} | {enter} docker load", shell=True, check=True, capture_output=True)


def test_the_page_says_on_which_machine_each_command_is_typed() -> None:
    assert len(list(blocks(PAGE))) == PAGE.count("```sh")
    assert {name for names, _ in blocks(PAGE) for name in names} == set(NAMES)


@pytest.mark.docker
@pytest.mark.registry
@pytest.mark.machines
@pytest.mark.long
@pytest.mark.timeout(PATIENCE + 20)
def test_three_machines_play_and_one_comes_back_after_a_partition_and_after_its_engine_died(
    arena: Arena,
) -> None:
    give_base_image(arena["arena"])
    for names, code in blocks(BY_HAND):
        if "cluster status" in code:
            arena.wait(lambda workers: {"mars", "venus"} <= set(workers))
        arena.type(names, code)
    arena.submit_others()
    first = arena.who_plays()
    other = "venus" if first == "mars" else "mars"
    arena.order("drain", first)  # four owners play one match at a time, and on the machine that has their bots already
    workers = arena.wait(lambda workers: workers[other]["tasks"] > 0)
    assert [worker["images"] for worker in workers.values()] == [1, 1]
    arena.plug(other, is_in=False)
    arena.order("resume", first)
    gone = arena.wait(lambda workers: workers[other]["state"] == "gone")
    arena.wait(lambda workers: workers[first]["tasks"] > gone[first]["tasks"])
    arena.plug(other, is_in=True)
    arena.order("drain", first)
    arena.wait(lambda workers: workers[other]["tasks"] > gone[other]["tasks"])
    arena[other].kill_engine()
    arena.wait(lambda workers: workers[other]["state"] == "failing")
    arena.order("resume", first)
    failing = arena.wait(lambda workers: workers[first]["tasks"] > gone[first]["tasks"] + 1)
    arena[other].start_engine()
    arena.order("drain", first)
    arena.wait(lambda workers: workers[other]["tasks"] > failing[other]["tasks"])


SLURM_CONF = """
ClusterName=barn
SlurmctldHost=arena(10.0.0.1)
SlurmUser=root
StateSaveLocation=/var/lib/slurm-state
SlurmdSpoolDir=/var/lib/slurm-spool
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
NodeName=mars NodeAddr=10.0.0.2 CPUs=2 RealMemory=1000
NodeName=venus NodeAddr=10.0.0.3 CPUs=2 RealMemory=1000
PartitionName=all Nodes=mars,venus Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """Slurm on the machines of the page, with the folder that all nodes see."""

    def __init__(self, arena: Arena, folder: Path) -> None:
        self._arena = arena
        self.shared = folder / "shared"
        shutil.copytree(arena["arena"].folder / "opt" / "pigpen", self.shared)
        (self.shared / "munge.key").write_bytes(os.urandom(1024))
        for name in NAMES:
            machine = arena[name]
            machine.script(
                f"mount --bind {self.shared} /opt/pigpen; "
                "mkdir -p /run/munge /etc/slurm /etc/munge /var/lib/slurm-state /var/lib/slurm-spool; "
                "install -m 600 /opt/pigpen/munge.key /etc/munge/munge.key; "
                f"printf {shlex.quote(SLURM_CONF)} > /etc/slurm/slurm.conf"
            )
            files = [f"--{kind}-file=/run/munge/{kind}" for kind in ("log", "pid", "seed")]
            machine.start("munged", "--foreground", "--force", *files)
            machine.start("slurmctld" if name == "arena" else "slurmd", "-D")
        until(
            lambda: self._arena["arena"].run("sinfo", "-h", "-t", "idle", "-o", "%D").stdout.strip() == "2", pause=1.0
        )

    def jobs(self) -> int:
        """Number of the jobs that have not ended."""
        return len(self._arena["arena"].run("squeue", "--noheader", "--array").stdout.splitlines())

    def printed(self, number: int) -> str:
        """Output of one worker."""
        return (self.shared / f"worker-{number}.log").read_text()


@pytest.mark.docker
@pytest.mark.registry
@pytest.mark.machines
@pytest.mark.slurm
@pytest.mark.long
@pytest.mark.timeout(PATIENCE + 20)
def test_jobs_of_slurm_play_on_two_nodes_and_finish_what_they_play_before_they_end(
    arena: Arena, tmp_path: Path
) -> None:
    give_base_image(arena["arena"])
    slurm = Slurm(arena, tmp_path)
    coordinator, _, _ = BY_HAND.partition("## The workers")
    for names, code in blocks(coordinator):
        arena.type(names, code)
    for name in ("mars", "venus"):  # as the page says of all workers
        certificate = arena["arena"].folder / "etc" / "pigpen" / "certificate.pem"
        folder = "/etc/docker/certs.d/arena.example:5000"
        arena[name].script(f"mkdir -p {folder}; cp {certificate} {folder}/ca.crt")
    (_, start), (_, end) = blocks(BY_SLURM)
    arena.type(("arena",), start)
    arena.wait(lambda workers: {"slurm-1", "slurm-2"} <= set(workers))
    (enter,) = (code for _, code in blocks(BY_HAND) if SUBMIT in code)
    arena.type(("arena",), enter)
    arena.submit_others()
    first = arena.who_plays()
    arena.order("drain", first)
    other = "slurm-2" if first == "slurm-1" else "slurm-1"
    arena.wait(lambda workers: workers[other]["tasks"] > 0)
    arena.type(("arena",), end)
    arena.wait(lambda _: slurm.jobs() == 0)
    workers = arena.wait(lambda workers: {worker["state"] for worker in workers.values()} <= {"gone"})
    assert [worker["voids"] for worker in workers.values()] == [0, 0]
    for number in (1, 2):
        assert "Terminated." in slurm.printed(number).splitlines()[-1]

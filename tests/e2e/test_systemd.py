"""
A ladder under systemd, as docs/deploy.md has it typed, both ways: all in one unit, and four units without rights.

systemd is the first process of a container of Debian's packages, with a Docker engine of its own, which systemd starts.
The container has this machine's network: the inner engine makes no bridge in it.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from docker.types import Mount

from ladder.sandbox.docker.base_image import BaseImage, debian_release, ensure_base_image, import_packages
from ladder.sandbox.docker.engine import connect
from tests.e2e.command import ROOT
from tests.e2e.installed.installing import copy_sources, make_wheels
from tests.e2e.package_sources import configured_places, passed_on
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    import docker

PATIENCE = 1500
"""Seconds for all of it, on a machine that is busy with other things, too."""
pytestmark = [pytest.mark.docker, pytest.mark.bare, pytest.mark.long, pytest.mark.timeout(PATIENCE)]

PACKAGES = (
    "apt",
    "systemd",
    "systemd-sysv",
    "dbus",
    "docker.io",
    "iptables",
    "python3-venv",
    "procps",
    "usr-is-merged",
)
ENGINE = {"bridge": "none", "iptables": False, "ip-forward": False}
BRIEF = "boards = 1\npreflight_deals = 1\nclock = '600+1'\nlimit = 60\nlanguages = ''\n"
"""Settings under which a match takes seconds, and no bot is late on a busy machine."""
BOTS = ("counting", "cautious", "random", "sampling")
CAPABILITIES = (
    "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE "
    "NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN "
    "SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE "
    "MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ"
)
"""In the kernel's order; those that this machine's root does not have cannot be given."""


def own_capabilities() -> list[str]:
    (line,) = [each for each in Path("/proc/self/status").read_text().splitlines() if each.startswith("CapBnd")]
    held = int(line.split()[1], 16)
    return [name for number, name in enumerate(CAPABILITIES.split()) if held >> number & 1]


class Debian:
    """The machine on which systemd runs."""

    def __init__(self, name: str, port: int) -> None:
        self._name = name
        self.port = port

    def type(self, script: str) -> str:
        """Type commands there as root, in the folder of the settings; all of them must succeed."""
        done = self.try_(script)
        assert done.returncode == 0, f"{script}\n{done.stdout[-4000:]}\n{self._journal()}"
        return done.stdout

    def try_(self, script: str) -> subprocess.CompletedProcess[str]:
        variables = [word for name, value in passed_on().items() for word in ("--env", f"{name}={value}")]
        command = ["docker", "exec", *variables, "--env", "PIGPEN_DATA_DIR=/var/lib/pigpen"]
        shell = ["sh", "-euc", f"mkdir -p /etc/pigpen; cd /etc/pigpen; {script}"]
        return subprocess.run(
            [*command, self._name, *shell], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )

    def until(self, script: str, found: str) -> str:
        """Type commands again and again until their output has a text."""
        end = time.monotonic() + PATIENCE / 3
        while True:
            done = self.try_(script)
            if done.returncode == 0 and re.search(found, done.stdout):
                return done.stdout
            assert time.monotonic() < end, f"{script}\n{done.stdout[-4000:]}\n{self._journal()}"
            time.sleep(0.5)

    def answers(self) -> None:
        """Wait until the site answers."""
        get = f"import urllib.request as r; print(r.urlopen('http://127.0.0.1:{self.port}/healthz', timeout=5).read())"
        self.until(f"python3 -c {shlex.quote(get)}", "ok")

    def pigpen(self, *words: str) -> str:
        return self.type(f"/opt/pigpen/bin/pigpen {shlex.join(words)}")

    def show(self, unit: str, name: str) -> str:
        """Give a property of a unit."""
        return self.type(f"systemctl show --property {name} --value {unit}").strip()

    def matches(self) -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads(self.type("/opt/pigpen/bin/pigpen matches --json 2> /dev/null"))
        return found

    def plays_more(self) -> None:
        """Wait until a match has been played that had not begun."""
        last = max((int(str(each["id"])) for each in self.matches()), default=0)
        command = "/opt/pigpen/bin/pigpen matches --status done --json 2> /dev/null"
        self.until(
            f"{command} | python3 -c 'import json, sys; print(max(e[\"id\"] for e in json.load(sys.stdin)) > {last})'",
            "True",
        )

    def _journal(self) -> str:
        return self.try_("journalctl --no-pager --lines 60 --unit 'pigpen*' --unit docker").stdout[-6000:]


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debian]:
    folder, port, client = tmp_path_factory.mktemp("systemd"), free_port(), connect()
    image = image_with_systemd(client)
    ensure_base_image(client, print)
    wheels = make_wheels(copy_sources(folder / "sources"))
    (folder / "daemon.json").write_text(json.dumps(ENGINE))
    places = [place for place in configured_places() if not place.startswith(("/etc/apt", "/root"))]
    mounted = {place: {"bind": place, "mode": "ro"} for place in places}
    mounted |= {
        "/sys/fs/cgroup": {"bind": "/sys/fs/cgroup", "mode": "rw"},
        str(folder / "daemon.json"): {"bind": "/etc/docker/daemon.json", "mode": "ro"},
        str(next(iter(wheels.values())).parent): {"bind": "/root/dist", "mode": "ro"},
    }
    container = client.containers.run(
        image, ["/sbin/init"], detach=True, network_mode="host", volumes=mounted, environment={"container": "docker"},
        tmpfs={"/run": "", "/run/lock": "", "/tmp": "exec"}, cap_add=own_capabilities(),
        security_opt=["seccomp=unconfined", "apparmor=unconfined"], device_cgroup_rules=["a *:* rwm"],
        mounts=[Mount("/var/lib/docker", None, type="volume")],
    )  # fmt: skip
    machine = Debian(str(container.id), port)
    try:
        machine.until("systemctl is-active docker", "^active")
        give = (
            f"docker save {BaseImage().latest} {BaseImage().tag} | docker exec --interactive {container.id} docker load"
        )
        subprocess.run(give, shell=True, check=True, capture_output=True)
        yield machine
        machine.try_("systemctl stop 'pigpen*' docker docker.socket")
    finally:
        container.remove(force=True, v=True)
        client.close()


def image_with_systemd(client: docker.DockerClient) -> str:
    key = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:8]
    tag = f"pigpen/test-systemd:{debian_release()}-{key}"
    if not client.api.images(tag, quiet=True):
        import_packages(client, tag, PACKAGES, [], [], print)
    return tag


def typed_on_the_page() -> tuple[str, str]:
    """The commands of both ways."""
    page = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8").partition("## With systemd")[2]
    first, second = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    return first, second


def test_a_ladder_runs_in_one_unit_and_then_in_four(debian: Debian) -> None:
    first, second = typed_on_the_page()
    settings = f"site_port = {debian.port}\n{BRIEF}"
    with_settings = f"cat > /etc/pigpen/pigpen.toml <<'END'\n{settings}END\n"
    begin, made, rest = first.partition("mkdir -p /etc/pigpen")
    assert made
    line, _, rest = rest.partition("\n")
    debian.type(f"cd /root/dist\n{begin}{made}{line}\n{with_settings}{rest}")
    debian.answers()
    for bot in BOTS:
        debian.pigpen("submit", bot, "--name", bot.title(), "--owner", f"o-{bot}", "--variant", "hearts")
    debian.plays_more()
    debian.type("systemctl stop pigpen")
    assert {each["status"] for each in debian.matches()} <= {"done", "queued"}, "what is played is finished first"
    assert debian.show("pigpen", "Result") == "success"

    debian.type(second)
    debian.answers()
    debian.plays_more()
    assert debian.try_("systemctl is-active pigpen").stdout.strip() == "inactive"
    site = debian.show("pigpen-site", "MainPID")
    status = debian.type(f"cat /proc/{site}/status")
    assert re.search(r"^Groups:\s*(\d+)\s*$", status, re.MULTILINE), "the site is in no group but its own"
    assert int(debian.type("id --user pigpen")) != 0
    assert "pigpen" not in debian.type("getent group docker").partition(":")[2], "only units that start bots have it"
    run = debian.type("journalctl --no-pager --unit pigpen-run")
    assert "count wall time" not in run, "the unit may freeze containers"

    debian.type(f"kill -KILL {site}")
    debian.until("systemctl show --property MainPID --value pigpen-site", rf"^(?!{site}$|0$)\d+")
    debian.answers()
    debian.plays_more()
    debian.type("systemctl stop pigpen-site pigpen-run pigpen-tables pigpen-compute")
    assert {each["status"] for each in debian.matches()} <= {"done", "queued"}
    failed = debian.type("systemctl list-units --failed --no-legend 'pigpen*'")
    assert failed == ""

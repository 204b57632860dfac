"""
README's lines and the starter kits' own commands, typed on a Debian that has nothing but what they ask for.

The machine is a root that mmdebstrap makes. It has no Docker engine at first: the way without one is tried before
`make` installs Debian's, and gVisor, and starts it there. Its apt, pip and npm are configured as this machine's are.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from ladder.app.local.folder import LANGUAGES
from tests.e2e.command import ROOT, pigpen

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.long, pytest.mark.bare, pytest.mark.timeout(1800)]

RELEASE = "bookworm"
"""Debian's, whose Python is the oldest that README names."""
README = (ROOT / "README.md").read_text("utf-8")
TRY_IT = (ROOT / "docs" / "protocol.md").read_text("utf-8").partition("## Try it")[2]
KITS = [name for name, sample in LANGUAGES.items() if sample is None]
CONFIGURED = (
    "/etc/apt", "/etc/hosts", "/etc/npmrc", "/etc/pip.conf", "/etc/resolv.conf", "/etc/ssl", "/root/.npmrc",
    "/usr/share/keyrings",
)  # fmt: skip
"""Settings of apt, npm and pip, and what they need to reach their sources."""
PASSED_ON = re.compile(r"PIP_\w+|npm_config_\w+|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy|SSL_CERT_\w+", re.IGNORECASE)
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "node_modules", "*.so")
PATIENTLY = ("--clock", "600+60", "--limit", "60")
"""No bot's time ends on a machine that has much else to do."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ENTER = """
set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount --rbind /sys "$ROOT/sys"
mount -t tmpfs tmpfs "$ROOT/run"
for path in $PLACES; do
    if [ -d "$path" ]; then mkdir -p "$ROOT$path"; else mkdir -p "$ROOT${path%/*}"; touch "$ROOT$path"; fi
    mount --rbind "$path" "$ROOT$path"
done
cd "$ROOT"
exec "$TURNER" -c "$TURN"
"""
TURN = """
import ctypes, os, subprocess
libc = ctypes.CDLL(None)
subprocess.run(["pivot_root", ".", "mnt"], check=True)
os.chdir("/")
assert libc.umount2(b"/mnt", 2) == 0
os.execvp("sh", ["sh", "-c", os.environ.pop("SCRIPT")])
"""
"""
Makes the root that of the mount namespace, and lets go of this machine's, by a program that is in memory already. Where
chroot alone has changed the root, the kernel lets nobody make a user namespace, and gVisor does not start.
"""
ENGINE = {"bridge": "none", "iptables": False, "ip-forward": False}
"""The engine's settings: the network is this machine's, whose own engine has its bridge and rules there."""
SWITCHED_OFF = """
docker ps --all --quiet | xargs --no-run-if-empty docker rm --force >/dev/null
kill $(pidof dockerd)
while pidof dockerd >/dev/null; do sleep 0.1; done
"""
"""Ends the engine in good order: the kernel's control groups outlive a machine that is just cut off."""


def totals(printed: str) -> dict[str, int]:
    """Read the points of a match without faults from what `pigpen play --json` prints, beside its messages."""
    (line,) = [line for line in printed.splitlines() if line.startswith("{")]
    results = json.loads(line)["results"]
    assert [each["faults"] for each in results] == [0] * len(results)
    return {each["bot"]: each["total"] for each in results}


def configured_places() -> list[str]:
    """Files and folders of this machine from which apt and pip take packages; pip itself names its own."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [urlsplit(word).path for word in re.split(r"[\s'\"=]+", listed) if word.startswith(("/", "file:///"))]
    return [place for place in dict.fromkeys([*CONFIGURED, *words]) if Path(place).exists()]


class BareMachine:
    """A root, and the programs in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.places = configured_places()

    def type(self, script: str, folder: str = "/root") -> str:
        """Type commands there, as root; all of them must succeed. Gives what they print."""
        passed_on = {name: value for name, value in os.environ.items() if PASSED_ON.fullmatch(name)}
        variables = passed_on | {
            "HOME": "/root", "PATH": PATH, "TERM": "dumb", "DEBIAN_FRONTEND": "noninteractive", "ROOT": str(self.root),
            "PLACES": shlex.join(self.places), "TURNER": sys.executable, "TURN": TURN,
            "SCRIPT": f"set -eu; cd {shlex.quote(folder)}\n{script}",
        }  # fmt: skip
        command = ["unshare", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "sh", "-c", ENTER]
        done = subprocess.run(
            command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{script}\n{done.stdout[-5000:]}"
        return done.stdout


@pytest.fixture(scope="module")
def machine() -> Iterator[BareMachine]:
    """Debian's essential packages and apt, and a copy of the sources without anything that was made from them."""
    with tempfile.TemporaryDirectory(prefix="pigpen-bare-", dir="/var/tmp") as folder:
        root = Path(folder) / "root"
        sources = [*Path("/etc/apt").glob("sources.list"), *Path("/etc/apt").glob("sources.list.d/*.sources")]
        made = ["mmdebstrap", "--quiet", "--variant=apt", "--include=ca-certificates", RELEASE, str(root)]
        subprocess.run([*made, *map(str, sources)], check=True, capture_output=True, umask=0o022)
        shutil.copytree(ROOT, root / "root" / "pigpen", ignore=LEFT_OUT, symlinks=True)
        yield BareMachine(root)


@pytest.fixture(scope="module")
def installed(machine: BareMachine) -> str:
    """Run README's packages and its first command there, and give the output."""
    (packages,) = re.findall(r"`(apt-get install [^`]*)`", README)
    machine.type(f"apt-get -qq update && {packages} --yes --no-install-recommends")
    return machine.type("PIGPEN_NO_INSTALL=1 make demo", "/root/pigpen")


def test_the_demo_plays_with_what_readme_asks_for(installed: str) -> None:
    assert "16 matches recorded" in installed


def test_readmes_first_bot_plays_and_passes_without_docker(machine: BareMachine, installed: str) -> None:
    (commands,) = re.findall(r"## A first bot\n\n```sh\n(.*?)```", README, flags=re.DOTALL)
    assert commands.count("\n") == 3
    option = " --sandbox process"
    assert option[1:] in README
    commands = re.sub(r"^pigpen (?:play|check) .*", lambda found: found[0] + option, commands, flags=re.MULTILINE)
    printed = machine.type(f". .venv/bin/activate\n{commands}", "/root/pigpen")
    assert "mybot" in printed


def test_the_javascript_bot_plays_and_passes_after_its_own_commands(machine: BareMachine, installed: str) -> None:
    """Those that `pigpen new` prints, and those of docs/protocol.md without Docker."""
    (packages,) = re.findall(r"`(apt-get install [^`]*)`", TRY_IT)
    machine.type(f"{packages} --yes --no-install-recommends")
    begin = ". pigpen/.venv/bin/activate"
    made = machine.type(f"{begin}\npigpen new mybot --lang javascript")
    (install,) = re.findall(r"\(cd \S+ && npm ci\)", made)
    (play,) = re.findall(r"pigpen play .*", made)
    printed = machine.type(f"{begin}\n{install}\n{play} --deals 1 --json {shlex.join(PATIENTLY)}")
    assert "mybot" in totals(printed)
    machine.type("rm -r mybot/node_modules")
    (_, without_docker) = re.findall(r"```sh\n(.*?)```", TRY_IT, flags=re.DOTALL)
    assert re.search(r"All \d+ cases passed", machine.type(f"{begin}\n{without_docker}"))


@pytest.mark.parametrize("language", KITS)
def test_a_kit_builds_after_its_own_commands(machine: BareMachine, installed: str, language: str) -> None:
    machine.type(f"pigpen/.venv/bin/pigpen new {language} --lang {language}")
    readme = (machine.root / "root" / language / "README.md").read_text("utf-8")
    *_, packages, typed = re.findall(r"```sh\n(.*?)```", readme, flags=re.DOTALL)
    assert "apt-get" in packages
    machine.type(packages + typed.partition("\n")[0], f"/root/{language}")
    assert any((machine.root / "root" / language / "build").iterdir())


def test_the_toolchains_are_complete_after_both_lists(machine: BareMachine, installed: str) -> None:
    assert (
        machine.type("scripts/toolchains; PIGPEN_NO_INSTALL=1 scripts/toolchains", "/root/pigpen").count("ready") <= 1
    )


@pytest.fixture(scope="module")
def with_engine(machine: BareMachine, installed: str) -> str:
    """Type README's first command, now with leave to install an engine, and give the output."""
    settings = machine.root / "etc" / "docker" / "daemon.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(ENGINE))
    return machine.type(f"make demo\n{SWITCHED_OFF}", "/root/pigpen")


def test_nothing_is_installed_where_that_is_forbidden(machine: BareMachine, installed: str) -> None:
    """So says the exit code; and `make demo` has played without an engine above."""
    tried = "PIGPEN_NO_INSTALL=1 scripts/engine || echo exit code $?; ! command -v docker"
    assert "exit code 3" in machine.type(tried, "/root/pigpen")


def test_the_demo_installs_and_starts_an_engine_and_gvisor_and_plays_in_containers(with_engine: str) -> None:
    assert re.search(r"^engine: ready, Docker \d", with_engine, flags=re.MULTILINE)
    assert "runsc: ready" in with_engine.splitlines()
    assert "process sandboxes" not in with_engine
    assert "16 matches recorded" in with_engine


def test_readmes_first_bot_plays_and_passes_in_containers(machine: BareMachine, with_engine: str) -> None:
    """The engine is started again, as after a night; nothing is installed for that."""
    (commands,) = re.findall(r"## A first bot\n\n```sh\n(.*?)```", README, flags=re.DOTALL)
    commands = commands.replace("mybot", "mynewbot")
    printed = machine.type(f"scripts/engine\n. .venv/bin/activate\n{commands}{SWITCHED_OFF}", "/root/pigpen")
    assert "installing" not in printed
    assert "mynewbot" in printed


def test_a_match_in_containers_there_is_that_of_this_machine(machine: BareMachine, with_engine: str) -> None:
    """The same seed gives the same points, whatever is below the bots."""
    words = ["play", "counting", "cautious", "random", "random", "--deals", "2", "--seed", "7", "--json", *PATIENTLY]
    there = machine.type(f"scripts/engine\n.venv/bin/pigpen {shlex.join(words)}\n{SWITCHED_OFF}", "/root/pigpen")
    here = pigpen(*words, "--sandbox", "inline")
    assert totals(there) == totals(here.stdout)

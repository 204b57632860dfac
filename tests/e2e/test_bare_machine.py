"""
README's lines and the starter kits' own commands, typed on a Debian that has nothing but what they ask for.

The machine is a root that mmdebstrap makes, without a Docker engine: so what is tried is the way without one. Its apt
and pip are configured as this machine's are.
"""

from __future__ import annotations

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
from tests.e2e.command import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.long, pytest.mark.bare, pytest.mark.timeout(1800)]

RELEASE = "bookworm"
"""Debian's, whose Python is the oldest that README names."""
README = (ROOT / "README.md").read_text("utf-8")
KITS = [name for name, sample in LANGUAGES.items() if sample is None]
CONFIGURED = ("/etc/apt", "/etc/hosts", "/etc/pip.conf", "/etc/resolv.conf", "/etc/ssl", "/usr/share/keyrings")
"""Settings of apt and pip, and what they need to reach their sources."""
PASSED_ON = re.compile(r"PIP_\w+|(https?|no|all)_proxy|SSL_CERT_\w+", re.IGNORECASE)
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "node_modules", "*.so")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ENTER = """
set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
mount -t tmpfs tmpfs "$ROOT/run"
for path in $PLACES; do
    if [ -d "$path" ]; then mkdir -p "$ROOT$path"; else mkdir -p "$ROOT${path%/*}"; touch "$ROOT$path"; fi
    mount --rbind "$path" "$ROOT$path"
done
exec chroot "$ROOT" sh -c "$SCRIPT"
"""


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
            "PLACES": shlex.join(self.places), "SCRIPT": f"set -eu; cd {shlex.quote(folder)}\n{script}",
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


@pytest.mark.parametrize("language", KITS)
def test_a_kit_builds_after_its_own_commands(machine: BareMachine, installed: str, language: str) -> None:
    machine.type(f"pigpen/.venv/bin/pigpen new {language} --lang {language}")
    readme = (machine.root / "root" / language / "README.md").read_text("utf-8")
    (packages,) = [block for block in re.findall(r"```sh\n(.*?)```", readme, flags=re.DOTALL) if "apt-get" in block]
    machine.type(f"{packages}make", f"/root/{language}")
    assert os.access(machine.root / "root" / language / "build" / "bot", os.X_OK)


def test_the_toolchains_are_complete_after_both_lists(machine: BareMachine, installed: str) -> None:
    assert (
        machine.type("scripts/toolchains; PIGPEN_NO_INSTALL=1 scripts/toolchains", "/root/pigpen").count("ready") <= 1
    )

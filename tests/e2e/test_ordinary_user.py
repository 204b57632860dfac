"""
The core of the tests in containers once more, as an ordinary user of Docker with a strict umask.

That user is not root, is in the group of the engine's socket, and makes files that nobody else may read: what
containers reach must have its modes all the same. Where the suite runs as such a user already, only the umask changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import PLAIN, ROOT

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]

NUMBER = 12345
"""Number of the user and of its group; no account of the machine has it."""
UMASK = 0o077
SOCKET = Path("/var/run/docker.sock")
SANDBOX = "tests/ladder/sandbox/docker"
CORE = (
    f"{SANDBOX}/test_docker_sandbox.py",
    f"{SANDBOX}/test_reach.py",
    f"{SANDBOX}/test_warm_containers.py",
    "tests/machine/test_cpu_accounting.py",
    f"{SANDBOX}/test_bot_images.py::test_a_folder_becomes_a_container_that_can_read_it",
    "tests/ladder/sandbox/wheels/test_packages_in_containers.py::test_a_bot_finds_its_packages_compiled_and_not_its_own",
    "tests/e2e/test_ladder_engine.py::test_it_waits_for_its_engine_and_removes_what_was_left",
)
"""Tests of an instance, fresh and warm; builds; packages; and a ladder whose runner plays some matches."""
PROGRAMS = Path(os.path.relpath(Path(sys.executable).parent, ROOT))
"""Of the environment that the suite runs in, from the checkout on."""
QUICK = ("--boards", "1", "--rules", "hearts", "--seed", "7")


@dataclass(frozen=True)
class OrdinaryUser:
    """Runs commands of this checkout as that user, in a folder of the user's."""

    home: Path
    checkout: Path
    """The checkout, as the user finds it."""
    before: tuple[str, ...] = ()
    """Words before each command, with which it is found there."""

    def run(self, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the checkout's environment."""
        kept = {name: os.environ[name] for name in ("PATH", "DOCKER_HOST", "LANG") if name in os.environ}
        paths = {"PYTHONPATH": f"{self.checkout}:{self.checkout / 'sdk'}", "HOME": str(self.home)}
        command = [*self.before, str(self.checkout / PROGRAMS / words[0]), *words[1:]]
        return subprocess.run(
            command, cwd=self.home, env=kept | PLAIN | paths | {"PYTHONDONTWRITEBYTECODE": "1"} | extra, umask=UMASK,
            capture_output=True, text=True, timeout=1700, check=False, **({} if self.before else _other_user()),
        )  # fmt: skip


def _other_user() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    return {"user": NUMBER, "group": NUMBER, "extra_groups": [SOCKET.stat().st_gid]}


def _seen_at(folder: Path) -> tuple[str, ...]:
    """Before a command of the other user: show it the checkout at *folder*, as the way to it may be closed."""
    groups = SOCKET.stat().st_gid
    show = f'mount --bind "{ROOT}" "{folder}" && exec setpriv --reuid={NUMBER} --regid={NUMBER} --groups={groups} "$@"'
    return ("unshare", "--mount", "sh", "-c", show, "sh")


@pytest.fixture(scope="module")
def user() -> Iterator[OrdinaryUser]:
    """The user; left out where no other user can be given this checkout."""
    folder = Path(tempfile.mkdtemp(prefix="pu-", dir="/tmp"))
    try:
        folder.chmod(0o755)
        for name in ("home", "checkout"):
            (folder / name).mkdir()
        if os.geteuid() == 0:
            os.chown(folder / "home", NUMBER, NUMBER)
        home, works = folder / "home", ("python", "-c", "import tests.conftest, ladder.cli.entry")
        for found in (OrdinaryUser(home, ROOT), OrdinaryUser(home, folder / "checkout", _seen_at(folder / "checkout"))):
            if found.run(*works).returncode == 0:
                yield found
                return
        pytest.skip("No other user can be given this checkout: its files, or its Python, are closed to others.")
    finally:
        shutil.rmtree(folder)


def test_an_ordinary_user_plays_checks_and_examines_the_machine(user: OrdinaryUser) -> None:
    for kind in ("", "--fresh"):
        played = user.run("pigpen", "play", *["random"] * 4, *QUICK, *filter(None, [kind]))
        assert (played.returncode, "Traceback" in played.stderr) == (0, False), played.stdout + played.stderr
    checked = user.run("pigpen", "check", "random", "--rules", "hearts", "--limit", "60")
    assert "All 22 cases passed." in checked.stdout, checked.stdout + checked.stderr
    examined = user.run("pigpen", "doctor")
    assert "could not be started" not in examined.stdout
    assert "✗ User" in examined.stdout


def test_the_core_of_the_suite_passes_as_an_ordinary_user(user: OrdinaryUser) -> None:
    """Tests that need root are left out of it, and listed by the suite."""
    if os.geteuid() != 0 and os.umask(os.umask(UMASK)) == UMASK:
        return  # it is this very run
    tests = [str(user.checkout / each) for each in CORE]
    options = ("-q", "-p", "no:cacheprovider", "--rootdir", str(user.checkout), "-c")
    done = user.run("pytest", *options, str(user.checkout / "pyproject.toml"), "-n", "2", *tests)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2000:]

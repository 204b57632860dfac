"""Wheels made from a copy of the sources, and an environment in which they are installed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from hatch_build import ProgramsHook
from hatch_engine import ENGINE
from native_build import MACHINES
from tests.e2e.command import ROOT, environment
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = (
    "pyproject.toml",
    "hatch_build.py",
    "README.md",
    "LICENSE",
    ".gitignore",
    "ladder",
    "pigpen_arena",
    "protos",
    "referee",
    "sample_bots",
    "sdk",
    "starter_kits",
)
COMPILED = [native.compiled(machine) for native in (ENGINE, *ProgramsHook.natives) for machine in MACHINES]
LEAVE_OUT = shutil.ignore_patterns("__pycache__", "node_modules", *(file.name for file in COMPILED))
WITH_BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
"""Environment in which installed modules are compiled once, by the first program that imports them."""


@dataclass(frozen=True)
class Installation:
    """An environment that holds the wheels and what they need, and nothing of this checkout."""

    folder: Path
    seconds: float
    """Seconds that the installation took."""

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment in an empty folder."""
        command, folder = [str(self.folder / "bin" / words[0]), *words[1:]], self.folder / "empty"
        folder.mkdir(exist_ok=True)
        return subprocess.run(
            command, cwd=folder, env=environment(**WITH_BYTECODE | variables), capture_output=True, text=True,
            timeout=250, check=False,
        )  # fmt: skip

    @contextmanager
    def lent(self, *names: str) -> Iterator[None]:
        """Meanwhile it has packages of this environment, too."""
        (there,) = self.folder.glob("lib/python*/site-packages")
        places = [place for name in names for place in Path(sysconfig.get_path("purelib")).glob(f"{name}*")]
        for place in places:
            (there / place.name).symlink_to(place)
        try:
            yield
        finally:
            for place in places:
                (there / place.name).unlink()

    def python(self, code: str) -> str:
        """Run a line of Python there, and give its output."""
        done = self.run("python", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def copy_sources(to: Path) -> Path:
    """The sources without anything compiled."""
    to.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=LEAVE_OUT)
        else:
            shutil.copy(ROOT / name, to / name)
    return to


def make_wheels(sources: Path, **extra: str) -> dict[str, Path]:
    """Make both wheels with the compiler that is here, quicker than pip does; by their distributions' names."""
    folder, command = sources / "made", [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    for project in (sources / "sdk", sources):
        subprocess.run([*command, folder], cwd=project, env=os.environ | extra, capture_output=True, check=True)
    return by_distribution(folder)


def install(folder: Path, address: str) -> Installation:
    """Make an environment there, and install Pigpen in it as the page of a site says, with the pip of this one."""
    begun = time.monotonic()
    venv.create(folder, symlinks=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder / "bin" / "python"),
        "install",
        "--quiet",
        "--no-compile",
    ]
    with httpx.Client(trust_env=False, timeout=PATIENCE) as client:
        home = client.get(address).raise_for_status().text
    _, _, line = home.partition('<pre tabindex="0">pip install ')
    subprocess.run([*command, *shlex.split(line.partition("\n")[0])], check=True)
    return Installation(folder, time.monotonic() - begun)


def by_distribution(folder: Path) -> dict[str, Path]:
    """The wheels of a folder by their distributions' names."""
    return {wheel.name.partition("-")[0]: wheel for wheel in folder.iterdir()}

"""
The small programs of ours that run inside containers, compiled for both machines that Pigpen knows.

They are compiled when Pigpen is installed or packed (docs/adr/0015-compiled-when-installed.md).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ladder.errors import SandboxError, UnfitFolder
from ladder.sandbox.host.scratch import disk_errors

__all__ = [
    "CONFINE",
    "FOLDER",
    "FORK_SERVER",
    "LAUNCHER",
    "LOCK_FILES",
    "MACHINES",
    "program_for",
    "put_program",
    "put_script",
]

FOLDER = Path(__file__).parent
LAUNCHER = "launcher"
"""The first process of every container (docs/adr/0004)."""
MACHINES = ("x86_64", "aarch64")
LOCK_FILES = "lock_files"
"""Keeps the files of an image in memory (docs/adr/0014)."""
CONFINE = "confine"
"""A library for the fork server: what the launcher does to confine a bot."""
FORK_SERVER = FOLDER.parents[1] / "fork_server.py"
"""The first process of every warm container (docs/adr/0017)."""


def program_for(name: str, machine: str, folder: Path = FOLDER) -> Path:
    """
    Find a program in *folder*, for an engine on *machine*, as `uname -m` calls it.

    Raises:
        SandboxError: If there is none for such a machine, or none has been compiled.
    """
    program = folder / f"{name}-{machine}"
    if machine not in MACHINES:
        raise SandboxError(f"The docker sandbox knows {' and '.join(MACHINES)}, and this engine runs on {machine}.")
    if not program.is_file():
        raise SandboxError(
            "This Pigpen was installed without the programs that containers need, as there was no compiler. Install "
            "ziglang with pip and then Pigpen again (in a checkout: scripts/venv), or use the process sandbox."
        )
    return program


def put_program(name: str, machine: str, folder: Path) -> None:
    """
    Put a copy of a program into *folder*: containers that mount one and the same file could lock parts of it.

    Raises:
        SandboxError: If there is no room, no such program, or programs may not run there.
    """
    _put(program_for(name, machine), folder / name)
    if os.statvfs(folder).f_flag & os.ST_NOEXEC:
        raise UnfitFolder(
            f"{folder} is on a file system on which no program may run (noexec), and containers start with one of "
            "ours. Set TMPDIR to a folder on another disk."
        )


def put_script(script: Path, folder: Path) -> None:
    """
    Put a copy of a program in Python into *folder*.

    Raises:
        SandboxError: If there is no room.
    """
    _put(script, folder / script.name)


def _put(program: Path, copy: Path) -> None:
    with disk_errors(copy):
        copy.unlink(missing_ok=True)  # one that runs cannot be written to
        shutil.copyfile(program, copy)
        copy.chmod(0o755)

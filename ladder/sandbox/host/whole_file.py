"""
Files of this user that are there as a whole, or not at all.

The user's cache folder is for files that can be made again. A pipe or connected socket is checked for data to read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError, UnfitFolder

if TYPE_CHECKING:
    import socket

_NOTHING = bytes(4)


def has_data(file: int | socket.socket) -> bool:
    """Tell whether bytes wait in a pipe or a connected socket; half the cost of trying to read where none do."""
    import fcntl  # not everywhere, and only containers and processes need them
    import termios

    return fcntl.ioctl(file, termios.FIONREAD, _NOTHING) != _NOTHING


def cache_folder() -> Path:
    """
    Give Pigpen's folder for what can be made or fetched again, as the XDG base directory specification has it.

    Raises:
        SandboxError: If this user has no home.
    """
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError as error:
        raise SandboxError(f"{error} Name a folder for it: XDG_CACHE_HOME in the environment.") from None
    return Path(home) / "pigpen"


def usable_cache_folder() -> Path:
    """
    Give that folder, in which this user can read and write; it is made.

    Raises:
        UnfitFolder: If the user cannot.
        SandboxError: If this user has no home.
    """
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        may = os.access(folder, os.R_OK | os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)
        obstacle = "" if may else os.strerror(errno.EACCES)
    except OSError as error:
        obstacle = str(error.strerror)
    if obstacle:
        raise UnfitFolder(
            f"The folder {folder}, which keeps what was fetched, cannot be used: {obstacle}. Let this user write "
            "there, or name another folder: XDG_CACHE_HOME in the environment."
        )
    return folder


def write_whole(path: Path, content: bytes) -> None:
    """
    Write a file in the place of another one, for this user alone; others may read and write the same one meanwhile.

    Args:
        path: The file; its folder is made.
        content: What it holds from now on.

    Raises:
        OSError: If it cannot be written; then the other one is still there, and nothing else.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    number, new = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with open(number, "wb") as file:
            file.write(content)
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise

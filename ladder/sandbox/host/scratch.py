"""Temporary folders that do not outlive us for long: the next start removes those of a process that was killed."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError, UnfitFolder
from ladder.sandbox.host import owners
from ladder.sandbox.host.guarded import is_own_folder, read_own

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "pigpen-match-"
MARK_SECONDS = 60.0
"""Seconds without a whole mark after which a folder counts as one that will get none."""
MARK_BYTES = 1024
"""Bytes at most of a mark of ours."""
MAX_FOLDER_BYTES = 107 - 45
"""Bytes in the path of the folder for temporary files: a Unix socket's has 107, and what follows has at most 45."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of the system that mean that there is no room."""
OWNER = "owner"
"""File in the folder that names the process whose folder it is (owners.py)."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """
    Make a folder that is removed afterwards, and remove what killed processes left.

    Raises:
        UnfitFolder: If it would be where no sockets can be.
        SandboxError: If there is no room for it.
    """
    with disk_errors("A temporary folder"):
        check_socket_paths(tempfile.gettempdir())
        _sweep()
        holder = tempfile.TemporaryDirectory(prefix=PREFIX)
    with holder as name:
        folder = Path(name)
        with disk_errors(folder / OWNER):
            (folder / OWNER).write_text(owners.this_process())
        yield folder


def check_socket_paths(folder: str) -> None:
    """
    Make sure that bots can be reached by Unix sockets below *folder*, the one for temporary files.

    Raises:
        UnfitFolder: If its path is too long for that.
    """
    if len(os.fsencode(folder)) > MAX_FOLDER_BYTES:
        raise UnfitFolder(
            f"Bots are reached by Unix sockets in the folder for temporary files. Its path may have {MAX_FOLDER_BYTES} "
            f"bytes and has {len(os.fsencode(folder))}: {folder}. Set TMPDIR to a folder with a shorter path."
        )


@contextmanager
def disk_errors(what: Path | str) -> Iterator[None]:
    """
    Turn what a full disk or a missing folder raises into a `SandboxError` that says *what* cannot be made.

    A text names something in the temporary folder; TMPDIR moves that, and what is in a `scratch_folder`, and no more.
    """
    try:
        yield
    except OSError as error:
        way_out = "Make room, or set TMPDIR to a folder on another disk"
        if isinstance(what, Path) and not any(part.startswith(PREFIX) for part in what.parts):
            way_out = "Make room on that disk" if error.errno in NO_ROOM else "Let this user write there"
        raise SandboxError(f"{what} cannot be made: {error.strerror or error}. {way_out}.") from error


def _sweep() -> None:
    """Remove what killed processes of this user left: in a shared folder, any user can make one of that name."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if is_own_folder(folder):
            _sweep_one(folder)


def _sweep_one(folder: Path) -> None:
    try:
        owner = read_own(folder / OWNER, MARK_BYTES)
        is_left = owners.is_dead(owner)
    except (FileNotFoundError, ValueError):  # its maker was killed before its mark was whole
        _remove_unmarked(folder)
    except OSError:
        return
    else:
        if is_left:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_unmarked(folder: Path) -> None:
    """Remove a folder whose maker was killed before its mark was written: there is nothing else in it."""
    with suppress(OSError):
        is_old = time.time() - folder.stat().st_mtime > MARK_SECONDS
        if is_old and {path.name for path in folder.iterdir()} <= {OWNER}:
            shutil.rmtree(folder)

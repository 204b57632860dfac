"""Reads files in folders that several users share, where others may have put anything under the same name."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class NotOurs(OSError):
    """Error of a file that was not made by this user, or is not what it should be."""


def read_own(path: Path, max_bytes: int) -> str:
    """
    Read a small file that this user wrote, and nothing else: no link, pipe, device, or file of another user.

    Args:
        path: The file; its folder must be ours (`is_own_folder`).
        max_bytes: A larger one is not read.

    Raises:
        FileNotFoundError: If there is none.
        NotOurs: If something else stands there.
        OSError: If it cannot be read.
        UnicodeDecodeError: If it is no text.
    """
    # Without O_NONBLOCK, opening a named pipe waits for a writer.
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_size > max_bytes:
            raise NotOurs(f"{path} is not one of Pigpen's own files")
        return os.read(file, max_bytes).decode()
    finally:
        os.close(file)


def is_own_folder(path: Path) -> bool:
    """Tell whether *path* is a folder of this user, and no link to one."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()

"""A finished draft that takes its name, and never that of another file."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)
"""Errors of `os.link` on a file system without hard links, such as FAT, exFAT or a share of SMB."""


def give_new_name(draft: Path, target: Path) -> None:
    """
    Give a file in the same folder its name; the draft may remain as another name of the same file.

    Raises:
        FileExistsError: If that name has been taken meanwhile, which a rename alone would not refuse.
        OSError: If it cannot be done.
    """
    try:
        os.link(draft, target)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        os.close(os.open(target, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            os.replace(draft, target)
        except BaseException:
            os.unlink(target)
            raise

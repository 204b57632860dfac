"""The user's folder for files that can be made again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from ladder.errors import SandboxError, UnfitFolder


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

"""Where this user keeps what can be made again."""

from __future__ import annotations

import os
from pathlib import Path

from ladder.errors import SandboxError


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

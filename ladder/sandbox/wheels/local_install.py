"""Packages for bots that are no containers: unpacked and compiled once, for the Python that runs here."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import Content
from ladder.sandbox.wheels.packages import Asked, Packages
from ladder.sandbox.wheels.target import this_interpreter

if TYPE_CHECKING:
    from pathlib import Path

COMPILE_SECONDS = 300.0
COMPILE = ("-I", "-m", "compileall", "-qq", "-x", "/tests/", "--invalidation-mode=unchecked-hash")
"""Without .pyc files each start of a bot compiles its packages: 0.2 s for numpy. Compiling runs nothing of them."""


def installed_for(folder: Path, packages: Packages | None = None) -> Path | None:
    """
    Install the packages that a bot's folder asks for, as `install_locally`; None if it asks for none.

    Args:
        folder: The bot's.
        packages: Where packages come from; what pip is set to if None.
    """
    asked = Asked.by(Content.read(folder))
    return install_locally(packages or Packages(), asked)[1] if asked.anything else None


def install_locally(packages: Packages, asked: Asked) -> tuple[str, Path]:
    """
    Find or make the folder of modules that the running interpreter needs for a bot.

    Returns:
        The lock, and the folder to be put on the bot's path.

    Raises:
        BotRejected: If what is asked for is not available.
        SandboxError: If the index does not answer, or there is no room.
    """
    return packages.folder(asked, this_interpreter(), _compile)


def _compile(folder: Path) -> None:
    command = [sys.executable, *COMPILE, str(folder)]
    try:  # what cannot be compiled is compiled again, and fails, when it is imported
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=COMPILE_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise SandboxError(f"Compiling the bot's packages took longer than {COMPILE_SECONDS:g} seconds.") from error

"""Packages for bots that are no containers: unpacked once, for the Python that runs here."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.wheels.lock import lock_text
from ladder.sandbox.wheels.target import this_interpreter

if TYPE_CHECKING:
    from ladder.sandbox.wheels.packages import Asked, Packages

UNUSED_SECONDS = 30 * 24 * 3600.0
"""A folder that nobody has asked for during so long is removed."""
COMPILE_SECONDS = 300.0
COMPILE = ("-I", "-m", "compileall", "-qq", "-x", "/tests/", "--invalidation-mode=unchecked-hash")
"""Without .pyc files each start of a bot compiles its packages: 0.2 s for numpy. Compiling runs nothing of them."""


def install_locally(packages: Packages, asked: Asked) -> tuple[str, Path]:
    """
    Find or make the folder of modules that the running interpreter needs for a bot.

    Returns:
        The lock, and the folder to be put on the bot's path.

    Raises:
        BotRejected: If what is asked for cannot be had.
        SandboxError: If the index does not answer, or there is no room.
    """
    target = this_interpreter()
    pins = packages.pins(asked, target)
    lock = lock_text(pins)
    root = packages.store.root / "unpacked"
    folder = root / hashlib.sha256(f"{lock}{target.key}".encode()).hexdigest()
    with disk_errors(folder):
        root.mkdir(parents=True, exist_ok=True)
        _remove_unused(root)
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(prefix=".new-", dir=root) as name:
                new = Path(name) / "new"
                packages.unpack(asked, pins, target, new)
                _compile(new)
                _put(new, folder)
        os.utime(folder)
    return lock, folder


def _compile(folder: Path) -> None:
    command = [sys.executable, *COMPILE, str(folder)]
    try:  # what cannot be compiled is compiled again, and fails, when it is imported
        subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=COMPILE_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise SandboxError(f"Compiling the bot's packages took longer than {COMPILE_SECONDS:g} seconds.") from error


def _put(new: Path, folder: Path) -> None:
    try:
        new.rename(folder)
    except OSError:
        if not folder.is_dir():  # or else another process was first
            raise


def _remove_unused(root: Path) -> None:
    oldest = time.time() - UNUSED_SECONDS
    for folder in root.iterdir():
        if folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)

"""Run a program that a stranger's input could make run for ever, or fill the disk or the memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.host.memory import MIB
from ladder.sandbox.wheels.sizes import MAX_BYTES, MAX_FILES, check_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

POLL_SECONDS = 0.1
OUTPUT_BYTES = 64 * 1024
"""The end of the output, which is kept."""
MEMORY_BYTES = 4096 * MIB
OWN_BYTES, OWN_FILES = 64 * MIB, 5000
"""Space and files that the program may use on the disk besides packages: pages of the index, metadata."""


@dataclass(frozen=True)
class RunLimits:
    """Of one run."""

    seconds: float = 180.0
    max_bytes: int = MAX_BYTES + OWN_BYTES
    """On the disk at once."""
    max_files: int = MAX_FILES + OWN_FILES
    """On the disk at once."""


def run(command: Sequence[str], environment: Mapping[str, str], folder: Path, limits: RunLimits) -> tuple[int, str]:
    """
    Run the program in *folder*, the one place where it writes; memory is limited on Linux only.

    Returns:
        Its exit code and the end of its output.

    Raises:
        BotRejected: If it wrote too much.
        SandboxError: If it took too long, or could not be started.
    """
    with (folder / "output.txt").open("w+b") as output:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"{command[0]} could not be started: {error.strerror}.") from error
        try:
            if sys.platform == "linux":
                _limit(process.pid, limits)
            code = _watch(process, folder, limits)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(max(0, output.seek(0, os.SEEK_END) - OUTPUT_BYTES))
        return code, output.read().decode(errors="replace")


def _limit(pid: int, limits: RunLimits) -> None:
    import resource  # not on every platform

    with suppress(ProcessLookupError):  # it has ended
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (limits.max_bytes, limits.max_bytes))
        resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def _watch(process: subprocess.Popen[bytes], folder: Path, limits: RunLimits) -> int:
    deadline = time.monotonic() + limits.seconds
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL_SECONDS)
        sizes = _sizes(folder)
        if process.returncode == -signal.SIGXFSZ:
            sizes[0] = limits.max_bytes + 1
        check_sizes({"": sum(sizes.values())}, len(sizes), limits.max_bytes, limits.max_files)
        if process.returncode is not None:
            return process.returncode
        if time.monotonic() > deadline:
            raise SandboxError(
                f"Fetching the bot's packages took longer than {limits.seconds:g} seconds. Try again when the "
                "package index answers more quickly."
            )


def _sizes(folder: Path) -> dict[int, int]:
    """Give the sizes of all files by inode: one with several names counts once."""
    sizes: dict[int, int] = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # moved or removed meanwhile
                found = (Path(parent) / name).lstat()
                sizes[found.st_ino] = found.st_size
    return sizes

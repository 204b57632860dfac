"""
Fetch wheels with pip, which resolves nothing, builds nothing, and runs nothing of them.

The index is the one that pip is set to on this machine. pip alone knows proxies, certificates and passwords for it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ladder.errors import BotRejected, SandboxError
from ladder.sandbox.wheels.sizes import too_large

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.sandbox.wheels.target import Target

PACKED_BYTES = 128 * 1024 * 1024
"""All wheels of one bot together."""
SECONDS = 180.0
"""How long pip may take at one go."""
POLL_SECONDS = 0.1
OUTPUT_BYTES = 64 * 1024
PIP = (sys.executable, "-I", "-m", "pip")
OPTIONS = (
    "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--no-color", "--quiet",
    "--progress-bar=off", "--disable-pip-version-check",
)  # fmt: skip
_MISSING = re.compile(r"No matching distribution found for ([^\n]{1,200})")
_UNREADABLE = re.compile(r"InvalidRequirement|invalid metadata|InvalidVersion")
_UNREACHED = re.compile(r"Retrying \(|Could not fetch URL")


class Unavailable(Exception):
    """The index has no wheel that fits; the message is the requirement."""


class Fetch(Protocol):
    """How wheels come here: the seam at which tests hand in a folder of their own."""

    def __call__(self, lines: Sequence[str], target: Target, folder: Path) -> None:
        """
        Put a wheel for each of the *lines*, requirements by name, into the new *folder*.

        Raises:
            Unavailable: If there is no wheel of one that fits the *target*.
            BotRejected: If they are too large, or not those that hashes name.
            SandboxError: If the index does not answer.
        """


class PipFetch:
    """Fetches with pip, in a process of its own."""

    def __init__(
        self,
        *arguments: str,
        command: Sequence[str] = PIP,
        seconds: float = SECONDS,
        most_bytes: int = PACKED_BYTES,
    ) -> None:
        """
        Choose the index.

        Args:
            arguments: More arguments for pip, such as another index.
            command: What runs pip.
            seconds: How long it may take.
            most_bytes: What may lie on the disk at once while it works.
        """
        self._command = (*command, *OPTIONS, *arguments)
        self._seconds = seconds
        self._most_bytes = most_bytes

    def __call__(self, lines: Sequence[str], target: Target, folder: Path) -> None:
        """Fetch, as `Fetch` says."""
        folder.mkdir()
        (folder / "tmp").mkdir()
        asked = folder / "asked.txt"
        asked.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        command = [*self._command, *target.arguments, f"--dest={folder}", f"--requirement={asked}"]
        code, output = self._run(command, folder)
        if code:
            raise _explain(output)

    def _run(self, command: Sequence[str], folder: Path) -> tuple[int, str]:
        said = folder / "said.txt"
        with said.open("wb") as output:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    cwd=folder,
                    env={**os.environ, "TMPDIR": str(folder / "tmp")},
                )
            except OSError as error:
                raise SandboxError(f"pip could not be started: {error.strerror}.") from error
            try:
                code = self._watch(process, folder)
            finally:
                _end(process)
        with said.open("rb") as file:
            file.seek(max(0, said.stat().st_size - OUTPUT_BYTES))
            return code, file.read().decode(errors="replace")

    def _watch(self, process: subprocess.Popen[bytes], folder: Path) -> int:
        deadline = time.monotonic() + self._seconds
        while True:
            ended = _ended(process)
            if _bytes_below(folder) > self._most_bytes:
                raise too_large(_sizes(folder), self._most_bytes, "packed")
            if ended is not None:
                return ended
            if time.monotonic() > deadline:
                raise SandboxError(
                    f"Fetching the bot's packages took longer than {self._seconds:g} seconds. Try again when the "
                    "package index answers more quickly."
                )


def _sizes(folder: Path) -> dict[str, int]:
    """Bytes of each package that has come as a whole, by its name and version."""
    return {" ".join(wheel.name.split("-")[:2]): wheel.lstat().st_size for wheel in folder.glob("*.whl")}


def _ended(process: subprocess.Popen[bytes]) -> int | None:
    try:
        return process.wait(POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is None:
        process.kill()  # it has no children: nothing is built
        process.wait()


def _bytes_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).lstat().st_size
            except FileNotFoundError:  # pip has moved it meanwhile
                continue
    return total


def _explain(output: str) -> Exception:
    missing = _MISSING.search(output)
    if missing and not ("(from versions: none)" in output and _UNREACHED.search(output)):
        return Unavailable(missing[1].strip())
    if "DO NOT MATCH THE HASHES" in output:
        return BotRejected(
            "A hash is not that of the wheel in the package index, which may be one for another Python or machine. "
            "Make the lock anew: pigpen lock FOLDER; or take the hashes out."
        )
    if _UNREADABLE.search(output):
        return BotRejected(
            "A package that the bot asks for has metadata that pip cannot read. Ask for another version of it."
        )
    last = output.strip().rpartition("\n")[2][:300].rstrip(".")
    said = "".join(letter if letter.isprintable() else " " for letter in last) or "it said nothing"
    return SandboxError(
        f"pip could not fetch the bot's packages: {said}. Try again when the package index answers, or look at the "
        "settings of pip on this machine: pip config list"
    )

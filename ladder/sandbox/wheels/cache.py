"""
What was fetched once, in the user's cache folder: wheels by their hash, and answers by what was asked.

All of it can be fetched again: removing the folder costs time only. The oldest wheels go when it grows too large.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.host.whole_file import write_whole

if TYPE_CHECKING:
    from ladder.sandbox.wheels.lock import Pin

STORE_BYTES = 1024 * 1024 * 1024
"""Of wheels that are kept."""
MOST_ANSWERS = 1000
"""Of them, some kilobytes each, so many are kept; the newest."""
CHUNK = 1024 * 1024


class Store:
    """The folder."""

    def __init__(self, root: Path, most_bytes: int = STORE_BYTES, most_answers: int = MOST_ANSWERS) -> None:
        self.root = root
        self._most_bytes = most_bytes
        self._most_answers = most_answers
        self._wheels, self._answers = root / "wheels", root / "answers"

    def find(self, pin: Pin) -> Path | None:
        """Find a wheel that is what its name says."""
        for digest in sorted(pin.hashes):
            path = self._wheels / f"{digest}.whl"
            if path.is_file() and sha256_of(path) == digest:
                os.utime(path)
                return path
        return None

    def keep(self, wheel: Path, digest: str) -> Path:
        """
        Take a wheel in, and let the oldest ones go.

        Raises:
            SandboxError: If there is no room.
        """
        kept = self._wheels / f"{digest}.whl"
        _put(kept, wheel.read_bytes())
        self._prune(kept)
        return kept

    def answer(self, key: str) -> bytes | None:
        """Give the answer to *key* that is remembered."""
        path = self._answers / key
        return path.read_bytes() if path.is_file() else None

    def keep_answer(self, key: str, text: str) -> None:
        """
        Remember an answer.

        Raises:
            SandboxError: If there is no room.
        """
        _put(self._answers / key, text.encode())
        oldest_first = sorted(self._answers.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in oldest_first[: -self._most_answers]:
            path.unlink(missing_ok=True)

    def _prune(self, spared: Path) -> None:
        found = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in self._wheels.glob("*.whl"))
        total = sum(size for _, size, _ in found)
        for _, size, path in found:
            if total > self._most_bytes and path != spared:
                path.unlink(missing_ok=True)
                total -= size


def sha256_of(path: Path) -> str:
    """Hash a file; hex."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _put(path: Path, content: bytes) -> None:
    with disk_errors(path):
        write_whole(path, content)

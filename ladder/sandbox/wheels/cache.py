"""
What was fetched once, in the user's cache folder: folders of unpacked packages, and answers by what was asked.

All of it can be fetched again: removing the folder costs time only. What was not used for longest goes first.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.host.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 2 * 1024 * 1024 * 1024
"""Of unpacked packages that are kept."""
MAX_ANSWERS = 1000
"""Of some kilobytes each; the newest are kept."""
UNUSED_SECONDS = 30 * 24 * 3600.0
"""A folder that was not used for this long is removed."""
IN_USE_SECONDS = 60.0
"""A folder that was used within this time stays in any case: someone may be reading it."""
NEW = ".new-"


class Store:
    """The folder."""

    def __init__(self, root: Path, max_bytes: int = MAX_BYTES, max_answers: int = MAX_ANSWERS) -> None:
        self._max_bytes = max_bytes
        self._max_answers = max_answers
        self._folders, self._answers = root / "unpacked", root / "answers"

    def find(self, key: str) -> Path | None:
        """Find the folder that was kept under *key*."""
        path = self._folders / key
        if not path.is_dir():
            return None
        os.utime(path)
        return path

    @contextmanager
    def new_folder(self) -> Iterator[Path]:
        """
        Make a folder to work in, from which one can be kept; it is removed afterwards.

        Raises:
            SandboxError: If there is no room.
        """
        with disk_errors(self._folders):
            self._folders.mkdir(parents=True, exist_ok=True)
            self._prune()
            holder = tempfile.TemporaryDirectory(prefix=NEW, dir=self._folders)
        with holder as name:
            yield Path(name)

    def keep(self, new: Path, key: str) -> Path:
        """
        Take a folder in, and let the oldest ones go; if another process was first, its folder stays.

        Raises:
            SandboxError: If it cannot be kept.
        """
        kept = self._folders / key
        with disk_errors(kept):
            try:
                new.rename(kept)
            except OSError:
                if not kept.is_dir():
                    raise
            os.utime(kept)
            self._prune()
        return kept

    def remove(self, key: str) -> None:
        """Remove the folder that was kept under *key*."""
        shutil.rmtree(self._folders / key, ignore_errors=True)

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
        path = self._answers / key
        with disk_errors(path):
            write_whole(path, text.encode())
        oldest_first = sorted(self._answers.iterdir(), key=lambda path: path.stat().st_mtime)
        for path in oldest_first[: -self._max_answers]:
            path.unlink(missing_ok=True)

    def _prune(self) -> None:
        now, left = time.time(), self._max_bytes
        for path in sorted(self._folders.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            age = now - path.stat().st_mtime
            if not path.name.startswith(NEW):
                left -= sum(each.lstat().st_size for each in path.rglob("*"))
            if age > UNUSED_SECONDS or (left < 0 and age > IN_USE_SECONDS):
                shutil.rmtree(path, ignore_errors=True)

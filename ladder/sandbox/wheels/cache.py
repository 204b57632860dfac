"""
Cache of fetched things, in the user's cache folder: folders of unpacked packages, and answers by what was asked.

All of it can be fetched again: removing the folder costs time only. What was not used for longest goes first.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import uuid
from contextlib import contextmanager, suppress
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
"""Names that begin like this are of what a process is making or removing now."""
LEFT_SECONDS = 24 * 3600.0
"""Such a folder was left by a process that was killed if nothing came into it for this long."""


def use(folder: Path) -> bool:
    """Tell whether a kept folder is still there; it then counts as used now."""
    try:
        os.utime(folder)
    except FileNotFoundError:
        return False
    return True


class Store:
    """The folder."""

    def __init__(self, root: Path, max_bytes: int = MAX_BYTES, max_answers: int = MAX_ANSWERS) -> None:
        self._max_bytes = max_bytes
        self._max_answers = max_answers
        self._folders, self._answers = root / "unpacked", root / "answers"

    def find(self, key: str) -> Path | None:
        """Find the folder that was kept under *key*."""
        path = self._folders / key
        return path if use(path) else None

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
        _remove(self._folders / key)

    def answer(self, key: str) -> bytes | None:
        """Give the answer to *key* that is remembered."""
        try:
            return (self._answers / key).read_bytes()
        except FileNotFoundError:
            return None

    def keep_answer(self, key: str, text: str) -> None:
        """
        Remember an answer.

        Raises:
            SandboxError: If there is no room.
        """
        path = self._answers / key
        with disk_errors(path):
            write_whole(path, text.encode())
            for _, old in _newest_first(self._answers)[self._max_answers :]:
                old.unlink(missing_ok=True)

    def _prune(self) -> None:
        now, left = time.time(), self._max_bytes
        for used, path in _newest_first(self._folders):
            age = now - used
            if path.name.startswith(NEW):
                is_old = age > LEFT_SECONDS
            else:
                left -= _size(path)
                is_old = age > (UNUSED_SECONDS if left >= 0 else IN_USE_SECONDS)
            with suppress(FileNotFoundError):
                if is_old and path.stat().st_mtime == used:  # or another process has begun to use it
                    _remove(path)


def _newest_first(folder: Path) -> list[tuple[float, Path]]:
    """Give what is in a folder, with the time of its last use; without what another process removes meanwhile."""
    found = []
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime, path))
    return sorted(found, reverse=True)


def _size(folder: Path) -> int:
    """Sum the bytes of the files in a folder, as far as another process has not removed it."""
    size = 0
    with suppress(FileNotFoundError):
        for path in folder.rglob("*"):
            size += path.lstat().st_size
    return size


def _remove(folder: Path) -> None:
    """Remove a folder; a process that looks for it meanwhile finds all of it or nothing."""
    with suppress(OSError):  # another process was first
        going = folder.rename(folder.with_name(f"{NEW}{uuid.uuid4().hex}"))
        shutil.rmtree(going, ignore_errors=True)

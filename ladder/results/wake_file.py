"""A file by which one process of a ladder wakes another one, and by which that one shows that it lives."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.results.folder_watch import watching

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

WAKE, ALIVE = "wake", "alive"
SILENT_SECONDS = 60.0
"""Seconds without a sign of life after which a process counts as not running: six signs, which may be late."""


class WakeFile:
    """Two files in a folder; only their times matter."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def wake(self) -> None:
        """Let the process look at once; it looks every few seconds in any case."""
        self._touch(WAKE)

    def woken(self) -> int:
        """Give a number that changes with `wake`; it costs nothing to read."""
        return self._changed(WAKE)

    def watching(self, changed: Callable[[], object]) -> AbstractContextManager[bool]:
        """Call a function when `woken` may have changed, if the kernel reports it (`ladder.results.folder_watch`)."""
        return watching(self._folder, changed)

    def show_alive(self) -> None:
        """Show that the process lives; a full disk is no reason to end."""
        with suppress(OSError):
            self._touch(ALIVE)

    def is_alive(self, now: float) -> bool:
        """Tell whether the process has shown lately that it lives; *now* is Unix time."""
        return now - self._changed(ALIVE) / 1e9 < SILENT_SECONDS

    def _touch(self, name: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._folder / name).touch()

    def _changed(self, name: str) -> int:
        try:
            return os.stat(self._folder / name).st_mtime_ns
        except OSError:
            return 0

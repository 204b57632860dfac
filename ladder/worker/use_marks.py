"""
Marks of things that are kept: who uses each of them now, in whatever process, and when it was used last.

A mark is a file that is locked: by many who use the thing, or by one who gets or removes it. A process that is killed
holds no lock any more.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from ladder.errors import SandboxError
from ladder.sandbox.host.scratch import disk_errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

LOOK_SECONDS = 0.05
"""Seconds between two tries to take a lock: a wait in a thread could not be given up."""
MAX_TRIES = 5
"""Times that a thing is fetched again because it was removed before it was used."""


@dataclass(frozen=True)
class Mark:
    """A thing that is kept, by its name."""

    name: str
    used: float
    """The time of its last use; Unix time."""
    note: str
    """The text that was written into the mark when the thing was got."""


class UseMarks:
    """The marks in one folder. Names are made of letters, digits and hyphens."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def using(
        self, name: str, is_there: Callable[[], Awaitable[bool]], get: Callable[[], Awaitable[str]]
    ) -> AsyncIterator[None]:
        """
        Use a thing: it is not removed meanwhile. Of several callers that do not find it, one fetches it.

        Args:
            name: Of the thing.
            is_there: Whether it is there.
            get: Fetches it, and gives the note of its mark.

        Raises:
            SandboxError: If there is no room for the mark, or the thing is removed again and again.
        """
        with disk_errors(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for _ in range(MAX_TRIES):
            async with self._locked(name, fcntl.LOCK_SH) as file:
                if await is_there():
                    os.utime(file.fileno())
                    yield
                    return
            async with self._locked(name, fcntl.LOCK_EX) as file:
                if not await is_there():
                    _write(file, await get())
        raise SandboxError(f"{name} is removed as soon as it is here: there is no room for all that is played at once.")

    def all(self) -> list[Mark]:
        """Give all marks, the most recently used thing at the end."""
        found = []
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            with suppress(OSError):  # another process has just removed it
                found.append(Mark(path.name, path.stat().st_mtime, path.read_text(encoding="utf-8")))
        return sorted(found, key=lambda mark: mark.used)

    @contextmanager
    def sole(self, name: str) -> Iterator[bool]:
        """Lock a thing, to remove it and its mark; give False if another process uses it now."""
        try:
            file = (self._folder / name).open("r+b")
        except FileNotFoundError:
            yield False
            return
        with file:
            is_ours = _take(file, fcntl.LOCK_EX) and self._is(file, name)
            yield is_ours
            if is_ours:
                (self._folder / name).unlink()

    @asynccontextmanager
    async def _locked(self, name: str, how: int) -> AsyncIterator[BinaryIO]:
        while True:
            with disk_errors(self._folder):
                file = (self._folder / name).open("a+b")
            with file:
                while not _take(file, how):  # noqa: ASYNC110 (no event is sent)
                    await asyncio.sleep(LOOK_SECONDS)
                if self._is(file, name):  # else it was removed while we waited
                    yield file
                    return

    def _is(self, file: BinaryIO, name: str) -> bool:
        with suppress(FileNotFoundError):
            return os.path.samestat(os.fstat(file.fileno()), (self._folder / name).stat())
        return False


def _take(file: BinaryIO, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write(file: BinaryIO, note: str) -> None:
    file.truncate(0)
    file.write(note.encode())
    file.flush()

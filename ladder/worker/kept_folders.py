"""
Folders of bots that a worker on another machine was sent: kept by their identity, within a limit of bytes.

`UseMarks` marks things that are kept: the processes that use each of them now, and the time of its last use. A mark is
a file that is locked: by many who use the thing, or by one who gets or removes it. A process that is killed holds no
lock any more.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from ladder.errors import SandboxError
from ladder.sandbox.bots.content import FOLDERS, is_kept, keep_folder, kept_folder, unpack
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


MARKS = "folders-in-use"


class FolderMissing(SandboxError):
    """A folder is not here, and has to be sent."""

    def __init__(self, identity: str) -> None:
        super().__init__(f"The folder {identity} is not on this machine. It has to be sent.")
        self.identity = identity


class KeptFolders:
    """The folders below a worker's data folder; several processes share them."""

    def __init__(self, data_dir: Path, max_bytes: int) -> None:
        """
        Prepare to keep folders.

        Args:
            data_dir: The worker's data folder.
            max_bytes: What folders that nothing uses may have together with the others.
        """
        self._data_dir = data_dir
        self._max_bytes = max_bytes
        self._marks = UseMarks(data_dir / MARKS)
        self._checked: set[str] = set()
        """Those that this process has found to be what they are called."""

    @asynccontextmanager
    async def using(self, identity: str) -> AsyncIterator[Path]:
        """
        Use a folder: it is not removed meanwhile.

        Raises:
            FolderMissing: If it is not here, or is not what it was any more.
        """

        async def get() -> str:
            raise FolderMissing(identity)

        async with self._marks.using(_name(identity), lambda: self._is_here(identity), get):
            yield kept_folder(self._data_dir, identity)

    async def take(self, identity: str, packed: bytes) -> None:
        """
        Keep a folder that was sent, and remove those that were used least recently, if there are too many.

        Raises:
            SandboxError: If it is not what was asked for, or there is no room.
        """

        async def get() -> str:
            content = await asyncio.to_thread(unpack, packed, identity)
            await asyncio.to_thread(keep_folder, content, self._data_dir)
            return str(content.size)

        async with self._marks.using(_name(identity), lambda: self._is_here(identity), get):
            pass
        await asyncio.to_thread(self._make_room, identity)

    def counts(self) -> tuple[int, int]:
        """Count the folders, and their bytes."""
        sizes = [int(mark.note) for mark in self._marks.all() if mark.note]
        return len(sizes), sum(sizes)

    async def _is_here(self, identity: str) -> bool:
        kept = kept_folder(self._data_dir, identity)
        if identity in self._checked:
            return kept.is_dir()
        if not await asyncio.to_thread(is_kept, kept, identity):
            return False
        self._checked.add(identity)
        return True

    def _make_room(self, spared: str) -> None:
        """Remove what was used least recently and is not in use; what has just come is about to be."""
        _, taken = self.counts()
        for mark in self._marks.all():
            if taken <= self._max_bytes:
                return
            if mark.name != _name(spared) and self._remove(mark.name):
                taken -= int(mark.note or 0)

    def _remove(self, name: str) -> bool:
        with self._marks.sole(name) as is_free:
            if is_free:
                kept, gone = self._data_dir / FOLDERS / name, self._data_dir / FOLDERS / f".old-{name}"
                if kept.exists():
                    kept.rename(gone)
                shutil.rmtree(gone, ignore_errors=True)
            return is_free


def _name(identity: str) -> str:
    return identity.removeprefix("sha256:")

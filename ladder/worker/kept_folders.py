"""Folders of bots that a worker on another machine was sent: kept by their identity, within a limit of bytes."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ladder.errors import SandboxError
from ladder.sandbox.bots.kept import FOLDERS, is_kept, keep_folder, kept_folder
from ladder.sandbox.bots.packed import unpack
from ladder.worker.use_marks import UseMarks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

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

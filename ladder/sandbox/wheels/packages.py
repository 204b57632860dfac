"""
Packages that a bot's folder asks for: first a lock, which is quick the second time, then a folder of modules.

In a folder, `requirements.txt` names packages; a `requirements.lock` in the same folder names the exact wheels.

Fetched things are cached in the user's cache folder: folders of unpacked packages, and answers by what was asked. All
of it can be fetched again: removing the folder costs time only. What was not used for longest goes first.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
import uuid
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import BotRejected
from ladder.sandbox.host.scratch import disk_errors, scratch_folder
from ladder.sandbox.host.whole_file import usable_cache_folder, write_whole
from ladder.sandbox.wheels.installed import check, clean
from ladder.sandbox.wheels.requirements import Pin, lock_text, read_lock, read_requirements
from ladder.sandbox.wheels.uv import Uv
from ladder.values.names import LOCK, REQUIREMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ladder.sandbox.bots.content import Content
    from ladder.sandbox.wheels.requirements import Wanted
    from ladder.sandbox.wheels.target import Target

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


VENDOR = "vendor"
"""Folder in the bot's folder, in a container, that holds the packages."""


@dataclass(frozen=True)
class Asked:
    """The packages that a folder asks for: the contents of the two files."""

    requirements: bytes | None = None
    lock: bytes | None = None

    @classmethod
    def by(cls, content: Content) -> Asked:
        """
        Take the files out of what a folder holds.

        Raises:
            BotRejected: If one is no list of requirements, or the folder holds a `vendor` of its own beside it.
        """
        asked = cls(content.file(REQUIREMENTS), content.file(LOCK))
        if asked.anything and VENDOR in content.by_name:
            raise BotRejected(
                f"The bot's folder holds {VENDOR!r}, and that is where the packages of its {REQUIREMENTS} go. "
                f"Name yours otherwise, or remove {REQUIREMENTS}."
            )
        return asked

    @property
    def anything(self) -> bool:
        """True if it names any package."""
        return bool(self.wanted())

    def wanted(self) -> list[Wanted]:
        """
        Read what is asked for; a lock alone asks for what it holds.

        Raises:
            BotRejected: If it is not a list of plain requirements.
        """
        if self.requirements is not None:
            return read_requirements(self.requirements)
        return read_requirements(self.lock, LOCK) if self.lock is not None else []


def with_lock(content: Content, lock: str | None) -> Content:
    """Add the lock to what a folder holds, so that its hash tells its packages, too; a lock of its own stays."""
    if lock is None or content.file(LOCK) is not None:
        return content
    return content.with_files({LOCK: lock.encode()})


class Packages:
    """Finds, fetches and unpacks packages; keeps what may be of use again."""

    def __init__(
        self, store: Store | None = None, uv: Uv | None = None, report: Callable[[str], None] = lambda line: None
    ) -> None:
        """
        Choose where packages come from.

        Args:
            store: Keeps what was fetched; the user's own if None.
            uv: Gets wheels; from the index that pip is configured for on this machine if None.
            report: Called with one line before a step that takes seconds.
        """
        self._store = store
        self._uv = uv or Uv()
        self._report = report

    @cached_property
    def store(self) -> Store:
        """
        The store of things that were fetched.

        Raises:
            UnfitFolder: If this user may not write to it.
            SandboxError: If there is no place for it.
        """
        return self._store or Store(usable_cache_folder())

    def pins(self, asked: Asked, target: Target, *, anew: bool = False) -> list[Pin]:
        """
        Say exactly which wheels the bot gets: those of its lock, or those that were found for the same wishes before.

        Args:
            asked: What the folder asks for.
            target: The interpreter that they are for.
            anew: Look in the package index in any case.

        Raises:
            BotRejected: If what is asked for is not available.
            SandboxError: If the index does not answer, or there is no room.
        """
        if asked.lock is not None and not anew:
            return read_lock(asked.lock)
        wanted = asked.wanted()
        key = _key(wanted, target)
        known = None if anew else self.store.answer(key)
        if known is not None:
            return read_lock(known)
        self._report_fetching()
        with scratch_folder() as scratch, disk_errors(scratch):
            pins = self._uv.resolve(wanted, target, scratch)
        self.store.keep_answer(key, lock_text(pins))
        return pins

    def folder(self, asked: Asked, target: Target, finish: Callable[[Path], None] | None = None) -> tuple[str, Path]:
        """
        Find or make the folder of exactly the modules that the bot gets.

        Args:
            asked: What the bot's folder asks for.
            target: The interpreter that they are for.
            finish: Called with the new folder before it is kept; without it, a kept folder is checked again.

        Returns:
            The lock, and the folder; it stays until it was not used for long, or room is needed.

        Raises:
            BotRejected: If a package is not available, is not to be unpacked, or does not fit what is asked for.
            SandboxError: If the index does not answer, or there is no room.
        """
        pins = self.pins(asked, target)
        lock = lock_text(pins)
        key = _key(asked.wanted(), target, lock, "" if finish is None else finish.__qualname__)
        found = self.store.find(key)
        if found is not None and finish is None and not _is_whole(found):
            self.store.remove(key)
            found = None
        return lock, found or self._new_folder(asked, pins, target, key, finish)

    def _new_folder(
        self, asked: Asked, pins: Sequence[Pin], target: Target, key: str, finish: Callable[[Path], None] | None
    ) -> Path:
        pins = [pin for pin in pins if not _is_provided(pin, target)]
        self._report_fetching()
        with self.store.new_folder() as scratch, disk_errors(scratch):
            new = scratch / "new"
            new.mkdir()
            if asked.lock is not None:
                self._check_lock(asked, pins, target, scratch)
            if pins:
                self._uv.install(pins, target, scratch, new)
                clean(new)
                check(new)
            if finish is not None:
                finish(new)
            return self.store.keep(new, key)

    def _check_lock(self, asked: Asked, pins: Sequence[Pin], target: Target, scratch: Path) -> None:
        """Make sure that a lock that came with the bot holds what it asks for, and all that this needs."""
        locked = read_requirements(lock_text(pins).encode(), LOCK)
        try:
            needed = self._uv.resolve([*asked.wanted(), *locked], target, scratch)
        except BotRejected as error:
            raise BotRejected(f"{error} If the lock is the cause, make it anew: pigpen lock FOLDER") from None
        if missing := sorted({pin.label for pin in needed} - {pin.label for pin in pins}):
            raise BotRejected(
                f"The lock holds no {missing[0].partition(' ')[0]}, which its packages need. "
                "Make it anew: pigpen lock FOLDER"
            )

    def _report_fetching(self) -> None:
        self._report("fetching the bot's packages from the package index")


def _key(wanted: Sequence[Wanted], target: Target, *more: str) -> str:
    lines = sorted(f"{each.requirement} {sorted(each.hashes)}" for each in wanted)
    return hashlib.sha256(json.dumps([lines, target.key, *more]).encode()).hexdigest()


def _is_provided(pin: Pin, target: Target) -> bool:
    version = target.provided.get(pin.name)
    if version not in (None, pin.version):
        raise BotRejected(
            f"The lock holds {pin.label}, and the SDK brings {pin.name} {version}. Make it anew: pigpen lock FOLDER"
        )
    return version is not None


def _is_whole(folder: Path) -> bool:
    try:
        check(folder)
    except BotRejected:
        return False
    return True

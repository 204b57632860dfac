"""
Files of a ladder on the disk: records of matches, tables with people, submitted folders, and wake files.

Of each match there is the record and a file of what the bots printed. A file is written whole, and is safe on the disk,
before the database says that its match is done. So a file whose match was never recorded, or was recorded with another
attempt, belongs to no match: `orphans` finds it. Of each table with people there are its record, the journal of the
deal under way, and the phrases. Folders of bots that were submitted are kept from when they arrive until their
submission has ended.

By a wake file one process of a ladder wakes another one, and that one shows that it lives. The wait for changes in a
folder is Linux's inotify: the process sleeps until the kernel says that there is one.
"""

from __future__ import annotations

import asyncio
import ctypes
import gzip
import json
import os
import re
import secrets
import shutil
import sys
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pydantic

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

IN_ATTRIB, IN_CREATE = 0x4, 0x100
"""A file in the folder has other times, or is new; see inotify(7)."""
EVENTS_BYTES = 64 * 1024


@contextmanager
def watching(folder: Path, changed: Callable[[], object]) -> Iterator[bool]:
    """
    Call a function, in the event loop that runs now, whenever a file in a folder was touched.

    Args:
        folder: It is made if there is none.
        changed: Called with nothing, once for several changes that come together.

    Yields:
        Whether the kernel reports changes. If not, on other systems and where a user's watches are used up, *changed*
        is never called. Changes by other machines, in a folder that is shared, are not reported in any case.
    """
    descriptor = _watch(folder)
    if descriptor is None:
        yield False
        return
    loop = asyncio.get_running_loop()

    def read() -> None:
        with suppress(BlockingIOError):
            os.read(descriptor, EVENTS_BYTES)
        changed()

    loop.add_reader(descriptor, read)
    try:
        yield True
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _watch(folder: Path) -> int | None:
    """Open a watch; None where the system gives none."""
    if sys.platform != "linux":
        return None
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    libc = ctypes.CDLL(None)
    descriptor: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        return None
    if libc.inotify_add_watch(descriptor, os.fsencode(folder), IN_ATTRIB | IN_CREATE) < 0:
        os.close(descriptor)
        return None
    return descriptor


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
        """Call a function when `woken` may have changed, if the kernel reports it (`ladder.results.files`)."""
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


Logs = dict[int, tuple[str, ...]]
"""By table: the end of what each bot wrote to stdout and stderr there, in the order of their numbers."""

MATCHES_PER_FOLDER = 1000
RECORD_END, LOGS_END, PARTIAL_END = ".jsonl.gz", ".log.json.gz", ".partial"
LOGS_BYTES = 16 * 1024**2
"""The most bytes of what the bots of a match printed, unpacked; 20 KiB are kept of each bot at each of 8 tables."""
_LOGS: pydantic.TypeAdapter[Logs] = pydantic.TypeAdapter(dict[int, tuple[str, ...]])
_NAME = re.compile(r"([1-9]\d*)-([1-9]\d*)\.(jsonl|log\.json)\.gz(\.partial)?", re.ASCII)


@dataclass(frozen=True)
class FoundFile:
    """A file that is there."""

    path: Path
    match: int
    attempt: int
    is_partial: bool


class MatchFiles:
    """The folder ``records`` of a ladder."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "records"

    def record(self, match: int, attempt: int) -> Path:
        """Give the path of the record of that attempt at a match; there may be none."""
        return self._folder(match) / f"{match}-{attempt}{RECORD_END}"

    def logs(self, match: int, attempt: int) -> Path:
        """Give the path of the end of what its bots printed."""
        return self._folder(match) / f"{match}-{attempt}{LOGS_END}"

    def keep(self, match: int, attempt: int, record: bytes, logs: Logs) -> None:
        """
        Put an attempt's record and logs on the disk: each of them is there as a whole, or not at all.

        Raises:
            OSError: If there is no room, or the folder cannot be written.
        """
        folder = self._folder(match)
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _sync(self.root)
        write_safely(self.logs(match, attempt), gzip.compress(json.dumps(logs).encode(), mtime=0))
        write_safely(self.record(match, attempt), record)
        _sync(folder)

    def read_logs(self, match: int, attempt: int) -> Logs:
        """
        Read what `keep` wrote.

        Raises:
            OSError: If they are not there any more, or cannot be read.
            ValueError: If they are damaged.
        """
        try:
            with gzip.open(self.logs(match, attempt)) as file:
                content = file.read(LOGS_BYTES + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"it cannot be unpacked: {error}") from None
        if len(content) > LOGS_BYTES:
            raise ValueError(f"it has more than {LOGS_BYTES:,} bytes, unpacked")
        try:
            return _LOGS.validate_json(content)
        except pydantic.ValidationError:
            raise ValueError("it is not what the ladder wrote") from None

    def remove(self, match: int, attempt: int) -> None:
        """Remove an attempt's record and logs, if there are any."""
        for path in (self.record(match, attempt), self.logs(match, attempt)):
            path.unlink(missing_ok=True)

    def folders(self) -> Iterator[tuple[range, list[FoundFile]]]:
        """Go through the folders: the numbers of the matches that belong there, and the files that are there."""
        for folder in sorted(self.root.glob("[0-9]*"), key=lambda path: int(path.name) if path.name.isdigit() else -1):
            if folder.name.isdigit():
                first = int(folder.name) * MATCHES_PER_FOLDER
                files = [
                    FoundFile(path, int(found[1]), int(found[2]), bool(found[4]))
                    for path in folder.iterdir()
                    if (found := _NAME.fullmatch(path.name))
                ]
                yield range(first, first + MATCHES_PER_FOLDER), files

    def _folder(self, match: int) -> Path:
        return self.root / str(match // MATCHES_PER_FOLDER)


def write_safely(path: Path, content: bytes) -> None:
    """
    Write a file that is there as a whole, or not at all.

    Raises:
        OSError: If there is no room, or the folder cannot be written.
    """
    partial = path.with_name(path.name + PARTIAL_END)
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise


def _sync(folder: Path) -> None:
    """Make the names in *folder* safe, too."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


RECORD, JOURNAL, PHRASES = "record.jsonl", "journal.jsonl", "phrases.jsonl"


class TableFiles(WakeFile):
    """The folder `tables` of a ladder; in it a folder for each table, by its number."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "tables"
        super().__init__(self.root)

    def folder(self, table: int) -> Path:
        """Give the folder of a table; it is made if there is none, and only this user may read it."""
        path = self.root / str(table)
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def record(self, table: int) -> Path:
        """Give the record of a table, as far as it has come; there is none before the first card."""
        return self.root / str(table) / RECORD

    def journal(self, table: int) -> Path:
        """Give the path of the decisions of the deal under way."""
        return self.root / str(table) / JOURNAL

    def phrases(self, table: int) -> Path:
        """Give the path of the phrases that people at a table have sent to each other."""
        return self.root / str(table) / PHRASES

    def remove(self, tables: Collection[int]) -> None:
        """Remove all files of these tables."""
        for table in tables:
            shutil.rmtree(self.root / str(table), ignore_errors=True)


_FOLDER_NAME = re.compile(r"[0-9a-f]{32}")
_SOURCE = re.compile(r"\w[\w.-]{0,60}")


def folder_name(source: str) -> str:
    """
    Name the folder of a bot as its owner calls it, if a folder can be called so.

    >>> folder_name("mybot"), folder_name("../mybot")
    ('mybot', 'bot')
    """
    return source if _SOURCE.fullmatch(source) else "bot"


class SubmissionFolders:
    """The folder `submissions` of a ladder; in it a folder for each submission, whose name cannot be guessed."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "submissions"

    def make(self, name: str = "") -> str:
        """
        Make a folder for one more submission, which only this user may read; give its name.

        Args:
            name: The name, 32 hexadecimal digits; what a killed process left there is removed. Empty: a new one.

        Raises:
            OSError: If there is no room.
        """
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if name:
            self.remove(name)
        name = name or secrets.token_hex(16)
        (self.root / name).mkdir(mode=0o700)
        return name

    def bot(self, name: str, source: str) -> Path:
        """Give the bot's folder, below the folder of that name; named as its owner's, if that is possible."""
        return self.root / name / folder_name(source)

    def remove(self, name: str) -> None:
        """Remove one, if it is there."""
        shutil.rmtree(self.root / name, ignore_errors=True)

    def names(self) -> list[str]:
        """Give the names of all folders."""
        return [folder.name for folder in self.root.iterdir()] if self.root.is_dir() else []

    def remove_others(self, kept: Collection[str], before: float) -> None:
        """Remove what belongs to no submission: all folders but *kept*, if they were made before that Unix time."""
        for folder in self.root.iterdir() if self.root.is_dir() else ():
            if _FOLDER_NAME.fullmatch(folder.name) and folder.name not in kept and folder.stat().st_mtime < before:
                self.remove(folder.name)

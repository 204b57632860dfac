"""
The records of the ladder's matches on disk, each with a file of what the bots printed.

A file is written whole, and is safe on the disk, before the database says that its match is done. So a file whose match
was never recorded, or was recorded with another attempt, belongs to no match: `orphans` finds it.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pydantic

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
        _write(self.logs(match, attempt), gzip.compress(json.dumps(logs).encode(), mtime=0))
        _write(self.record(match, attempt), record)
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
                yield range(first, first + MATCHES_PER_FOLDER), list(_files(folder))

    def _folder(self, match: int) -> Path:
        return self.root / str(match // MATCHES_PER_FOLDER)


def _files(folder: Path) -> Iterator[FoundFile]:
    for path in folder.iterdir():
        if found := _NAME.fullmatch(path.name):
            yield FoundFile(path, int(found[1]), int(found[2]), bool(found[4]))


def _write(path: Path, content: bytes) -> None:
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

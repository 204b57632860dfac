"""
The events of matches that are being played: one file for each attempt, a line for each event.

Only whole lines count: the last one may be half written.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from ladder.values.live_events import LiveEvent

if TYPE_CHECKING:
    from pathlib import Path

CHUNK_BYTES = 32 * 1024
"""The most that is read at once, unless one line is longer."""
_NAME = re.compile(r"([1-9]\d{0,18})-([1-9]\d{0,18})\.jsonl", re.ASCII)
_HEAD = re.compile(r'\{"id":([1-9]\d{0,18}),"type":"([a-z]+)"', re.ASCII)


class LiveFolder:
    """The folder ``live`` of a ladder."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "live"

    def path(self, match: int, attempt: int) -> Path:
        """Give the path of the events of that attempt; there may be none."""
        return self.root / f"{match}-{attempt}.jsonl"

    def attempts(self) -> list[tuple[int, int]]:
        """List the matches and attempts of which there are files."""
        if not self.root.is_dir():
            return []
        found = (_NAME.fullmatch(name) for name in os.listdir(self.root))
        return sorted((int(each[1]), int(each[2])) for each in found if each)

    def remove(self, match: int, attempt: int) -> None:
        """Remove a file, if it is there; who has it open can still read it."""
        self.path(match, attempt).unlink(missing_ok=True)


@dataclass(frozen=True)
class LiveChunk:
    """Events that stand one after the other."""

    events: tuple[LiveEvent, ...]
    end: int
    """The offset in bytes behind them; where there are none, the offset that was asked for."""

    @property
    def is_last(self) -> bool:
        """True if no event follows in this attempt, ever."""
        return bool(self.events) and self.events[-1].type == "end"


class LiveFile:
    """The events of one attempt, open for reading; any number of readers may share it."""

    def __init__(self, folder: LiveFolder, match: int, attempt: int) -> None:
        """
        Open it.

        Raises:
            FileNotFoundError: If there is none (yet, or any more).
        """
        self._match, self._attempt = match, attempt
        self._file = os.open(folder.path(match, attempt), os.O_RDONLY | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; may be called again."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)

    @property
    def size(self) -> int:
        """Its bytes now."""
        return os.fstat(self._file).st_size

    def read(self, offset: int) -> LiveChunk:
        """Read the events that begin at *offset*, where one begins: those that are there, up to some number."""
        size = CHUNK_BYTES
        data = os.pread(self._file, size, offset)
        while b"\n" not in data and len(data) == size:
            size *= 4
            data = os.pread(self._file, size, offset)
        whole = data[: data.rfind(b"\n") + 1]
        return LiveChunk(tuple(map(self._event, whole.splitlines())), offset + len(whole))

    def offset_after(self, event: int) -> int:
        """Find where the event after number *event* begins or would begin; halves the file again and again."""
        low, high = 0, self.size
        while low < high:
            middle = (low + high) // 2
            begin, number, end = self._line_at(middle, low)
            if number is None:  # what begins here is not whole yet
                high = begin
            elif number <= event:
                low = end
            else:
                high = begin
        return low

    def _line_at(self, offset: int, least: int) -> tuple[int, int | None, int]:
        """Find the line with the byte at *offset*: where it begins, from *least* on, its number, where it ends."""
        begin = self._begin(offset, least)
        head = _HEAD.match(os.pread(self._file, 64, begin).decode(errors="replace"))
        end, at = -1, offset
        while end < 0:
            data = os.pread(self._file, 4096, at)
            if not data:
                return begin, None, at
            found = data.find(b"\n")
            end, at = (at + found + 1, at) if found >= 0 else (-1, at + len(data))
        return begin, int(head[1]) if head else None, end

    def _begin(self, offset: int, least: int) -> int:
        while offset > least:
            start = max(least, offset - 4096)
            found = os.pread(self._file, offset - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            offset = start
        return least

    def _event(self, line: bytes) -> LiveEvent:
        text = line.decode()
        head = _HEAD.match(text)
        if head is None:
            raise ValueError(f"the events of match {self._match} hold a line that cannot be read: {text[:80]!r}")
        return LiveEvent.model_construct(
            match=self._match, attempt=self._attempt, id=int(head[1]), type=head[2], line=text
        )

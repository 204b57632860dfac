"""The kept parts of an endless output: its end, two beginnings, and when each line was written."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class _KeptHead:
    """The first `STDERR_HEAD` that are written from a position on."""

    start: int
    data: bytearray = field(default_factory=bytearray)

    def write(self, data: bytes) -> None:
        """Add of *data* what there is room for."""
        self.data += data[: STDERR_HEAD - len(self.data)]


class Tail:
    """
    Keeps the last bytes of what is written to it, and the first ones: of all, and of what came since the last mark.

    A program that fails says why in the first line that it writes about it; a long report of threads may follow.
    """

    def __init__(self) -> None:
        self._first, self._since_mark = _KeptHead(0), _KeptHead(0)
        self._kept = bytearray()
        self._start = 0
        self._first_marks = [(0, 0)]
        self._marks = [(0, 0)]

    def write(self, data: bytes) -> None:
        """Add *data*, and drop what is too much."""
        self._first.write(data)
        self._since_mark.write(data)
        self._kept += data
        dropped = max(0, len(self._kept) - STDERR_TAIL)
        if dropped:
            del self._kept[:dropped]
            self._start += dropped
            del self._marks[: _mark_at(self._marks, self._start)]

    def mark(self, decision: int) -> None:
        """Label what is written from now on with this *decision*."""
        end = self._start + len(self._kept)
        for marks in (self._marks, self._first_marks) if end < STDERR_HEAD else (self._marks,):
            if marks[-1][0] == end:
                marks.pop()
            marks.append((end, decision))
        self._since_mark = _KeptHead(end)

    def __str__(self) -> str:
        """
        Give what is kept, before each line the decision at which it began, if there had been one.

        A line says how much is left out. Bytes that are no UTF-8 become replacement characters.
        """
        marks = sorted({*self._first_marks, *self._marks})
        lines: list[str] = []
        position = 0
        for start, data in self._runs():
            if start > position:
                end_of_line = "" if lines[-1].endswith("\n") else "\n"
                lines.append(f"{end_of_line}… {start - position:,} bytes left out …\n")
                position = start
            for line in data.splitlines(keepends=True):
                decision = marks[_mark_at(marks, position)][1]
                lines.append((f"[{decision}] " if decision else "") + line.decode(errors="replace"))
                position += len(line)
        return "".join(lines)

    def _runs(self) -> Iterator[tuple[int, bytearray]]:
        """Give what is kept, each part without a gap in it, by its position."""
        parts = [(0, self._first.data), (self._since_mark.start, self._since_mark.data), (self._start, self._kept)]
        run, start = bytearray(), 0
        for begin, data in sorted(parts, key=lambda part: part[0]):
            if begin > start + len(run):
                yield start, run
                run, start = bytearray(), begin
            run += data[start + len(run) - begin :]
        yield start, run


def _mark_at(marks: list[tuple[int, int]], position: int) -> int:
    """Find the index of the last of *marks* at or before *position*."""
    return bisect_right(marks, position, key=lambda mark: mark[0]) - 1

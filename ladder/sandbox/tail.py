"""The last bytes of an endless output, and when each line of it was written."""

from __future__ import annotations

from bisect import bisect_right

from ladder.sandbox.base import STDERR_TAIL


class Tail:
    """Keeps the last `STDERR_TAIL` bytes of what is written to it."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._start = 0
        self._marks = [(0, 0)]

    def write(self, data: bytes) -> None:
        """Add *data*, and drop from the front what is too much."""
        self._kept += data
        dropped = max(0, len(self._kept) - STDERR_TAIL)
        if dropped:
            del self._kept[:dropped]
            self._start += dropped
            del self._marks[: self._mark_at(self._start)]

    def mark(self, decision: int) -> None:
        """Label what is written from now on with this *decision*."""
        end = self._start + len(self._kept)
        if self._marks[-1][0] == end:
            self._marks.pop()
        self._marks.append((end, decision))

    def __str__(self) -> str:
        """
        Give what is kept, before each line the decision at which it began, if there had been one.

        Bytes that are no UTF-8 become replacement characters.
        """
        lines = []
        position = self._start
        for line in self._kept.splitlines(keepends=True):
            decision = self._marks[self._mark_at(position)][1]
            lines.append((f"[{decision}] " if decision else "") + line.decode(errors="replace"))
            position += len(line)
        return "".join(lines)

    def _mark_at(self, position: int) -> int:
        """The index of the last mark at or before *position*."""
        return bisect_right(self._marks, position, key=lambda mark: mark[0]) - 1

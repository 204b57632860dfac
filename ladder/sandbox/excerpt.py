"""
Output of a bot: the parts that are kept of it though it never ends, and the lines that say why the bot failed.

Of a long output the end is kept, and two beginnings, with the time of each line; of an excerpt the beginning, the
error's first lines, and the end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import ladder
import pigpen
import referee
from ladder.sandbox.base import STDERR_HEAD, STDERR_TAIL
from ladder.values.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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


MAX_LINES = 16
"""Lines of an excerpt, including those that say how many are left out."""
_HEAD, _ERROR, _END = 3, 3, 8
"""Lines from the beginning, from an error's first line on, and from the end."""
_LABEL = re.compile(r"(?:\[\d+\] )?")
"""Beginning of a line of output: the decision at which it was written (`ladder.sandbox.excerpt`)."""
_BEGINS = re.compile(
    r"Traceback \(most recent call last\):|panic: |fatal error: |Fatal Python error: |thread '.*' panicked at "
    r"|terminate called |.*: Assertion .* failed|=+\d+=+ERROR: |Exception in thread |Unhandled exception"
)
"""Beginnings of reports of errors that end a program: in Python, Go, Rust, C and C++, Java, .NET."""
_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line \d+')
_IN_FRAME = re.compile(r" {4}")
"""The source below a frame's first line, and the marks below that."""
_PACKAGES = [re.escape(str(Path(file).parent)) for file in (pigpen.__file__, referee.__file__, ladder.__file__)]
_OURS = re.compile(
    rf"(?:{'|'.join(_PACKAGES)}|/.*/(?:dist|site)-packages/(?:pigpen|referee|ladder))/"
    r"|<frozen (?:runpy|importlib\.)"
)
"""Files that are not the bot's, here and in a container."""
_CHANGING = re.compile(r"0x[0-9a-f]+|\b(?:10|[2-9TJQKA])[CDHS]\b|\d+")
"""Parts that differ from table to table in the report of one error: addresses, cards, numbers."""
_NOT_READABLE = re.compile(r"python[\d.]*: can't open file '([^']+)': \[Errno 13\] Permission denied")
"""Docker copies the modes of files into an image, and some users' files are for themselves alone (umask 077)."""
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


def excerpt(output: str) -> list[str]:
    r"""
    Choose at most `MAX_LINES` of what a bot printed; frames of Pigpen in a traceback become one line.

    >>> excerpt("".join(f"{number}\n" for number in range(99)))[:5]
    ['0', '1', '2', '… 84 lines left out', '87']
    """
    lines = list(_folded(output.strip("\n").rstrip().splitlines()))
    if len(lines) <= MAX_LINES:
        return lines
    tail = len(lines) - (MAX_LINES - _HEAD - 1)
    begins = max(_first_line(lines) or tail, _HEAD)
    if begins >= tail:
        return [*lines[:_HEAD], *_left_out(tail - _HEAD), *lines[tail:]]
    end = len(lines) - _END
    error = lines[begins : begins + _ERROR]
    return [*lines[:_HEAD], *_left_out(begins - _HEAD), *error, *_left_out(end - begins - len(error)), *lines[end:]]


def likeness(output: str) -> str:
    """Reduce what a bot printed to what is the same when the same error occurs again, at another table."""
    lines = [_LABEL.sub("", line, count=1) for line in excerpt(output)]
    return _CHANGING.sub("#", "\n".join(lines[_first_line(lines) or 0 :]))


def without_changing(sentence: str) -> str:
    """Give a sentence about a fault without the cards and numbers that differ from one to the next."""
    return _CHANGING.sub("#", sentence)


def advice(output: str) -> str:
    """Name the way out of an error that does not name it itself; empty if there is nothing to add."""
    if found := _NOT_READABLE.search(output):
        return (
            f"The bot runs as a user of its own, who may not read {found[1]} in the image. Before you build it: "
            "chmod -R a+rX on the folder."
        )
    found = _NO_MODULE.search(output)
    if found is None:
        return ""
    return (
        f"{found[1]} is not there when the bot runs. A package: name it in a requirements.txt beside bot.py (a "
        "pyproject.toml is not read). A file of your own: put it into the bot's folder."
    )


def _first_line(lines: Sequence[str]) -> int | None:
    """Find where the last reported error begins."""
    found = (place for place, line in enumerate(lines) if _BEGINS.match(line, _after_label(line)))
    return max(found, default=None)


def _left_out(count: int) -> list[str]:
    return [f"… {counted(count, 'line')} left out"] if count else []


def _folded(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, one in place of each run of Pigpen's own frames; a traceback keeps one frame at least."""
    for in_traceback, frames in groupby(_frames(lines), key=_is_frame):
        several = list(frames)
        if in_traceback and all(map(_is_ours, several)):
            several, last = several[:-1], several[-1:]
        else:
            last = []
        for ours, run in groupby(several, key=_is_ours):
            folded = list(run)
            if ours:
                first = folded[0][0]
                yield f"{first[: _after_label(first)]}  … {counted(len(folded), 'frame')} of Pigpen"
            else:
                yield from (line for frame in folded for line in frame)
        yield from (line for frame in last for line in frame)


def _frames(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines; those of a frame in a traceback together."""
    frame: list[str] = []
    for line in lines:
        if frame and _is_frame(frame) and _IN_FRAME.match(line, _after_label(line)):
            frame.append(line)
            continue
        if frame:
            yield frame
        frame = [line]
    if frame:
        yield frame


def _is_frame(lines: Sequence[str]) -> bool:
    return _FRAME.match(lines[0], _after_label(lines[0])) is not None


def _is_ours(lines: Sequence[str]) -> bool:
    found = _FRAME.match(lines[0], _after_label(lines[0]))
    return found is not None and _OURS.match(found["file"]) is not None


def _after_label(line: str) -> int:
    found = _LABEL.match(line)
    return found.end() if found else 0

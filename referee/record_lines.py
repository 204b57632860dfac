"""The lines of a record's file as bytes, packed or not; what is in them is not looked at."""

from __future__ import annotations

import gzip
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from referee.packing import MOST_BYTES, NOT_OURS, is_packed, read_member
from referee.problems import RecordCut, RecordError

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator
    from pathlib import Path

GZIP = b"\x1f\x8b"
_FLAGS, _EXTRA = 3, 0x04
"""Where a gzip header has its flags, and the one for an extra field: no usual gzip makes one, `pack` does."""


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """
    Open a record to read it.

    Raises:
        RecordError: If it cannot be read, now or later; the message names the file.
    """
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise RecordError(f"{str(path)!r} cannot be read: {error.strerror}.") from None


def raw_lines(file: io.BufferedReader) -> Iterator[bytes]:
    """
    Go through the lines, without their line breaks.

    Raises:
        RecordCut: After the last whole line, if more than that is there.
        RecordError: If a line cannot be unpacked, or is too long.
    """
    for line in _pieces(file):
        if not line.endswith(b"\n"):
            if len(line) == MOST_BYTES:
                raise RecordError(f"it is longer than {MOST_BYTES} bytes")
            raise RecordCut("the file ends in the middle of it")
        yield line[:-1]


def is_foreign(file: io.BufferedReader) -> bool:
    """Whether the file was packed, but not by Pigpen: it can be read, but not gone on with."""
    start = file.peek()
    return len(start) > _FLAGS and start.startswith(GZIP) and not is_packed(start)


def _pieces(file: io.BufferedReader) -> Iterator[bytes]:
    if is_packed(file.peek()):
        return iter(lambda: read_member(file), b"")
    if is_foreign(file):
        return _gunzipped(file)
    return iter(lambda: file.readline(MOST_BYTES), b"")


def _gunzipped(file: io.BufferedReader) -> Iterator[bytes]:
    """Lines of a file that somebody packed by other means."""
    if file.peek()[_FLAGS] & _EXTRA:
        raise RecordError(NOT_OURS)
    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            while line := unpacked.readline(MOST_BYTES):
                yield line
    except EOFError:
        raise RecordCut("the file is cut off in the middle of it") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise RecordError(f"it cannot be unpacked: {error}") from None

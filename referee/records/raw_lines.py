"""The lines of a record's file as bytes, packed or not; what is in them is not looked at."""

from __future__ import annotations

import codecs
import gzip
import io
import tempfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

from referee.records.errors import RecordCut, RecordError, RecordTooLarge
from referee.records.limits import LINE_BYTES, MAX_BYTES, MAX_LINES
from referee.records.packing import NOT_OURS, TOO_LONG, is_packed, read_member

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GZIP = b"\x1f\x8b"
_FLAGS, _EXTRA = 3, 0x04
"""Place of the flags in a gzip header, and the flag of an extra field: no usual gzip makes one, `pack` does."""
TOO_MANY = f"a record has at most {MAX_LINES:,} lines"
TOO_LARGE = f"a record has at most {MAX_BYTES:,} bytes, unpacked"
_UNDO = "take the file as it was written, or undo that with dos2unix"
_PIECE = 1024**2


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """
    Open a record to read it, once or several times; what cannot be read twice, such as a pipe, is copied first.

    Raises:
        RecordError: If it cannot be read, now or later; the message names the file.
    """
    try:
        with path.open("rb") as file, _seekable(path, file) as found:
            yield found
    except OSError as error:
        raise RecordError(f"{str(path)!r} cannot be read: {error.strerror}.") from None


def raw_lines(file: io.BufferedReader) -> Iterator[bytes]:
    """
    Go through the lines, without their line breaks.

    Raises:
        RecordCut: After the last whole line, if more than that is there.
        RecordTooLarge: If there are too many lines, or all together are too long.
        RecordError: If a line cannot be unpacked, or is too long; or an editor has changed line ends or encoding.
    """
    size = 0
    for number, line in enumerate(_pieces(file), 1):
        size += len(line)
        if number > MAX_LINES:
            raise RecordTooLarge(TOO_MANY)
        if size > MAX_BYTES:
            raise RecordTooLarge(TOO_LARGE)
        if not line.endswith(b"\n"):
            if len(line) == LINE_BYTES:
                raise RecordError(TOO_LONG)
            raise RecordCut("the file ends in the middle of it")
        if why := _altered(line, number):
            raise RecordError(why)
        yield line[:-1]


def _altered(line: bytes, number: int) -> str:
    """Say what an editor or a transfer has done to a record, by one of its lines; empty if nothing that is known."""
    if number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return f"the file has been saved as UTF-16, and a record is UTF-8; {_UNDO}"
    if number == 1 and line.startswith(codecs.BOM_UTF8 + b"{"):
        return f"the file begins with a byte order mark (BOM), and a record has none; {_UNDO}"
    if line.endswith(b"}\r\n"):
        return f"the file has Windows line ends (CR LF), and a record has LF; {_UNDO}"
    return "" if line.strip() else "it is blank, and a record has no blank lines; remove it"


def is_foreign(file: io.BufferedReader) -> bool:
    """Tell whether the file was packed, but not by Pigpen: it can be read, but not continued."""
    start = file.peek()
    return len(start) > _FLAGS and start.startswith(GZIP) and not is_packed(start)


@contextmanager
def _seekable(path: Path, file: io.BufferedReader) -> Iterator[io.BufferedReader]:
    """Yield the file itself, or a copy of what it says."""
    if file.seekable():
        yield file
        return
    with tempfile.TemporaryFile(buffering=0) as copy:
        while piece := file.read(_PIECE):
            if copy.tell() > MAX_BYTES:
                raise RecordTooLarge(f"{str(path)!r}: {TOO_LARGE}.")
            copy.write(piece)
        copy.seek(0)
        yield io.BufferedReader(copy)


def _pieces(file: io.BufferedReader) -> Iterator[bytes]:
    if is_packed(file.peek()):
        return iter(lambda: read_member(file), b"")
    if is_foreign(file):
        return _gunzipped(file)
    return iter(lambda: file.readline(LINE_BYTES), b"")


def _gunzipped(file: io.BufferedReader) -> Iterator[bytes]:
    """Give the lines of a file that another program packed."""
    if file.peek()[_FLAGS] & _EXTRA:
        raise RecordError(NOT_OURS)
    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            while line := unpacked.readline(LINE_BYTES):
                yield line
    except EOFError:
        raise RecordCut("the file is cut off in the middle of it") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise RecordError(f"it cannot be unpacked: {error}") from None

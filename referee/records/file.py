"""
The record on disk: one line after the other, chained, packed where the file's name ends in ``.gz``.

Each line goes to the operating system at once: a referee that is killed loses no more than the line at hand. The lines
can also be read as bytes, packed or not, without a look at what is in them. `PackedRecord` is a record in memory, as
the bytes of a packed file.
"""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import tempfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pydantic

from referee.records.framing import (
    LINE_BYTES,
    MAX_BYTES,
    MAX_LINES,
    NOT_OURS,
    START,
    TOO_LONG,
    RecordCut,
    RecordError,
    RecordTooLarge,
    chained,
    is_packed,
    pack,
    read_member,
    unchained,
)
from referee.records.lines import from_json, sentence_of, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from referee.records.lines import AnyLine

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


def _lock(file: io.FileIO) -> None:
    """
    Lock a file where the system can: Windows does not, so a match can be resumed twice at once there.

    Raises:
        BlockingIOError: If another process has it.
    """
    with contextlib.suppress(ModuleNotFoundError):
        import fcntl  # not everywhere

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class RecordWriter:
    """
    Writes the lines of a record to its file, and keeps others from doing so meanwhile.

    `create` and `append` make one.
    """

    def __init__(self, file: io.FileIO, max_lines: int = MAX_LINES) -> None:
        """
        Take over *file*, open for writing at its end, and lock it; the record is to have at most *max_lines* lines.

        Raises:
            RecordError: If another process is writing to it.
        """
        self._file = file
        self._before = START
        self._max_lines = max_lines
        self._lines = self._bytes = 0
        self._packs = str(file.name).endswith(".gz")
        try:
            _lock(file)
        except BlockingIOError:
            file.close()
            raise RecordError(f"{str(file.name)!r} is being written by another pigpen; wait for its end.") from None

    @classmethod
    def create(cls, path: Path, max_lines: int = MAX_LINES) -> Self:
        """
        Begin a record of at most *max_lines* lines.

        Raises:
            FileExistsError: If there is a file already; it is left as it is.
            OSError: If the file cannot be made.
        """
        return cls(path.open("xb", buffering=0), max_lines)

    @classmethod
    def append(cls, path: Path, max_lines: int = MAX_LINES) -> Self:
        """
        Continue a record after its last whole line; what a killed referee left behind that is cut away.

        Raises:
            OSError: If the file cannot be read or written.
            RecordError: If another process is writing to it, or a line is not as it was written.
        """
        writer = cls(path.open("r+b", buffering=0), max_lines)
        try:
            writer._go_to_the_end(path)
        except BaseException:
            writer.close()
            raise
        return writer

    def write(self, line: AnyLine) -> None:
        """
        Write *line* behind all others, or nothing of it.

        Raises:
            RecordError: If the file takes no more, or the record would be larger than it can be read again.
        """
        text, own = chained(to_json(line).encode(), self._before)
        text += b"\n"
        self._make_room(text)
        rest = memoryview(pack(text) if self._packs else text)
        end = self._file.tell()
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(end)
            self._file.seek(end)
            raise self._cannot(error.strerror) from None
        self._before = own
        self._count(text)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the file."""
        self.close()

    def _go_to_the_end(self, path: Path) -> None:
        end = 0
        with opened(path) as file:
            if is_foreign(file):
                raise RecordError(
                    f"{str(path)!r} was not packed by Pigpen; unpack it with gunzip, and continue the unpacked file."
                )
            self._packs = is_packed(file.peek()) if file.peek() else self._packs
            for text, self._before in checked(path, file):
                end = file.tell()
                self._count(text)
        self._file.truncate(end)
        self._file.seek(end)

    def _count(self, text: bytes) -> None:
        self._lines += 1
        self._bytes += len(text)

    def _make_room(self, text: bytes) -> None:
        """Refuse a line that could not be read again."""
        if len(text) > LINE_BYTES:
            raise self._cannot(TOO_LONG)
        if self._lines == self._max_lines:
            raise self._cannot(TOO_MANY)
        if self._bytes + len(text) > MAX_BYTES:
            raise self._cannot(TOO_LARGE)

    def _cannot(self, why: str | None) -> RecordError:
        return RecordError(f"The record {str(self._file.name)!r} cannot be written: {why}.")


def read_record(path: Path) -> Iterator[AnyLine]:
    """
    Read a record, finished or not, line by line; half a line at its end, of a referee that was killed, is left out.

    Raises:
        RecordError: If the file cannot be read, or a line is not as it was written; the message names file and line.
    """
    with opened(path) as file:
        for number, (text, _) in enumerate(checked(path, file), 1):
            yield _parsed(path, number, text)


def checked(path: Path, file: io.BufferedReader) -> Iterator[tuple[bytes, str]]:
    """
    Go through the whole lines without their chain, each with its hash.

    Raises:
        RecordError: If the chain of one does not fit; the message names file and line.
    """
    before, done = START, 0
    try:
        for line in raw_lines(file):
            text, before = unchained(line, before)
            yield text, before
            done += 1
    except RecordCut:
        return
    except RecordError as error:
        raise type(error)(f"{str(path)!r}, line {done + 1}: {error}.") from None


def _parsed(path: Path, number: int, text: bytes) -> AnyLine:
    try:
        return from_json(text)
    except pydantic.ValidationError as error:
        raise RecordError(f"{str(path)!r}, line {number}: {sentence_of(error)}.") from None


class PackedRecord:
    """Takes the lines of a record; what it holds is, byte for byte, what a file ``….jsonl.gz`` would hold."""

    def __init__(self) -> None:
        self._before = START
        self._members: list[bytes] = []

    def write(self, line: AnyLine) -> None:
        """Put *line* behind all others."""
        text, self._before = chained(to_json(line).encode(), self._before)
        self._members.append(pack(text + b"\n"))

    def __bytes__(self) -> bytes:
        """Give the whole file."""
        return b"".join(self._members)

"""
The record on disk: one line after the other, chained, packed where the file's name ends in ``.gz``.

Each line goes to the operating system at once: a referee that is killed loses no more than the line at hand.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pydantic

from referee.records.chain import START, chained, unchained
from referee.records.errors import RecordCut, RecordError
from referee.records.limits import LINE_BYTES, MAX_BYTES, MAX_LINES
from referee.records.lines import from_json, sentence_of, to_json
from referee.records.packing import TOO_LONG, is_packed, pack
from referee.records.raw_lines import TOO_LARGE, TOO_MANY, is_foreign, opened, raw_lines

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from referee.records.lines import AnyLine


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

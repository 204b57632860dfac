"""
A packed folder that a stranger sent: unpacked while it is read, and refused at the first thing that is not right.

It is a tar archive, packed with gzip. In it are regular files and folders, and nothing else: no links, no devices, no
name that leads out. Sizes are counted in the bytes that really come out, whatever headers say.
"""

from __future__ import annotations

import os
import shutil
import tarfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from ladder.errors import BotRejected
from ladder.sandbox.bots.members import MAX_BYTES, MAX_LEVELS, MAX_MEMBERS, MAX_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOCK = 512
CHUNK = 64 * 1024
FREE_BYTES = 1024 * 1024
"""Unpacked bytes up to which the ratio of packing is not checked."""
MAX_RATIO = 200
"""Bytes that may come out for each that went in."""
GZIP = 16 + zlib.MAX_WBITS
CUT_OFF = "ends in the middle. Pack it, and send it, again"


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits of an archive and its content."""

    bytes: int = MAX_BYTES
    """In all files together."""
    members: int = MAX_MEMBERS
    """Files and folders, those included that are only in the way of a file."""
    levels: int = MAX_LEVELS
    """Folders within each other."""
    ratio: int = MAX_RATIO


class GzipStream:
    """The bytes that come out of gzip, counted."""

    def __init__(self, packed: BinaryIO, limits: ArchiveLimits) -> None:
        """
        Begin to read.

        Args:
            packed: The archive.
            limits: Of what may come out.
        """
        self._packed = packed
        self._limits = limits
        self._inflate = zlib.decompressobj(GZIP)
        self._came_in = self._came_out = 0
        self._ready = b""
        self._taken = 0
        """Bytes of `_ready` that have been given already: cutting them off each time would copy the others."""

    def take(self, count: int) -> bytes:
        """
        Give the next *count* bytes.

        Raises:
            BotRejected: If there are fewer, or the whole stream has become larger than allowed.
        """
        while len(self._ready) - self._taken < count:
            more = self._more()
            if not more:
                raise refused(CUT_OFF)
            self._ready = self._ready[self._taken :] + more
            self._taken = 0
        start, self._taken = self._taken, self._taken + count
        return self._ready[start : self._taken]

    def check_end(self) -> None:
        """Make sure that nothing but padding follows, and that what came out has the checksum that gzip gave it."""
        while more := self._ready[self._taken :] or self._more():
            if more.strip(b"\0"):
                raise refused("has data after its end")
            self._ready = b""
            self._taken = 0
        if not self._inflate.eof:
            raise refused(CUT_OFF)
        if self._inflate.unused_data or self._packed.read(1):
            raise refused("has data after its end")

    def chunks(self, size: int) -> Iterator[bytes]:
        """Give *size* bytes, in chunks."""
        while size > 0:
            piece = self.take(min(size, CHUNK))
            size -= len(piece)
            yield piece

    def _more(self) -> bytes:
        try:
            while not self._inflate.eof:
                fresh = self._inflate.unconsumed_tail
                if not fresh:
                    fresh = self._packed.read(CHUNK)
                    self._came_in += len(fresh)
                out = self._inflate.decompress(fresh, CHUNK)
                if out:
                    return self._counted(out)
                if not fresh:
                    return b""
        except zlib.error:
            raise refused("is not packed with gzip, or is damaged") from None
        return b""

    def _counted(self, out: bytes) -> bytes:
        self._came_out += len(out)
        # Headers and padding: a block and a half for each member, and what rounds a file up.
        if self._came_out > self._limits.bytes + self._limits.members * 4 * BLOCK:
            raise refused(f"holds more than {self._limits.bytes:,} bytes, which is the limit")
        if self._came_out > FREE_BYTES and self._came_out > self._came_in * self._limits.ratio:
            raise refused(f"unpacks to more than {self._limits.ratio} times its size")
        return out


REFUSED = "What was uploaded is not taken: the archive {why}."


def refused(why: str) -> BotRejected:
    """Make the error for an archive that is refused."""
    return BotRejected(REFUSED.format(why=why))


LONG_HEADER = 16 * 1024
"""The most bytes of a header that says more of the next member than a block has room for."""
HEADERS_EACH = 3
"""Headers for each member that may be there: its own, and two that say more of it."""
PAX, GLOBAL_PAX, GNU_NAME = b"x", b"g", b"L"
FILES = (tarfile.REGTYPE, tarfile.AREGTYPE)
KINDS = {
    tarfile.LNKTYPE: "a link",
    tarfile.SYMTYPE: "a link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe",
}


def unpack(packed: BinaryIO, folder: Path, limits: ArchiveLimits | None = None) -> None:
    """
    Unpack an archive to a folder, which is made; if anything is wrong with it, nothing is left.

    Args:
        packed: The archive.
        folder: Where to; it must not be there.
        limits: Of the archive and its content.

    Raises:
        BotRejected: If it is no such archive, holds what is not taken, or too much.
        OSError: If there is no room.
    """
    folder.mkdir(mode=0o700)
    try:
        _Unpacking(GzipStream(packed, limits or ArchiveLimits()), folder, limits or ArchiveLimits()).run()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def lift_only_folder(folder: Path) -> None:
    """
    Put what a folder's only folder holds into its place, if there is nothing beside it.

    `tar czf bot.tar.gz mybot` packs the folder of a bot, and not what is in it.

    Raises:
        OSError: If that cannot be.
    """
    inside = list(folder.iterdir())
    if len(inside) == 1 and inside[0].is_dir():
        lifted = inside[0].rename(folder.with_name(f".{folder.name}"))
        folder.rmdir()
        lifted.rename(folder)


class _Unpacking:
    """Member by member from the archive to the folder."""

    def __init__(self, source: GzipStream, folder: Path, limits: ArchiveLimits) -> None:
        self._source = source
        self._folder = folder
        self._limits = limits
        self._seen: dict[str, bool] = {}
        """Paths that are there, and whether they are folders."""
        self._bytes = self._headers = self._header_bytes = 0

    def run(self) -> None:
        """Unpack all of it."""
        name: str | None = None
        while (header := self._header()) is not None:
            if header.type in (PAX, GLOBAL_PAX, GNU_NAME):
                long_name = self._long_name(header)
                name = long_name if header.type != GLOBAL_PAX else name
                continue
            self._member(header, header.name if name is None else name)
            name = None
        self._source.check_end()
        if not self._seen:
            raise refused("is empty")

    def _header(self) -> tarfile.TarInfo | None:
        block = self._source.take(BLOCK)
        if not block.strip(b"\0"):
            return None
        self._headers += 1
        if self._headers > self._limits.members * HEADERS_EACH:  # those of one folder again and again, too
            raise self._too_many()
        try:
            return tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        except (tarfile.HeaderError, ValueError):  # ValueError: a name that is not UTF-8
            raise refused("is not a tar archive, or has a name that is not UTF-8") from None

    def _long_name(self, header: tarfile.TarInfo) -> str | None:
        """Give the name that a longer header gives the next member; None if it gives none."""
        self._header_bytes += max(0, header.size)
        if not 0 <= header.size <= LONG_HEADER or self._header_bytes > self._limits.members * MAX_NAME:
            raise refused("has a header that is too long")
        body = self._padded(header.size)
        try:
            if header.type == GNU_NAME:
                return body.rstrip(b"\0").decode()
            return _pax(body).get("path")
        except ValueError:
            raise refused("has a header that makes no sense") from None

    def _padded(self, size: int) -> bytes:
        body = b"".join(self._source.chunks(size))
        self._source.take(-size % BLOCK)
        return body

    def _member(self, header: tarfile.TarInfo, name: str) -> None:
        parts = self._parts(name)
        is_folder = header.type == tarfile.DIRTYPE
        if not is_folder and header.type not in FILES:
            what = KINDS.get(header.type, "neither a file nor a folder")
            raise refused(f"holds {what}, {name[:80]!r}. Put a copy of the file in its place, or leave it out")
        if header.size < 0 or (is_folder and header.size):
            raise refused("has a header that makes no sense")
        if not parts and not is_folder:
            raise refused("has a file without a name")
        for count in range(1, len(parts)):
            self._add_folder(parts[:count])
        if not is_folder:
            self._add_file(parts, header)
        elif parts:  # else it is the folder itself
            self._add_folder(parts)

    def _parts(self, name: str) -> list[str]:
        if len(name.encode()) > MAX_NAME:
            raise refused(f"has a path of more than {MAX_NAME} bytes, which begins with {name[:40]!r}")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if name.startswith("/") or ".." in parts or "\0" in name or "\\" in name or not name.isprintable():
            raise refused(f"has a name that leads out of its folder, or cannot be printed: {name[:80]!r}")
        if any(len(part.encode()) > 255 for part in parts):
            raise refused(f"has a name of more than 255 bytes, which begins with {name[:40]!r}")
        if len(parts) > self._limits.levels:
            raise refused(f"has more than {self._limits.levels} folders within each other")
        return parts

    def _add_folder(self, parts: list[str]) -> None:
        path = "/".join(parts)
        if path not in self._seen:
            self._add(path, is_folder=True)
            (self._folder / path).mkdir(mode=0o700)
        elif not self._seen[path]:
            raise refused(f"has two things of one name, {path!r}")

    def _add_file(self, parts: list[str], header: tarfile.TarInfo) -> None:
        path = "/".join(parts)
        if path in self._seen:
            raise refused(f"has two things of one name, {path!r}")
        self._add(path, is_folder=False)
        self._bytes += header.size
        if self._bytes > self._limits.bytes:
            raise refused(f"holds more than {self._limits.bytes:,} bytes, which is the limit, at {path!r}")
        mode = 0o700 if header.mode & 0o100 else 0o600
        number = os.open(self._folder / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        with open(number, "wb") as file:
            file.writelines(self._source.chunks(header.size))
        self._source.take(-header.size % BLOCK)

    def _add(self, path: str, *, is_folder: bool) -> None:
        self._seen[path] = is_folder
        if len(self._seen) > self._limits.members:
            raise self._too_many()

    def _too_many(self) -> BotRejected:
        return refused(f"has more than {self._limits.members:,} files and folders")


def _pax(body: bytes) -> dict[str, str]:
    r"""
    Read an extended header of a tar archive (POSIX.1-2001, pax): lines of ``LENGTH KEYWORD=VALUE``.

    >>> _pax(b"13 path=ab/c\n")
    {'path': 'ab/c'}

    Raises:
        ValueError: If it is none.
    """
    found, at = {}, 0
    while at < len(body):
        space = body.index(b" ", at, at + 8)
        end = at + int(body[at:space])
        if not space < end <= len(body) or body[end - 1 : end] != b"\n":
            raise ValueError("a line is cut off")
        keyword, equals, value = body[space + 1 : end - 1].decode().partition("=")
        if not equals:
            raise ValueError("a line has no value")
        found[keyword] = value
        at = end
    if any(keyword in ("size", "linkpath") or keyword.startswith("GNU.sparse") for keyword in found):
        raise ValueError("it changes what the block says")
    return found

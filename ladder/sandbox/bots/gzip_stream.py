"""Content of an archive that a stranger packed with gzip: counted in bytes, whatever headers say."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from ladder.errors import BotRejected
from ladder.sandbox.bots.members import MAX_BYTES, MAX_LEVELS, MAX_MEMBERS

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def refused(why: str) -> BotRejected:
    """Make the error for an archive that is refused."""
    return BotRejected(f"What was uploaded is not taken: the archive {why}.")

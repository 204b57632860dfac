"""
Lines in gzip: every line is a member of its own, so that a file cut off anywhere can be read up to its last whole line,
and can be continued.

Any gzip reads such a file. The extra field of a member's header, which others skip, holds the length and the SHA-256 of
what follows: gzip's own checksum covers the text only, and there are many ways to pack the same text.
"""

from __future__ import annotations

import hashlib
import zlib
from typing import BinaryIO

from referee.records.errors import RecordCut, RecordError
from referee.records.limits import LINE_BYTES

_FIXED = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff" + (40).to_bytes(2, "little") + b"PP" + (36).to_bytes(2, "little")
"""Deflate, with an extra field, no time, no system; the extra field: 40 bytes, one part called PP of 36 bytes."""
_LENGTH_BYTES = 4
HEADER_BYTES = len(_FIXED) + _LENGTH_BYTES + hashlib.sha256().digest_size
_RAW_DEFLATE = -15
_TAIL_BYTES = 8
"""Behind the packed text: its CRC-32 and its length."""
_BODY_BYTES = LINE_BYTES + 1024
"""The most that a line takes packed: deflate adds a few bytes to what it cannot make shorter."""
TOO_LONG = f"it is longer than {LINE_BYTES:,} bytes, the most for a line"
NOT_OURS = "it is not packed as Pigpen packs a line"


def pack(line: bytes) -> bytes:
    """Pack *line* into one member."""
    packer = zlib.compressobj(wbits=_RAW_DEFLATE)
    numbers = (zlib.crc32(line), len(line))
    body = packer.compress(line) + packer.flush() + b"".join(number.to_bytes(4, "little") for number in numbers)
    return _FIXED + len(body).to_bytes(_LENGTH_BYTES, "little") + hashlib.sha256(body).digest() + body


def is_packed(start: bytes) -> bool:
    """Tell whether a file that begins with *start* was made by `pack`."""
    return start.startswith(_FIXED)


def read_member(file: BinaryIO) -> bytes:
    """
    Read the next member and unpack it; nothing at the end of the file.

    Raises:
        RecordCut: If the file ends in the middle of it.
        RecordError: If it is not as `pack` makes it, or longer than a line can be.
    """
    header = file.read(HEADER_BYTES)
    if not header:
        return b""
    if not _FIXED.startswith(header[: len(_FIXED)]):
        raise RecordError(NOT_OURS)
    length = int.from_bytes(header[len(_FIXED) : len(_FIXED) + _LENGTH_BYTES], "little")
    if length > _BODY_BYTES:
        raise RecordError(TOO_LONG)
    body = file.read(length)
    if len(header) < HEADER_BYTES or len(body) < length:
        raise RecordCut("the file is cut off in the middle of it")
    if hashlib.sha256(body).digest() != header[-32:]:
        raise RecordError("its bytes in the file have been changed")
    return _unpack(body)


def _unpack(body: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=_RAW_DEFLATE)
    try:
        line = unpacker.decompress(body[:-_TAIL_BYTES], LINE_BYTES)
    except zlib.error as error:
        raise RecordError(f"it cannot be unpacked: {error}") from None
    if unpacker.unconsumed_tail:
        raise RecordError(TOO_LONG)
    numbers = b"".join(number.to_bytes(4, "little") for number in (zlib.crc32(line), len(line)))
    if not unpacker.eof or unpacker.unused_data or body[-_TAIL_BYTES:] != numbers:
        raise RecordError(NOT_OURS)
    return line

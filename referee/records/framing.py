"""
Framing of a record's lines: errors, limits of size, the hash chain and gzip members.

The errors in the file of a record:

RecordError          it is no record, or cannot be read or written
├── RecordCut        it ends in the middle of a line: its writer was stopped
├── RecordTooLarge   it has more lines, or more bytes, than any match gives
└── RecordDiffers    a line says something else than what follows from the seed and the bots' answers

Each limit is far above what a match gives, so that reading a file of any content is bounded. The longest matches that
are played here, 10,000 deals, or 1,000 boards at 8 seats, give 10,002 lines and 45 MB. A deal of 52 cards at 8 seats
has 69 steps: 8 passes, 8 exposures, 52 cards and a moon choice. Such a line has less than 10 KB.

In the chain each line ends in a hash of itself and of the hash before it (docs/records.md). A line is a JSON object
whose last key is ``chain``. What is hashed is the line without that key, byte for byte, so that any language can check
it without writing JSON.

In gzip every line is a member of its own, so that a file cut off anywhere can be read up to its last whole line, and
can be continued. Any gzip reads such a file. The extra field of a member's header, which others skip, holds the length
and the SHA-256 of what follows: gzip's own checksum covers the text only, and there are many ways to pack the same
text.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from typing import BinaryIO

from pigpen.rules.errors import PigpenError

MAX_SHOWN = 80
"""Characters of foreign text that a message repeats at most."""


def shortened(text: str, most: int = MAX_SHOWN) -> str:
    """Cut *text* to its beginning, if it is long."""
    return text if len(text) <= most else f"{text[:most]}…"


class RecordError(PigpenError):
    """The file holds no record, or it cannot be read or written; the message says why."""

    exit_code = 2


class RecordCut(RecordError):
    """The file ends in the middle of a line; what stands before that is whole."""


class RecordTooLarge(RecordError):
    """The file is larger than a record can be (referee/records/framing.py); the message names the limit."""


class RecordDiffers(RecordError):
    """A line is not the one that the referee would have written; the message says where, and how it differs."""


MAX_LINES = 100_000
"""The most lines of a record, the first and the last one among them."""
MAX_BYTES = 512 * 1024**2
"""The most bytes of a record, unpacked."""
LINE_BYTES = 1024**2
"""The most bytes of a line, unpacked, with its line break."""
MAX_DEALS = MAX_LINES - 2
"""The most deals of a match that is recorded."""
MAX_STEPS = 100
"""The most steps of a deal."""
MAX_SEATS = 8
"""The most seats of a table: no rules have more."""
MAX_LEVELS = 200
"""Levels to which lists and objects can be nested in a line at most: the limit of pydantic's JSON parser."""
MAX_DIGITS = 200
"""The most digits of a whole number in a line: Python refuses to write numbers of more than 4,300."""
MAX_SECONDS = 1e9
"""The longest time in a record: 31 years."""


START = ""
"""The hash before the first line: none."""
_LINE = re.compile(rb'(?s)(.*),"chain":"([0-9a-f]{64})"\}')


def link(text: bytes, before: str) -> str:
    """Hash the line *text* (a JSON object without the key ``chain``), given the hash *before* it."""
    return hashlib.sha256(before.encode("ascii") + text).hexdigest()


def chained(text: bytes, before: str) -> tuple[bytes, str]:
    """Give the line as it stands in the file, without the line break, and its hash, for the next line."""
    own = link(text, before)
    return text[:-1] + b',"chain":"' + own.encode("ascii") + b'"}', own


def unchained(line: bytes, before: str) -> tuple[bytes, str]:
    """
    Undo `chained`.

    Raises:
        RecordError: If the line has no hash, or one that does not fit.
    """
    found = _LINE.fullmatch(line)
    if not found:
        raise RecordError("it does not end in its chain: it is no line of a record")
    text, own = found[1] + b"}", found[2].decode("ascii")
    if link(text, before) != own:
        raise RecordError("its chain does not fit: this line has been changed, or the one before it is another")
    return text, own


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

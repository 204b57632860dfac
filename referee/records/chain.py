"""
The hash chain of a record: each line ends in a hash of itself and of the hash before it (docs/records.md).

A line is a JSON object whose last key is ``chain``. What is hashed is the line without that key, byte for byte, so
that any language can check it without writing JSON.
"""

from __future__ import annotations

import hashlib
import re

from referee.records.errors import RecordError

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

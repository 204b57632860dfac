"""
Errors in the file of a record.

RecordError          it is no record, or cannot be read or written
├── RecordCut        it ends in the middle of a line: its writer was stopped
├── RecordTooLarge   it has more lines, or more bytes, than any match gives
└── RecordDiffers    a line says something else than what follows from the seed and the bots' answers
"""

from __future__ import annotations

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
    """The file is larger than a record can be (referee/records/limits.py); the message names the limit."""


class RecordDiffers(RecordError):
    """A line is not the one that the referee would have written; the message says where, and how it differs."""

"""
What can be wrong with the file of a record.

RecordError          it is no record, or cannot be read or written
├── RecordCut        it ends in the middle of a line: whoever wrote it was stopped
└── RecordDiffers    a line says something else than what follows from the seed and the bots' answers
"""

from __future__ import annotations


class RecordError(Exception):
    """The file holds no record, or it cannot be read or written; the message says why."""


class RecordCut(RecordError):
    """The file ends in the middle of a line; what stands before that is whole."""


class RecordDiffers(RecordError):
    """A line is not the one that the referee would have written; the message says where, and how it differs."""

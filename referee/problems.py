"""
What can be wrong with the file of a record.

RecordError          it is no record, or cannot be read or written
└── RecordCut        it ends in the middle of a line: whoever wrote it was stopped
"""

from __future__ import annotations


class RecordError(Exception):
    """The file holds no record, or it cannot be read or written; the message says why."""


class RecordCut(RecordError):
    """The file ends in the middle of a line; what stands before that is whole."""

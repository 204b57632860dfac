"""
What can be wrong with a ladder's database or with what is asked of it.

LadderError   what was asked for cannot be done (exit code 2)
StoreError    the database failed: nobody's mistake, and it may work again by itself (exit code 3)
"""

from __future__ import annotations


class LadderError(Exception):
    """Something that was asked of the ladder cannot be done; the message names it and the way out (exit code 2)."""


class StoreError(Exception):
    """The ladder's database does not answer, is full, or is held by another program; nothing was written."""

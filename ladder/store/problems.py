"""What can be wrong with a ladder's database or with what is asked of it."""

from __future__ import annotations


class LadderError(Exception):
    """Something that was asked of the ladder cannot be done; the message names it and the way out (exit code 2)."""

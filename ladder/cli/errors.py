"""Mistakes of the user's."""

from __future__ import annotations


class UserError(Exception):
    """Something that was asked for makes no sense; the message names it and the way out."""

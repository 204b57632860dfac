"""Announcements of the organiser."""

from __future__ import annotations

from ladder.values.value import Time, Value

MAX_TITLE = 100
"""Characters of the title of an announcement."""
MAX_TEXT = 4000
"""Characters of its text."""


class AnnouncementRow(Value):
    """An announcement."""

    number: int
    """In its address: `/announcements#17`."""
    at: Time
    title: str
    text: str
    """In Markdown; may be empty."""

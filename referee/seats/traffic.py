"""Limits on messages and reconnections: a flood costs the referee time that no clock measures."""

from __future__ import annotations

MAX_UNASKED = 64
"""Messages that a seat takes in a match beyond one for each time that a question was put."""
MAX_STREAMS = 16
"""Streams that a bot may open to its seat in a match, refused ones included."""


class Traffic:
    """
    Counts the messages and streams that come to one seat, without Hellos.

    A late answer was asked for once, so an honest bot never reaches the limit, however slow it is.
    """

    def __init__(self, max_unasked: int = MAX_UNASKED, max_streams: int = MAX_STREAMS) -> None:
        self._max_unasked = max_unasked
        self._max_streams = max_streams
        self._unasked = 0
        self._streams = 0

    def question(self) -> None:
        """Note that a question is put, or put again on a new stream."""
        self._unasked -= 1

    def message(self) -> None:
        """Note that a message has come."""
        self._unasked += 1

    def stream(self) -> None:
        """Note that a stream has been opened."""
        self._streams += 1

    @property
    def excess(self) -> str:
        """The excess of the bot, in words; empty while there is none."""
        if self._unasked > self._max_unasked:
            return f"it sent more than {self._max_unasked} messages that were not asked for"
        if self._streams > self._max_streams:
            return f"it opened more than {self._max_streams} streams in one match"
        return ""

"""Answers that come in parts, from a worker that may lie."""

from __future__ import annotations

from ladder.cluster.terms import ANSWER_BYTES
from ladder.worker.channel import Frame, MessageKind

KINDS = (MessageKind.ANSWER, MessageKind.FAILURE, MessageKind.CANCELLED)
"""The kinds of messages with which a worker may answer."""


class AnswerTooLong(Exception):
    """More has come than any answer has."""


class PartedAnswer:
    """One answer, received in parts."""

    def __init__(self, token: str, max_bytes: int = ANSWER_BYTES) -> None:
        self.token = token
        """Only the worker that was asked has it."""
        self._max_bytes = max_bytes
        self._bytes = 0
        self._parts: list[bytes] = []

    def take(self, call: int, part: str, kind: str) -> Frame | None:
        """
        Take the next part.

        Args:
            call: The number for the frame.
            part: Of the text.
            kind: With the last part; empty: there are more.

        Returns:
            The whole, when the last part has come.

        Raises:
            AnswerTooLong: If that is more than an answer may have.
            ValueError: If it is no text, or of no kind that a worker may answer.
            TypeError: If it is no text.
        """
        if not isinstance(part, str) or (kind and kind not in KINDS):
            raise TypeError("It answered something that can be no answer.")
        self._parts.append(part.encode())
        self._bytes += len(self._parts[-1])
        if self._bytes > self._max_bytes:
            self._parts = []
            raise AnswerTooLong(f"Its answer is longer than {self._max_bytes >> 20} MiB.")
        if not kind:
            return None
        return Frame(MessageKind(kind), call, b"".join(self._parts).decode())

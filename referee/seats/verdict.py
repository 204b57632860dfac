"""Kinds of faults: codes for machines, texts for people."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from referee.seats.exit import Exit


class Verdict(enum.StrEnum):
    """A kind of fault."""

    TIMEOUT = "timeout"
    """The answer came after the decision's limit."""
    ILLEGAL = "illegal"
    """The answer breaks a rule of the game."""
    MALFORMED = "malformed"
    """The answer is not a message of the protocol, or of the wrong kind."""
    GONE = "gone"
    """The program ended, its stream broke and did not come back, or it was disconnected for flooding its seat."""
    ABSENT = "absent"
    """The bot did not take its seat within the start-up budget."""

    @property
    def is_final(self) -> bool:
        """True if the default policy takes the seat over at once."""
        return self in (Verdict.GONE, Verdict.ABSENT)


class SeatFailure(Exception):
    """A seat gave no usable answer."""

    def __init__(self, verdict: Verdict, message: str, end: Exit | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.message = message
        self.end = end
        """The end of the bot's program, where that is the reason."""


class SeatBroken(Exception):
    """The referee's own end of a seat broke. Never the bot's fault: the match is void."""


TAKEOVER_AT = 3
"""The fault in a match at which the default policy takes a seat over."""


def is_taken_over(faults: Collection[Verdict]) -> bool:
    """Tell whether the default policy plays a seat after these faults at its table."""
    return len(faults) >= TAKEOVER_AT or any(verdict.is_final for verdict in faults)

"""
Faults of bots: each kind with a code for machines and a text for people.

The end of a bot's program is told in both ways, too.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True)
class Exit:
    """The end of a program."""

    code: int
    """The exit code; 128 + the signal's number when killed."""
    oom: bool = False
    """The kernel killed it, or a child of it, for memory."""

    def __str__(self) -> str:
        """Give it as a sentence about the bot."""
        if self.oom:
            return "it ran out of memory"
        hint = "; did it call pigpen.run?" if self.code == 0 else ""
        return f"its program ended with exit code {self.code}{hint}"


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

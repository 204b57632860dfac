"""How long a seat waits for its bot where the clock of the match does not run."""

from __future__ import annotations

from dataclasses import dataclass

from referee.seats.clock import NOTICE_SECONDS
from referee.seats.reconnect_window import RECONNECT_SECONDS


@dataclass(frozen=True)
class Deadlines:
    """Seconds of wall time."""

    hello: float = 5.0
    """How long a new stream may stay without its Hello."""
    notice: float = NOTICE_SECONDS
    """How long a notice may wait for a bot that does not read."""
    reconnect: float = RECONNECT_SECONDS
    """How long a bot that lost its stream may take to come back."""
    farewell: float = 1.0
    """How long the end of a stream may take to reach the bot."""


DEADLINES = Deadlines()
"""Of every match."""

"""Time limits of a seat's waits for its bot while the clock of the match does not run."""

from __future__ import annotations

from dataclasses import dataclass

from referee.seats.clock import NOTICE_SECONDS
from referee.seats.reconnect_window import RECONNECT_SECONDS


@dataclass(frozen=True)
class Deadlines:
    """Seconds of wall time."""

    hello: float = 5.0
    """Seconds that a new stream may stay without its Hello."""
    notice: float = NOTICE_SECONDS
    """Seconds that a notice may wait for a bot that does not read."""
    reconnect: float = RECONNECT_SECONDS
    """Seconds that a bot that lost its stream may take to come back."""
    farewell: float = 1.0
    """Seconds that the end of a stream may take to reach the bot."""


DEADLINES = Deadlines()
"""Of every match."""

"""Time limits of a seat's waits for its bot while the clock of the match does not run."""

from __future__ import annotations

from dataclasses import dataclass

from referee.seats.clock import NOTICE_SECONDS
from referee.seats.reconnect_window import RECONNECT_SECONDS

HELLO_SECONDS = 5.0
"""Seconds that a new stream may stay without its Hello; then it ends, and the bot may begin another one."""
FAREWELL_SECONDS = 1.0
"""Seconds that the end of a stream may take to reach the bot."""


@dataclass(frozen=True)
class Deadlines:
    """Seconds of wall time."""

    hello: float = HELLO_SECONDS
    """`HELLO_SECONDS`."""
    notice: float = NOTICE_SECONDS
    """Seconds that a notice may wait for a bot that does not read."""
    reconnect: float = RECONNECT_SECONDS
    """Seconds that a bot that lost its stream may take to come back."""
    farewell: float = FAREWELL_SECONDS
    """`FAREWELL_SECONDS`."""


DEADLINES = Deadlines()
"""Of every match."""

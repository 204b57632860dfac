"""House bots at a table with people: each in a process of its own, with limits, that every table can do without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.sandbox.process.limits import ProcessLimits
from referee.seats.clock import Stopwatch
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from pigpen.rules import Action
    from pigpen.values.notices import Welcome
    from pigpen.values.view import View

HOUSE_SECONDS = 10.0
"""Seconds of wall time after which a house bot is late; it aims at a quarter of a second at most."""
START_SECONDS = 60.0
"""So long it may take until a house bot has its seat; it takes some tens of milliseconds."""
HOUSE_LIMITS = ProcessLimits(memory_bytes=512 * 1024 * 1024, niceness=5)
"""
Of each house bot's process. It asks for 200 MB at most, of which 15 MB are its own: the rest is the stacks of gRPC's
threads, which nobody touches, and what it shares with the process that has forked it.
"""


async def _let_run() -> None:
    """Stop nothing."""


class HouseSeat(StreamSeat):
    """
    The seat of a house bot.

    The bot is trusted, so no clock of the match runs against it: only one that is as late as no honest one is has a
    fault. Its program is then stopped, because it would go on with that decision during the next ones.

    Attributes:
        stop_program: Stops the bot's program.
    """

    def __init__(self, socket: Path, token: str) -> None:
        super().__init__(socket, token)
        self.stop_program: Callable[[], Awaitable[None]] = _let_run

    async def welcome(self, welcome: Welcome) -> None:
        """Wait for the bot to take its seat; a busy machine may take long for that."""
        await super().welcome(replace(welcome, clock=replace(welcome.clock, start_up=START_SECONDS)))

    async def ask(self, view: View, watch: Stopwatch, took: float) -> Action:
        """Ask the bot; *watch* is stopped at once."""
        watch.stop()
        try:
            return await super().ask(view, Stopwatch(HOUSE_SECONDS), took)
        except SeatFailure as failure:
            if failure.verdict is Verdict.TIMEOUT:
                await self.stop_program()
            raise

"""House bots at a table with people: in a process of their own for each table, with limits."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.people.playing.house_program.bot import SEATS
from ladder.sandbox.host.scratch import disk_errors
from ladder.sandbox.process.limits import ProcessLimits
from referee.seats.clock import Stopwatch
from referee.seats.stream_seat import StreamSeat
from referee.seats.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from ladder.sandbox.bots.bot_source import BotSource
    from pigpen.rules import Action
    from pigpen.values.notices import Welcome
    from pigpen.values.view import View
    from referee.seats.fair_wait import Witness
    from referee.seats.process_controller import ProcessController
    from referee.seats.verdict import Exit

HOUSE_SECONDS = 10.0
"""Seconds of wall time after which a house bot is late; it aims at a quarter of a second at most."""
START_SECONDS = 60.0
"""Seconds that a house bot may take to get its seat; it takes some tens of milliseconds."""
HOUSE_LIMITS = ProcessLimits(memory_bytes=512 * 1024 * 1024, niceness=5)
"""Of the process of one table. It asks for some 80 MB, of which it uses 10: the rest are stacks of gRPC's threads."""


async def _let_run() -> None:
    """Stop nothing."""


class HouseSeat(StreamSeat):
    """
    The seat of a house bot.

    The bot is trusted, so no clock of the match runs against it: it has a fault only if it is later than any honest bot
    can be. Its program is then stopped, because it would still work on that decision during the next ones.

    Attributes:
        stop_program: Stops the program, and with it all house bots of the table.
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


class HouseSeats:
    """
    The seats of all house bots of a table, as `ladder.matches.play.SeatedBot` has the seat of one bot: one program
    takes them all (`ladder.people.playing.house_program`).

    Attributes:
        seats: The seats, in the order of the bots.
    """

    def __init__(self, bots: Sequence[BotSource], socket: Path, token: str) -> None:
        self._bots = bots
        self._folder = socket.parent
        self._token = token
        self.seats = [HouseSeat(path, token) for path in self._sockets()]

    async def listen(self) -> None:
        """Open all seats, and say where they are."""
        named = zip(self._bots, self._sockets(), strict=True)
        seats = [
            {
                "file": str(bot.folder and bot.folder / "bot.py"),
                "name": bot.name,
                "address": f"unix:{path}",
                "token": self._token,
            }
            for bot, path in named
        ]
        with disk_errors(self._folder):
            (self._folder / SEATS).write_text(json.dumps(seats), encoding="utf-8")
        for seat in self.seats:
            await seat.listen()

    def attach_controller(self, controller: ProcessController) -> None:
        """Give all seats the controller of the program, which has started."""
        for seat in self.seats:
            seat.attach_controller(controller)

    def attach_witness(self, witness: Witness) -> None:
        """Give all seats what shows how busy the machine is while the program starts."""
        for seat in self.seats:
            seat.attach_witness(witness)

    def lose(self, reason: str, end: Exit | None = None) -> None:
        """Report to all seats that the program has ended."""
        for seat in self.seats:
            seat.lose(reason, end)

    @property
    def has_left(self) -> bool:
        """True if a bot had no stream when that was noted last, before the match was announced as over."""
        return any(seat.has_left for seat in self.seats)

    @property
    def was_taken(self) -> bool:
        """True if a bot has ever come."""
        return any(seat.was_taken for seat in self.seats)

    @property
    def is_over(self) -> bool:
        """True if the end of the match was announced to all."""
        return all(seat.is_over for seat in self.seats)

    async def close(self) -> None:
        """Close all seats."""
        await asyncio.gather(*(seat.close() for seat in self.seats))

    def _sockets(self) -> list[Path]:
        return [self._folder / f"{number}.sock" for number in range(len(self._bots))]

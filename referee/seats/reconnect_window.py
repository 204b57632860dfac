"""The way back to a seat: a socket as long as a bot is expected, and the time that it has for coming."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from referee.seats.verdict import SeatBroken, SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.seats.seat_server import SeatServer

RECONNECT_SECONDS = 3.0
"""How long a bot that lost its stream may take to come back."""


class ReconnectWindow:
    """Lets a bot in again that has lost its stream, until it is barred."""

    def __init__(
        self,
        server: SeatServer,
        give_up: Callable[[SeatFailure | SeatBroken], None],
        may_come: Callable[[], bool],
        seconds: float = RECONNECT_SECONDS,
    ) -> None:
        """
        Prepare the way back.

        Args:
            server: What makes the socket.
            give_up: Called when the bot has stayed away too long, or cannot come.
            may_come: Whether the bot is let run.
            seconds: How long it may take to come back.
        """
        self._server = server
        self._give_up = give_up
        self._may_come = may_come
        self._seconds = seconds
        self._window: asyncio.TimerHandle | None = None
        self._reopening: asyncio.Task[None] | None = None
        self._came = False
        self._barred = False
        self.is_open = False
        """Whether there is a socket again, and nobody has come to it yet."""

    def enter(self) -> None:
        """The bot has come; the socket goes, the connection stays."""
        self._came = True
        self.is_open = False
        self.expect()
        self._server.hide()

    def renew(self, grace: float | None) -> None:
        """
        Break every connection, in the background, and make a new socket unless the door is barred.

        Args:
            grace: Seconds in which streams may end well; None: they break at once.
        """
        self._reopening = asyncio.ensure_future(self._reopen(grace, self._reopening))

    def expect(self) -> None:
        """Count the time that a bot takes to come back: while it may run, and there is a socket to come to."""
        expected = self.is_open and not self._barred and self._may_come()
        if not expected and self._window:
            self._window.cancel()
            self._window = None
        elif expected and not self._window:
            reason = f"its stream broke, and it did not come back within {self._seconds:g} s"
            self._window = asyncio.get_running_loop().call_later(self._seconds, self.stayed_away, reason)

    def stayed_away(self, reason: str) -> None:
        """Nobody came in time: the bot's fault, unless there was no socket to come to."""
        if self._server.has_socket():
            self._give_up(SeatFailure(Verdict.GONE, reason))
        else:
            self._give_up(SeatBroken(f"The socket {self._server.socket} was removed while a bot was expected there."))

    def bar(self) -> None:
        """Nobody is let in any more."""
        self._barred = True
        self.expect()

    async def settled(self) -> None:
        """Wait until nothing goes on in the background."""
        if self._reopening:
            await self._reopening

    async def _reopen(self, grace: float | None, before: asyncio.Task[None] | None) -> None:
        if before:
            await before  # two at once would leave a server behind
        await self._server.stop(grace)
        if self._barred:
            return
        self._came = False
        try:
            await self._server.listen()
        except SeatBroken as broken:
            self._give_up(broken)
        else:
            self.is_open = not self._came
            self.expect()

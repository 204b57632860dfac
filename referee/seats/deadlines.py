"""
Time limits of a seat's waits for its bot while the clock of the match does not run.

One of them is for reconnection: the seat has a socket while its bot is expected, and the bot has limited time to come
back.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.seats.clock import NOTICE_SECONDS
from referee.seats.verdict import SeatBroken, SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.seats.seat_server import SeatServer

RECONNECT_SECONDS = 3.0
"""Seconds that a bot that lost its stream may take to come back."""


class ReconnectWindow:
    """Lets a bot connect again that has lost its stream, until the window is closed."""

    def __init__(
        self,
        server: SeatServer,
        give_up: Callable[[SeatFailure | SeatBroken], None],
        may_run: Callable[[], bool],
        seconds: float = RECONNECT_SECONDS,
    ) -> None:
        """
        Prepare; nothing is opened yet.

        Args:
            server: Makes the socket.
            give_up: Called when the bot did not come back in time, or cannot come back.
            may_run: Whether the bot's program may run now: only then does its time for coming back count.
            seconds: How long it may take to come back.
        """
        self._server = server
        self._give_up = give_up
        self._may_run = may_run
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None
        self._restart: asyncio.Task[None] | None = None
        self._has_connected = False
        self._is_closed = False
        self.is_open = False
        """True while there is a socket again, and no bot has connected to it yet."""

    def connected(self) -> None:
        """Note that the bot has connected: remove the socket, keep the connection."""
        self._has_connected = True
        self.is_open = False
        self.update_timer()
        self._server.hide()

    def restart(self, grace: float | None) -> None:
        """
        Break every connection, in the background, and make a new socket unless the window is closed.

        Args:
            grace: Seconds in which streams may end well; None: they break at once.
        """
        self._restart = asyncio.ensure_future(self._restart_server(grace, self._restart))

    def update_timer(self) -> None:
        """Start or stop the time for coming back: it runs while there is a socket and the bot's program may run."""
        expected = self.is_open and not self._is_closed and self._may_run()
        if not expected and self._timer:
            self._timer.cancel()
            self._timer = None
        elif expected and not self._timer:
            reason = f"its stream broke, and it did not come back within {self._seconds:g} s"
            self._timer = asyncio.get_running_loop().call_later(self._seconds, self.timed_out, reason)

    def timed_out(self, reason: str) -> None:
        """Note that no bot has connected in time: the bot's fault, unless there was no socket."""
        if self._server.has_socket():
            self._give_up(SeatFailure(Verdict.GONE, reason))
        else:
            self._give_up(SeatBroken(self._server.removal_message))

    def close(self) -> None:
        """Accept no bot any more."""
        self._is_closed = True
        self.update_timer()

    async def wait_for_restart(self) -> None:
        """Wait until no restart is under way."""
        if self._restart:
            await self._restart

    async def _restart_server(self, grace: float | None, before: asyncio.Task[None] | None) -> None:
        if before:
            await before  # two at once would leave a server behind
        await self._server.stop(grace)
        if self._is_closed:
            return
        self._has_connected = False
        try:
            await self._server.listen()
        except SeatBroken as broken:
            self._give_up(broken)
        else:
            self.is_open = not self._has_connected
            self.update_timer()


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

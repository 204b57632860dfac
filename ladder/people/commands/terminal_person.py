"""A person at this terminal: the keys change the state of the screen, which is drawn; a client plays the seat."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from rich.console import Group
from rich.control import Control

from ladder.errors import SandboxError
from ladder.people.commands.screen_state import ScreenState
from ladder.people.commands.table_screen import table_screen
from ladder.people.seat.seat_client import PersonClient
from ladder.terminal.keys import SUSPEND, key_by_key, read_keys
from ladder.terminal.sanitize import folded
from pigpen.client import Refused, Unreachable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from rich.console import Console
    from rich.text import Text


class TerminalPerson:
    """
    Brings the person at a terminal to its seats.

    Attributes:
        left: Set when the person has left the match, or the terminal is gone.
    """

    def __init__(self, console: Console, descriptor: int, pace: float, *, has_tables: bool) -> None:
        """
        Prepare.

        Args:
            console: Where the table is drawn.
            descriptor: Where the keys are read.
            pace: Seconds that a card is shown before the next one.
            has_tables: Whether the match is played at several tables.
        """
        self.left = asyncio.Event()
        self._console = console
        self._descriptor = descriptor
        self._pace = pace
        self._has_tables = has_tables

    @asynccontextmanager
    async def sit(self, table: int, address: str, token: str) -> AsyncIterator[None]:
        """
        Show a table until it has been played and looked at.

        Raises:
            SandboxError: If the referee of this very process cannot be reached.
        """
        state = ScreenState(self._pace, has_tables=self._has_tables)
        state.tracker.seat = client = PersonClient(state.tracker, address, token)
        playing = asyncio.ensure_future(client.play_match())
        showing = asyncio.ensure_future(self._show(state))
        try:
            yield
            try:
                await playing
            except (Refused, Unreachable) as error:
                raise SandboxError(str(error)) from error
            await showing
        finally:
            for task in (playing, showing):
                task.cancel()
                with suppress(asyncio.CancelledError, Refused, Unreachable):
                    await task

    async def _show(self, state: ScreenState) -> None:
        while await self._look(state):
            os.kill(os.getpid(), signal.SIGTSTP)
        if state.has_left:
            self.left.set()

    async def _look(self, state: ScreenState) -> bool:
        """Show the table until there is nothing more to look at, and say whether to stop for Ctrl-Z instead."""
        loop, wake, suspended = asyncio.get_running_loop(), asyncio.Event(), False

        def read() -> None:
            nonlocal suspended
            for key in read_keys(self._descriptor):
                suspended |= key == SUSPEND
                state.press(key)
            wake.set()

        state.wake = wake.set
        with key_by_key(self._descriptor), self._console.screen() as display:
            loop.add_reader(self._descriptor, read)
            loop.add_signal_handler(signal.SIGWINCH, wake.set)
            try:
                while not (state.is_done or suspended):
                    wake.clear()
                    seconds = state.advance()
                    with self._console:  # in one go
                        self._console.control(Control.home())
                        display.update(Group(*self._lines(state)))
                    with suppress(TimeoutError):
                        await asyncio.wait_for(wake.wait(), seconds)
            finally:
                loop.remove_reader(self._descriptor)
                loop.remove_signal_handler(signal.SIGWINCH)
        return suspended and not state.is_done

    def _lines(self, state: ScreenState) -> Iterator[Text]:
        width, height = self._console.size
        for line in table_screen(state, width, height):
            line.plain = folded(line.plain, self._console.encoding)
            line.no_wrap, line.overflow = True, "crop"
            yield line

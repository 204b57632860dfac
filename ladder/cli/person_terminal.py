"""A person at this terminal: the keys go to the desk, the desk is drawn, a client plays the seat."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from rich.console import Group
from rich.control import Control

from ladder.cli.keys import SUSPEND, key_by_key, read_keys
from ladder.cli.person_desk import Desk
from ladder.cli.person_screen import table_screen
from ladder.cli.replay_words import folded
from ladder.errors import SandboxError
from ladder.person.client import PersonClient
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

    def __init__(self, console: Console, descriptor: int, pace: float) -> None:
        """
        Prepare.

        Args:
            console: Where the table is drawn.
            descriptor: Where the keys are read.
            pace: Seconds that a card is shown before the next one.
        """
        self.left = asyncio.Event()
        self._console = console
        self._descriptor = descriptor
        self._pace = pace

    @asynccontextmanager
    async def sit(self, table: int, address: str, token: str) -> AsyncIterator[None]:
        """
        Show a table until it has been played and looked at.

        Raises:
            SandboxError: If the referee of this very process cannot be reached.
        """
        desk = Desk(self._pace)
        desk.seat = client = PersonClient(desk, address, token)
        playing = asyncio.ensure_future(client.play_match())
        showing = asyncio.ensure_future(self._show(desk))
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

    async def _show(self, desk: Desk) -> None:
        while await self._look(desk):
            os.kill(os.getpid(), signal.SIGTSTP)
        if desk.has_left:
            self.left.set()

    async def _look(self, desk: Desk) -> bool:
        """Show the table until there is nothing more to look at, and say whether to stop for Ctrl-Z instead."""
        loop, wake, suspended = asyncio.get_running_loop(), asyncio.Event(), False

        def read() -> None:
            nonlocal suspended
            for key in read_keys(self._descriptor):
                suspended |= key == SUSPEND
                desk.press(key)
            wake.set()

        desk.wake = wake.set
        with key_by_key(self._descriptor), self._console.screen() as display:
            loop.add_reader(self._descriptor, read)
            loop.add_signal_handler(signal.SIGWINCH, wake.set)
            try:
                while not (desk.is_done or suspended):
                    wake.clear()
                    seconds = desk.advance()
                    with self._console:  # in one go
                        self._console.control(Control.home())
                        display.update(Group(*self._lines(desk)))
                    with suppress(TimeoutError):
                        await asyncio.wait_for(wake.wait(), seconds)
            finally:
                loop.remove_reader(self._descriptor)
                loop.remove_signal_handler(signal.SIGWINCH)
        return suspended and not desk.is_done

    def _lines(self, desk: Desk) -> Iterator[Text]:
        width, height = self._console.size
        for line in table_screen(desk, width, height):
            line.plain = folded(line.plain, self._console.encoding)
            line.no_wrap, line.overflow = True, "crop"
            yield line

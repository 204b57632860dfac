"""Presence of a person at the table, and of a look at the end of the last deal."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


AWAY_SECONDS = 1.0
"""Seconds that each decision of a person who is away waits, so that there is a next one when it comes back."""


class PersonAway(Exception):
    """A person who was asked has left: the default action is played, and that is no fault."""


class Presence:
    """
    Presence of a person at the table.

    A person is away after saying so, after too many faults in a row, or because the connection is lost. Only in the
    last case a new connection is enough to be back; otherwise the person must say so.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None, wait: float = AWAY_SECONDS) -> None:
        """
        Begin with the person at the table.

        Args:
            changed: Is called when the person leaves or comes back.
            wait: Seconds that a decision waits at most for a person who is away; infinite: until the person is back.
        """
        self._changed = changed
        self.wait = wait
        self._is_lost = False
        self._shown = self._looked_at = -1
        self._moved = asyncio.Event()
        self.is_away = False

    @property
    def is_waited_for(self) -> bool:
        """True if nothing is decided for the person: the table waits until it is back."""
        return math.isinf(self.wait)

    def leave(self) -> None:
        """Note that the person is away until it says that it is back."""
        self._is_lost = False
        self._set(is_away=True)

    def lose(self) -> None:
        """Note that the connection is lost: the person is away until there is another one."""
        self._is_lost = self._is_lost or not self.is_away
        self._set(is_away=True)

    def connected(self) -> None:
        """Note that there is a connection."""
        if self._is_lost:
            self.come_back()

    def come_back(self) -> None:
        """Note that the person is back."""
        self._is_lost = False
        self._set(is_away=False)

    def show_end_of(self, deal: int) -> None:
        """Note that the person is shown how *deal* ended."""
        self._shown = deal

    def look_at_end_of(self, deal: int) -> None:
        """Note that the person has looked at that."""
        self._looked_at = max(deal, self._looked_at)
        self._moved.set()

    async def back_in_time(self) -> bool:
        """Wait until a person who is away is back, at most `wait` seconds, and say whether it is."""
        await self._until(lambda: not self.is_away, self.wait)
        return not self.is_away

    async def looked_within(self, seconds: float) -> None:
        """
        Wait until the person has looked at the end of the last deal, or is away.

        Args:
            seconds: The most to wait, unless the person is waited for.
        """
        most = self.wait if self.is_waited_for else seconds
        await self._until(lambda: self.is_away or self._looked_at >= self._shown, most)

    def _set(self, *, is_away: bool) -> None:
        if self.is_away != is_away:
            self.is_away = is_away
            self._moved.set()
            self._changed()

    async def _until(self, condition: Callable[[], bool], seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(None if math.isinf(seconds) else seconds):
                while not condition():
                    self._moved.clear()
                    await self._moved.wait()

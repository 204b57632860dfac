"""A timer that is cheap to set again and again, and seldom fires."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class LazyTimer:
    """
    Calls a function once, some time after it was set, unless it is set again or stopped before.

    To set it costs next to nothing: the event loop's timer from an earlier setting stays, and when that expires, it is
    started again for the time that is left. So the event loop gets a timer every few seconds, not for every decision.
    """

    def __init__(self, callback: Callable[[], None]) -> None:
        """Prepare a timer that calls *callback* in the event loop that runs now."""
        self._callback = callback
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._due: float | None = None

    def set(self, seconds: float) -> None:
        """Fire in *seconds* from now; an earlier setting no longer counts."""
        self._due = due = self._loop.time() + seconds
        if self._timer is None or self._timer.when() > due:
            self._start(due)

    def stop(self) -> None:
        """Do not fire."""
        self._due = None

    def close(self) -> None:
        """Do not fire, and remove the event loop's timer."""
        self._due = None
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _start(self, due: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._expired)

    def _expired(self) -> None:
        self._timer = None
        if self._due is None:
            return
        if self._due > self._loop.time():
            self._start(self._due)
        else:
            self._due = None
            self._callback()

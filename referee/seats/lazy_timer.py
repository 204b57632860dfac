"""A timer that is set for every decision and hardly ever rings."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class LazyTimer:
    """
    Rings once, some time after it was set, unless it is set anew or stopped before.

    Setting it costs next to nothing: the event loop's timer from an earlier setting is left alone, and when it runs
    out it is started again for what is left. So a timer is started every so many seconds, not for every decision.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        """Prepare an alarm that calls *ring*; it belongs to the event loop that runs now."""
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._due: float | None = None

    def set(self, seconds: float) -> None:
        """Ring in so many *seconds*, and not when it was to ring before."""
        self._due = due = self._loop.time() + seconds
        if self._timer is None or self._timer.when() > due:
            self._start(due)

    def stop(self) -> None:
        """Do not ring."""
        self._due = None

    def close(self) -> None:
        """Do not ring, and leave nothing behind in the event loop."""
        self._due = None
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _start(self, due: float) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._run_out)

    def _run_out(self) -> None:
        self._timer = None
        if self._due is None:
            return
        if self._due > self._loop.time():
            self._start(self._due)
        else:
            self._due = None
            self._ring()

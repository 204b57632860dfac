"""
An event loop whose time stands still while the referee itself does.

A referee that is stopped, swapped out, or kept from its core cannot read answers; its timers would find every bot late
as soon as it continues. That is no fault of the bots. So the loop's clock leaves out each time for which its thread
neither worked nor waited for what it wanted to wait for.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

STALL_SECONDS = 0.25
"""A standstill that is shorter counts: who plays beside others has to live with that."""
BEAT_SECONDS = 0.25
"""Longest wait of the loop in seconds; in a longer one, a standstill would look like waiting."""


def loop_time() -> float:
    """Give the seconds by the clock of the event loop that runs now."""
    return asyncio.get_running_loop().time()


def new_loop() -> asyncio.AbstractEventLoop:
    """Make an event loop for a referee; on Windows an ordinary one, for only that one can start programs there."""
    return asyncio.new_event_loop() if sys.platform == "win32" else StallTolerantLoop()


class StallSelector(selectors.DefaultSelector):
    """
    A selector that notices when its thread stands still.

    Attributes:
        stalled: Seconds of all standstills so far.
    """

    def __init__(self, wall: Callable[[], float] = time.monotonic, cpu: Callable[[], float] = time.thread_time) -> None:
        super().__init__()
        self.stalled = 0.0
        self._wall = wall
        self._cpu = cpu
        self._looked = wall()
        """Time of the last look at the clock: no standstill begins before that."""
        self._seen = self._looked, cpu()
        """Time of the last reading of the thread's CPU time, and its value."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait for events, *timeout* seconds at most, or `BEAT_SECONDS`; there may be none."""
        patience = BEAT_SECONDS if timeout is None else min(max(timeout, 0.0), BEAT_SECONDS)
        entered = self.look()
        events = super().select(patience)
        left = self._looked = self._wall()
        self._count(left - entered - patience)
        self._seen = left, self._cpu()
        return events

    def look(self) -> float:
        """Count what the thread stood still since it was looked last, and give the time by the wall clock."""
        now, (seen, used) = self._wall(), self._seen
        if now - seen > STALL_SECONDS:  # what the thread did meanwhile took CPU time; the rest is none of its doing
            cpu = self._cpu()
            self._count(min(now - seen - (cpu - used), now - self._looked))
            self._seen = now, cpu
        self._looked = now
        return now

    def _count(self, seconds: float) -> None:
        if seconds > STALL_SECONDS:
            self.stalled += seconds


class StallTolerantLoop(asyncio.SelectorEventLoop):
    """An event loop on whose clock its own standstills take no time."""

    def __init__(self) -> None:
        self._watching = StallSelector()
        super().__init__(self._watching)

    def time(self) -> float:
        """Give the seconds of a clock that runs as `time.monotonic` does while the loop can work."""
        return self._watching.look() - self._watching.stalled

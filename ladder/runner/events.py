"""The queue of what a runner has to do next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

Event: TypeAlias = Callable[[], None]


class Events(Protocol):
    """The loop's queue of events; each is a function to call."""

    def put(self, item: Event, /) -> None:
        """Add one."""

    def get(self, block: bool = True, timeout: float | None = None) -> Event:
        """
        Take the oldest one; wait for it so many seconds.

        Raises:
            queue.Empty: If there was none in that time.
        """

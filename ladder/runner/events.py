"""The queue of functions that a program's main thread is to call."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Protocol, TypeAlias

Event: TypeAlias = Callable[[], None]

MAX_WAIT_SECONDS = 0.5
"""A signal that comes right before a wait, or to another thread, is handled only after it: no wait is longer."""


class Events(Protocol):
    """A loop's queue of events; each is a function to call."""

    def put(self, item: Event, /) -> None:
        """Add one."""

    def get(self, block: bool = True, timeout: float | None = None) -> Event:
        """
        Take the oldest event; wait *timeout* seconds for it, None: until there is one.

        Raises:
            queue.Empty: If there was none in that time.
        """


class EventQueue:
    """Events from other threads, and from signal handlers, which are called while the main thread waits here."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Event] = SimpleQueue()

    def put(self, item: Event, /) -> None:
        """Add an event; from any thread or signal handler."""
        self._queue.put(item)

    def get(self, block: bool = True, timeout: float | None = None) -> Event:
        """
        Take the oldest event; wait *timeout* seconds for it, None: until there is one.

        Raises:
            queue.Empty: If there was none in that time.
        """
        while block and (timeout is None or timeout > MAX_WAIT_SECONDS):
            try:
                return self._queue.get(timeout=MAX_WAIT_SECONDS)
            except Empty:
                timeout = None if timeout is None else timeout - MAX_WAIT_SECONDS
        return self._queue.get(block, timeout)

"""States that the open tabs of a table's page have still to show."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

S = TypeVar("S")
MAX_BEHIND = 64
"""States that wait for a slow tab; older ones are left out."""


class Tab(Generic[S]):
    """One tab: an asynchronous iterator of states, which ends when nothing more will come."""

    def __init__(self, closed: Callable[[Tab[S]], None], *first: S) -> None:
        """Begin with these states; *closed* is called when the tab is closed."""
        self._closed = closed
        self._states: deque[S] = deque(first, maxlen=MAX_BEHIND)
        self._news = asyncio.Event()
        self._has_ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> S:
        while not self._states:
            if self._has_ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._states.popleft()

    def put(self, state: S) -> None:
        """Give it the next state."""
        self._states.append(state)
        self._news.set()

    def end(self) -> None:
        """Note that nothing more will come."""
        self._has_ended = True
        self._news.set()

    def close(self) -> None:
        """Close the tab."""
        self._closed(self)

"""Spectators of tables: the files of each table are read once, for all who watch it."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ladder.errors import Busy, LadderError
from ladder.people.sessions.tabs import Tab
from ladder.people.sessions.watched_table import WatchedFiles, watched
from ladder.site.server.places import SharedPlaces

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder
    from ladder.site.server.places import Place
    from ladder.values.people import TableState
    from ladder.values.watch_state import WatchState

LOOK_SECONDS = 0.4
"""Seconds between two looks at the files of a watched table."""
ASK_SECONDS = 2.0
"""Seconds between two questions to the database whether the table is over."""
LINGER_SECONDS = 10.0
"""Seconds that a table is still watched after its last spectator: a browser without a stream asks now and then."""
MAX_TABS = 100
"""Spectators of one table."""
TOO_MANY = "Too many visitors watch this table. Try again in {minutes} min."


class TableWatches:
    """All of them in this process."""

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        self._watches: dict[str, _Watch] = {}

    async def open_tab(self, name: str, key: str, address: str) -> Tab[WatchState]:
        """
        Watch a table in one more tab.

        Args:
            name: The table's.
            key: The link's.
            address: Where the spectator comes from.

        Raises:
            Busy: If too many watch it, and no other visitors with more tabs.
            LadderError: If there is no such table, or the key is not its.
        """
        table = await asyncio.to_thread(watched, self._ladder, name, key)
        watch = self._watches.get(name)
        if watch is None:
            watch = self._watches[name] = _Watch(self._ladder, table, key, lambda: self._watches.pop(name, None))
        return watch.open_tab(address)

    async def close(self) -> None:
        """End all of them."""
        for watch in list(self._watches.values()):
            await watch.close()


class _Watch:
    """One table."""

    def __init__(self, ladder: Ladder, table: TableState, key: str, gone: Callable[[], object]) -> None:
        self.tabs: dict[Tab[WatchState], Place] = {}
        self._ladder = ladder
        self._table = table
        self._key = key
        self._gone = gone
        self._delay = ladder.settings.live_delay
        self._files = WatchedFiles(ladder, table, self._delay)
        self._last: WatchState | None = None
        self._places = SharedPlaces(MAX_TABS)
        self._task = asyncio.ensure_future(self._follow())

    def open_tab(self, address: str) -> Tab[WatchState]:
        """See `TableWatches.open_tab`."""
        tab = Tab(self._leave, *([self._last] if self._last else []))
        place = self._places.take(address, lambda: self._give_up(tab))
        if place is None:
            raise Busy(TOO_MANY)
        self.tabs[tab] = place
        return tab

    async def close(self) -> None:
        """End it for all."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def _leave(self, tab: Tab[WatchState]) -> None:
        if (place := self.tabs.pop(tab, None)) is not None:
            place.leave()
        if not self.tabs:
            asyncio.get_running_loop().call_later(LINGER_SECONDS, self._end_unwatched)

    def _give_up(self, tab: Tab[WatchState]) -> None:
        tab.end()
        self._leave(tab)

    def _end_unwatched(self) -> None:
        if not self.tabs:
            self._task.cancel()

    async def _follow(self) -> None:
        """Look again and again, and tell what was seen when it is old enough."""
        coming: list[tuple[float, WatchState]] = []
        ask_at = 0.0
        try:
            while self._last is None or not self._last.is_over:
                now = time.monotonic()
                if now >= ask_at:
                    ask_at = now + ASK_SECONDS
                    self._table = await asyncio.to_thread(watched, self._ladder, self._table.name, self._key)
                coming += [(now + self._delay, each) for each in await asyncio.to_thread(self._files.look, self._table)]
                while coming and coming[0][0] <= time.monotonic():
                    self._tell(coming.pop(0)[1])
                await asyncio.sleep(LOOK_SECONDS)
        except LadderError:  # the table was removed
            pass
        finally:
            for tab in self.tabs:
                tab.end()
            self._gone()

    def _tell(self, state: WatchState) -> None:
        self._last = state
        for tab in self.tabs:
            tab.put(state)

"""
All open tabs of tables with people in this web process: of chairs, and of spectators.

`SessionPool` has all tables whose pages are open in this process, and the sessions of the people there.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.people.sessions.seat_session import SESSION_SECONDS, SeatSession
from ladder.people.sessions.spectators import TableWatches
from ladder.people.sessions.table_info import TablePhrases
from ladder.results.files import TableFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.ladder import Ladder
    from ladder.people.sessions.table_info import FoundSeat


class SessionPool:
    """All sessions of this process."""

    def __init__(self, files: TableFiles, seconds: float = SESSION_SECONDS) -> None:
        """
        Begin without any.

        Args:
            files: Those of the tables.
            seconds: A session ends when it has had no tab for that long.
        """
        self._files = files
        self._seconds = seconds
        self._sessions: dict[tuple[str, str], SeatSession] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    async def at(self, name: str, secret: str, find: Callable[[], FoundSeat]) -> SeatSession:
        """
        Give the session of a chair; it is made if there is none.

        Args:
            name: The table's.
            secret: The chair's.
            find: Looks for the seat; called in a thread.

        Raises:
            LadderError: If there is no such table, or no such chair.
        """
        key = name, secret
        if key not in self._sessions:
            first = await asyncio.to_thread(find)
            if key not in self._sessions:  # no other request has made it meanwhile
                phrases = TablePhrases(self._files.phrases(first.state.id))
                self._sessions[key] = SeatSession(find, first, phrases, lambda: self._forget(key), self._seconds)
        return self._sessions[key]

    async def close(self) -> None:
        """End all of them."""
        for session in list(self._sessions.values()):
            await session.close()

    def _forget(self, key: tuple[str, str]) -> None:
        self._sessions.pop(key, None)


@dataclass(frozen=True)
class OpenTabs:
    """Each route of tables has it as `request.app.state.open_tabs`."""

    seat_sessions: SessionPool
    """The chairs of people whose pages are open."""
    watches: TableWatches
    """The tables that visitors watch."""

    async def close(self) -> None:
        """End all of them."""
        await self.seat_sessions.close()
        await self.watches.close()


def no_tabs(ladder: Ladder) -> OpenTabs:
    """Begin without any."""
    return OpenTabs(SessionPool(TableFiles(ladder.settings.data_dir)), TableWatches(ladder))

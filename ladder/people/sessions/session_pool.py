"""
All open tabs of tables with people in this web process: of chairs, and of spectators.

`SessionPool` has all tables whose pages are open in this process, and the sessions of the people there.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ladder.people.sessions.seat_session import SESSION_SECONDS, SeatSession
from ladder.people.sessions.spectators import TableWatches
from ladder.people.sessions.table_info import TablePhrases
from ladder.people.tables.chairs import AccountKey
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
        self._sessions: dict[tuple[str, int], SeatSession] = {}
        self._known: dict[tuple[str, str], tuple[str, int]] = {}
        """The chair of each secret that has been checked, as long as the chair's session lives."""

    def __len__(self) -> int:
        return len(self._sessions)

    async def at(
        self, name: str, secret: str, find: Callable[[], FoundSeat], resume: Callable[[], None] = lambda: None
    ) -> SeatSession:
        """
        Give the session of a chair; it is made if there is none. Browsers that come with other secrets share it.

        Args:
            name: The table's.
            secret: The chair's, or the key of the account that has it.
            find: Looks for the seat; called in a thread.
            resume: Lets a table be played on that waits for this person; called in a thread.

        Raises:
            LadderError: If there is no such table, or no such chair.
        """
        is_account = isinstance(secret, AccountKey)
        known = self._known.get((name, secret)) if not is_account else None
        if known is None:
            first = await asyncio.to_thread(find)
            known = name, first.place.chair
            if known not in self._sessions:  # no other request has made it meanwhile
                phrases = TablePhrases(self._files.phrases(first.state.id))
                gone = partial(self._forget, known)
                self._sessions[known] = SeatSession(find, first, phrases, gone, self._seconds, resume)
            if not is_account:
                self._known[name, secret] = known
        return self._sessions[known]

    async def close(self) -> None:
        """End all of them."""
        for session in list(self._sessions.values()):
            await session.close()

    def _forget(self, key: tuple[str, int]) -> None:
        self._sessions.pop(key, None)
        for secret in [each for each, chair in self._known.items() if chair == key]:
            del self._known[secret]


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

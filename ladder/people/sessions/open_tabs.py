"""All open tabs of tables with people in this web process: of chairs, and of spectators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.people.sessions.session_pool import SessionPool
from ladder.people.sessions.spectators import TableWatches
from ladder.results.files import TableFiles

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder


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

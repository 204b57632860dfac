"""All tables whose pages are open in this process, and the desks of the people there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ladder.app.tables.person_desk import DESK_SECONDS, PersonDesk

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.tables.table_signs import FoundSeat


class PersonDesks:
    """All desks of this process."""

    def __init__(self, seconds: float = DESK_SECONDS) -> None:
        """Begin without any; a desk ends after so many seconds without a tab."""
        self._seconds = seconds
        self._desks: dict[tuple[str, str], PersonDesk] = {}

    def __len__(self) -> int:
        return len(self._desks)

    @property
    def tabs(self) -> int:
        """How many tabs there are."""
        return sum(desk.tabs for desk in self._desks.values())

    async def at(self, name: str, secret: str, find: Callable[[], FoundSeat]) -> PersonDesk:
        """
        Give the desk of a chair; it is made if there is none.

        Args:
            name: The table's.
            secret: The chair's.
            find: Looks for the seat; called in a thread.

        Raises:
            LadderError: If there is no such table, or no such chair.
        """
        key = name, secret
        if key not in self._desks:
            first = await asyncio.to_thread(find)
            if key not in self._desks:  # nobody else has asked meanwhile
                self._desks[key] = PersonDesk(find, first, lambda: self._forget(key), self._seconds)
        return self._desks[key]

    async def close(self) -> None:
        """End all of them."""
        for desk in list(self._desks.values()):
            await desk.close()

    def _forget(self, key: tuple[str, str]) -> None:
        self._desks.pop(key, None)

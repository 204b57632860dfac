"""An open ladder: its settings, its database, its files."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.results.files import MatchFiles
from ladder.store.commands.opening import open_ladder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from ladder.settings.settings import Settings
    from ladder.store.database import Database


@dataclass(frozen=True)
class Ladder:
    """An open ladder: all use cases work on one."""

    settings: Settings
    database: Database
    clock: Callable[[], float] = time.time
    """Gives Unix time."""

    @classmethod
    @contextmanager
    def open(
        cls, settings: Settings, create: bool = False, many_readers: bool = False, any_schema: bool = False
    ) -> Iterator[Self]:
        """
        Open the ladder that the settings name; it is closed in the end.

        Args:
            settings: Where it is.
            create: Make it if there is none.
            many_readers: Many threads will read at once, so that each connection is to take little memory.
            any_schema: Open a ladder of another Pigpen, too: for a copy of all that is there.

        Raises:
            LadderError: If there is none, or it cannot be used.
            StoreError: If its database does not answer.
        """
        database = open_ladder(settings, create, many_readers, any_schema)
        try:
            yield cls(settings, database)
        finally:
            database.close()

    @property
    def files(self) -> MatchFiles:
        """The records of its matches, and what bots printed in them."""
        return MatchFiles(self.settings.data_dir)

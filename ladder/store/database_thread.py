"""A thread for the database: what an event loop reads and writes there, so that the loop never waits for it."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.store.database import Database, Session

T = TypeVar("T")


class DatabaseThread:
    """One transaction at a time. Each method raises `StoreError` if the database does not answer."""

    def __init__(self, database: Database, name: str) -> None:
        """
        Prepare.

        Args:
            database: The ladder's.
            name: The thread's.
        """
        self._database = database
        self._thread = ThreadPoolExecutor(1, name)

    async def read(self, work: Callable[[Session], T]) -> T:
        """Do something in a transaction that only reads."""

        def read() -> T:
            with self._database.read() as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._thread, read)

    async def write(self, work: Callable[[Session], T]) -> T:
        """Do something in a transaction that writes."""

        def write() -> T:
            with self._database.write() as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._thread, write)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

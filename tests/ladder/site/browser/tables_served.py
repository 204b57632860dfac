"""The site and the process that plays tables, both really at work, in a thread of this process."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ladder.people.playing.table_work import PAUSE_SECONDS
from tests.ladder.people.pages.tables_here import site_here
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.app.ladder import Ladder


@contextmanager
def tables_served(ladder: Ladder, pause_seconds: float = PAUSE_SECONDS) -> Iterator[str]:
    """Serve a ladder's site, and play its tables; its address."""
    up, found = threading.Event(), list[str]()
    loop = asyncio.new_event_loop()
    down = asyncio.Event()

    async def serve() -> None:
        async with site_here(ladder, pause_seconds=pause_seconds) as address:
            found.append(address)
            up.set()
            await down.wait()

    def run() -> None:
        try:
            loop.run_until_complete(serve())
        finally:
            up.set()
            loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert up.wait(PATIENCE)
        yield found[0]
    finally:
        loop.call_soon_threadsafe(down.set)
        thread.join()

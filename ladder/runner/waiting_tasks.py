"""Tasks that wait for a slot on some worker."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from ladder.runner.executor import NotPlayed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.runner.fleet_worker import FleetWorker

    Choose = Callable[[], FleetWorker | None]
    """Takes a slot of a worker; None if none is free."""

PATIENCE = 10.0
"""A task that has found no slot after so many seconds goes back into the queue: a worker has gone meanwhile."""


class WaitingTasks:
    """Those of one cluster; who came first is served first. Only for the thread of one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Choose, asyncio.Future[FleetWorker]]] = deque()

    async def place(self, choose: Choose) -> FleetWorker:
        """
        Wait for a slot.

        Args:
            choose: Takes one.

        Raises:
            NotPlayed: If none was free for long.
        """
        if not self._waiting and (worker := choose()) is not None:
            return worker
        place: asyncio.Future[FleetWorker] = asyncio.get_running_loop().create_future()
        self._waiting.append((choose, place))
        try:
            await asyncio.wait([place], timeout=PATIENCE)
        finally:
            place.cancel()
        if place.cancelled():
            raise NotPlayed("No worker had a slot for it.")
        return place.result()

    def serve(self) -> None:
        """Give out what has become free."""
        while self._waiting:
            choose, place = self._waiting[0]
            if not place.done():
                if (worker := choose()) is None:
                    break
                place.set_result(worker)
            self._waiting.popleft()

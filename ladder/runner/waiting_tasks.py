"""Tasks that wait for a slot on some worker."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.runner.executor import NotPlayed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.runner.fleet_worker import FleetWorker

    Choose = Callable[[], FleetWorker | None]
    """Takes a slot of a worker; None if none is free."""

PATIENCE = 10.0
"""Seconds after which a task that has found no slot goes back into the queue: a worker has gone meanwhile."""


@dataclass(frozen=True, eq=False)
class _Waiting:
    """One of them."""

    choose: Choose
    place: asyncio.Future[FleetWorker]
    coming: tuple[str, int] | None


class WaitingTasks:
    """The waiting tasks of one cluster, served in the order of their arrival. Only for the thread of one event loop."""

    def __init__(self, patience: float = PATIENCE) -> None:
        """Begin; a task waits at most *patience* seconds for a slot."""
        self._patience = patience
        self._waiting: list[_Waiting] = []

    @property
    def coming(self) -> list[tuple[str, int]]:
        """Machine and number of each match that only one machine may play."""
        return [each.coming for each in self._waiting if each.coming and not each.place.done()]

    async def place(self, choose: Choose, coming: tuple[str, int] | None = None) -> FleetWorker:
        """
        Wait for a slot.

        Args:
            choose: Takes one.
            coming: The machine that must play it, and the number of the match; None: any may.

        Raises:
            NotPlayed: If none was free for long.
        """
        place: asyncio.Future[FleetWorker] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(choose, place, coming))
        self.serve()
        try:
            await asyncio.wait([place], timeout=self._patience)
        finally:
            place.cancel()
        if place.cancelled():
            raise NotPlayed("No worker had a slot for it.")
        return place.result()

    def serve(self) -> None:
        """Give free slots to waiting tasks."""
        for waiting in self._waiting:
            if not waiting.place.done() and (worker := waiting.choose()) is not None:
                waiting.place.set_result(worker)
        self._waiting = [each for each in self._waiting if not each.place.done()]

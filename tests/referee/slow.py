"""Seats that use up time, on a clock that advances only as they say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.match.formats import DEFAULT_CLOCK
from referee.seats.clock import MARGIN, WALL_CAP
from tests.referee.scripted_seats import ScriptedSeat, honest

if TYPE_CHECKING:
    from pigpen.rules import Action
    from pigpen.values.view import View
    from referee.seats.clock import Stopwatch
    from tests.referee.scripted_seats import FakeTime

Use = Callable[["View", "Stopwatch"], tuple[float, float]]
"""Wall time and CPU time that a bot takes for an answer, in seconds."""

JUST = 0.999


class Slow(ScriptedSeat):
    """Takes its time; those that are asked at once take it at once."""

    def __init__(self, time: FakeTime, use: Use) -> None:
        super().__init__(honest)
        self.time = time
        self.use = use
        self.used = 0.0

    async def ask(self, view: View, watch: Stopwatch, took: float) -> Action:
        wall, cpu = self.use(view, watch)
        end = self.time.seconds + min(wall, watch.cap + 0.001)  # nobody is waited for any longer
        await asyncio.sleep(0)
        self.time.seconds = max(self.time.seconds, end)
        self.used += cpu
        return await super().ask(view, watch, took)

    def cpu_time(self) -> float | None:
        return self.used


def quick(view: View, watch: Stopwatch) -> tuple[float, float]:
    """An honest answer."""
    return 0.002, 0.001


def sleeps(view: View, watch: Stopwatch) -> tuple[float, float]:
    """All the wall time that its first answers may take, and no CPU time."""
    return WALL_CAP * DEFAULT_CLOCK.limit * JUST, 0.001


def sleeps_as_long_as_it_may(view: View, watch: Stopwatch) -> tuple[float, float]:
    """All the wall time that is left for an answer."""
    return watch.cap * JUST, 0.0


def works_for_a_third(view: View, watch: Stopwatch) -> tuple[float, float]:
    """Use all the time that there is: both clocks run out together."""
    return watch.cap * JUST, (watch.cap - MARGIN) * JUST / WALL_CAP

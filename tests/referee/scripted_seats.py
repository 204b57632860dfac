"""Seats for tests, which play, cheat, stall, leave, or use up time on a clock that advances only as they say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from pigpen.bot import Bot, decide
from referee.match.formats import DEFAULT_CLOCK
from referee.seats.clock import MARGIN, WALL_CAP
from referee.seats.presence import Presence
from referee.seats.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from pigpen.rules import Action, Card
    from pigpen.values.notices import Notice, Welcome
    from pigpen.values.view import View
    from referee.seats.clock import Stopwatch

Script = Callable[["View"], "Action | SeatFailure"]


class FakeTime:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.cpu: float | None = None

    def __call__(self) -> float:
        return self.seconds


class RecordingController:
    """Notes what is done to the program."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.used: float | None = 1.0
        self.reads = 0

    def cpu_time(self) -> float | None:
        self.reads += 1
        return self.used

    def seated(self) -> None:
        self.done.append("seated")

    def freeze(self) -> None:
        self.done.append("freeze")

    def thaw(self) -> None:
        self.done.append("thaw")

    def mark(self, decision: int) -> None:
        self.done.append(f"mark {decision}")


class ScriptedSeat:
    """Answers what its script says, and remembers questions and notices."""

    def __init__(
        self, script: Script, *, time: FakeTime | None = None, thinks: float = 0.0, works: float = 0.0
    ) -> None:
        self.asked: list[View] = []
        self.watches: list[Stopwatch] = []
        self.took: list[float] = []
        self.notices: list[Notice] = []
        self.welcomed: Welcome | None = None
        self.closed = False
        self.freezes = 0
        self._script = script
        self._time = time
        self._thinks = thinks
        self._works = works

    async def welcome(self, welcome: Welcome) -> None:
        self.welcomed = welcome

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        self.asked.append(view)
        self.watches.append(watch)
        self.took.append(view.last_took)
        if self._time:
            self._time.seconds += self._thinks
            if self._time.cpu is not None:
                self._time.cpu += self._works
        answer = self._script(view)
        watch.stop()
        if isinstance(answer, SeatFailure):
            raise answer
        return answer

    def cpu_time(self) -> float | None:
        return self._time.cpu if self._time else None

    def freeze(self) -> None:
        self.freezes += 1

    def freeze_if_working(self) -> None:
        """Nobody looks how a scripted seat uses its time."""

    async def notify(self, notice: Notice, decision: int = 0) -> None:
        self.notices.append(notice)

    async def close(self) -> None:
        self.closed = True


class WorkingSeat(ScriptedSeat):
    """Works all the time: whenever its clock is read it has used a quarter of a second more."""

    used = 5.0

    def cpu_time(self) -> float:
        self.used += 0.25
        return self.used


class AbsentSeat(ScriptedSeat):
    """Nobody ever comes."""

    def __init__(self) -> None:
        super().__init__(honest)

    async def welcome(self, welcome: Welcome) -> None:
        raise SeatFailure(Verdict.ABSENT, "it did not take its seat within 10 s")


class PersonsSeat(ScriptedSeat):
    """Answers what its script says; the person may leave, and is not waited for then."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self.presence = Presence(wait=0.0)


def honest(view: View) -> Action:
    """The first legal option."""
    return decide(First(), view)


class First(Bot):
    """Plays the first legal card; what else it does is what any bot does."""

    def play(self, view: View) -> Card:
        return view.legal[0]


def fails(verdict: Verdict, text: str = "as the script says") -> Script:
    """A script that always fails the same way."""
    return lambda view: SeatFailure(verdict, text)


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

    async def ask(self, view: View, watch: Stopwatch) -> Action:
        wall, cpu = self.use(view, watch)
        end = self.time.seconds + min(wall, watch.cap + 0.001)  # nobody is waited for any longer
        await asyncio.sleep(0)
        self.time.seconds = max(self.time.seconds, end)
        self.used += cpu
        return await super().ask(view, watch)

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

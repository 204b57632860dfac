"""One fresh instance of a bot under test, and what it is asked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ladder.sandbox.excerpt import excerpt
from pigpen import MatchResult, Welcome
from pigpen.check import Outcome
from pigpen.rules import IllegalAction
from referee.seats.clock import Stopwatch
from referee.seats.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from ladder.matches.play import SeatedBot
    from ladder.sandbox.base import Exit
    from pigpen import ClockSetting
    from pigpen.check import Case
    from pigpen.rules import Action, Deal, Rules
    from referee.seats.trial_seat import TrialSeat

END_SECONDS = 10.0
"""Seconds that a bot may take to end when nothing is left for it to do."""


class Failed(Exception):
    """The bot did not do what the case requires."""

    def __init__(self, verdict: str, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.message = message


class Trial:
    """
    An instance at its seat.

    Attributes:
        start_up: Seconds from its start to its Hello; None before.
        times: Seconds that it thought about each of its answers, in CPU time where that can be read.
    """

    def __init__(self, bot: SeatedBot[TrialSeat], clock: ClockSetting, end_seconds: float = END_SECONDS) -> None:
        self.seat = bot.seat
        self.start_up: float | None = None
        self.times: list[float] = []
        self._bot = bot
        self._clock = clock
        self._end_seconds = end_seconds

    async def take_seat(self, rules: Rules, deals: int) -> None:
        """Wait until the bot has taken its seat."""
        started = time.monotonic()
        await self.seat.welcome(Welcome(rules, 0, f"deals:{deals}", self._clock))
        self.start_up = time.monotonic() - started

    async def attempt(self, group: str, name: str, doing: Awaitable[None]) -> Outcome:
        """Run a case, and give its result."""
        asked = len(self.times)
        verdict = reason = output = ""
        try:
            await doing
        except IllegalAction as error:
            verdict, reason = Verdict.ILLEGAL, str(error)
        except (SeatFailure, Failed) as failure:
            verdict, reason = failure.verdict, failure.message
        if verdict:
            output = "\n".join(excerpt(await self._bot.log_tail()))
        times = tuple(self.times[asked:])
        return Outcome(group=group, name=name, verdict=str(verdict), reason=reason, output=output, times=times)

    async def answer(self, case: Case) -> None:
        """Put every question of *case*, and check the answers by the rules."""
        questions = case.questions()
        try:
            deal = next(questions)
            while True:
                deal = questions.send(await self.ask(case, deal))
        except StopIteration as end:
            await self.seat.notify(case.result(end.value))

    async def ask(self, case: Case, deal: Deal, grace: float = 0.0) -> Action:
        """Put one question; the answer may take *grace* seconds longer than the clock says."""
        view = case.view(deal, len(self.times) + 1, self._clock.limit, self._clock.bank)
        took = self.times[-1] if self.times else 0.0
        watch = Stopwatch(self._clock.limit + grace, self.seat.cpu_time)
        try:
            return await self.seat.ask(view, watch, took)
        finally:
            self.times.append(watch.thought)

    async def end_when_refused(self) -> Exit:
        """Wait until the bot has connected, has been refused, and has ended."""
        await self.seat.wait_for(self.seat.refused, self._clock.start_up)
        if not self.seat.refused.is_set():
            raise Failed(Verdict.ABSENT, f"it did not take its seat within {self._clock.start_up:g} s")
        return await self.end()

    async def end_match(self) -> Exit:
        """Tell the bot that the match is over, and wait until it ends."""
        await self.seat.notify(MatchResult(1, 0.0))
        await self.seat.close()
        return await self.end()

    async def end(self) -> Exit:
        """Wait until the bot ends by itself."""
        await self.seat.wait_fairly((self._bot.end,), self._end_seconds)
        if not self._bot.end.done():
            raise Failed("hangs", f"its program still runs after {self._end_seconds:g} s, with nothing left to do")
        return self._bot.end.result()

    async def peak_memory(self) -> int | None:
        """Give the most bytes of memory that the bot has used so far, where that can be read."""
        return await self._bot.peak_memory()

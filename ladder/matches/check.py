"""
The conformance check of one bot, in its sandbox: its outcome decides whether the ladder takes the bot.

A `Trial` is one fresh instance of the bot under test, and what it is asked. The cases of the wire are one function
each. `ConformanceCheck` puts all cases to the bot.
"""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ladder.matches.play import SeatedBot, running
from ladder.sandbox.excerpt import excerpt
from ladder.sandbox.host.scratch import scratch_folder
from pigpen import DealResult, FaultNotice, MatchResult, Welcome
from pigpen.check import Outcome, cases_of
from pigpen.check.run import UNTRIED
from pigpen.rules import IllegalAction, Phase
from referee.match.formats import DEFAULT_CLOCK
from referee.seats.clock import Stopwatch
from referee.seats.deadlines import RECONNECT_SECONDS
from referee.seats.trial_seat import TrialSeat
from referee.seats.verdict import SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence

    from ladder.sandbox.base import Exit, Program
    from pigpen import ClockSetting
    from pigpen.check import Case
    from pigpen.rules import Action, Deal, Rules

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
        view.last_took = self.times[-1] if self.times else 0.0
        watch = Stopwatch(self._clock.limit + grace, self.seat.cpu_time)
        try:
            return await self.seat.ask(view, watch)
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


async def answers(trial: Trial, case: Case) -> None:
    """Take the seat, and answer a question."""
    await trial.take_seat(case.rules, 1)
    await trial.ask(case, case.deal)


async def accepts_late_notices(trial: Trial, case: Case) -> None:
    """Answer although notices about earlier decisions and deals come in between."""
    await answers(trial, case)
    players = case.rules.players
    await trial.seat.notify(FaultNotice("timeout", "no answer within 1.000 s", 1, False), decision=1)
    await trial.seat.notify(DealResult(case.deal.number, case.seat, (0,) * players, case.totals))
    await trial.ask(case, case.deal)


async def ignores_unknown_fields(trial: Trial, case: Case) -> None:
    """Answer although every message holds unknown fields, and some are of an unknown kind."""
    trial.seat.sends_unknown_fields = True
    await answers(trial, case)
    await trial.seat.send_unknown_message()
    await trial.ask(case, case.deal)


async def reconnects(trial: Trial, case: Case) -> None:
    """Open a new stream with the same Hello, and answer the question that is still open."""
    await trial.take_seat(case.rules, 1)
    trial.seat.cut_at_next_answer()
    await trial.ask(case, case.deal, grace=RECONNECT_SECONDS)
    await trial.ask(case, case.deal)


async def ends_when_refused(trial: Trial, case: Case) -> None:
    """End with an error when the referee speaks another version of the protocol."""
    ended = await trial.end_when_refused()
    if ended.code == 0:
        raise Failed("exit", "its program ended with exit code 0, as if nothing were wrong")


async def ends_cleanly(trial: Trial, case: Case) -> None:
    """End with exit code 0 after the match."""
    await answers(trial, case)
    ended = await trial.end_match()
    if ended.code:
        raise Failed("exit", f"its program ended with exit code {ended.code}")


@dataclass(frozen=True)
class WireCase:
    """One case of the wire."""

    attempt: Callable[[Trial, Case], Awaitable[None]]
    refuses: bool = False
    """True if the seat refuses the bot, from before its program starts: one that is forked may connect at once."""


WIRE_GROUP = "wire"

WIRE = {
    "takes its seat and answers": WireCase(answers),
    "continues after late notices": WireCase(accepts_late_notices),
    "passes over fields and messages of later versions": WireCase(ignores_unknown_fields),
    "comes back when the stream breaks, and answers the open question": WireCase(reconnects),
    "ends with an error when the referee speaks another version": WireCase(ends_when_refused, refuses=True),
    "ends with exit code 0 after the match": WireCase(ends_cleanly),
}
"""Every case, by its name; each is tried with an instance of its own."""


MAX_STARTS = 3
"""Times that a bot is started for one variant; every failure that ends it costs a start."""
ENDING = {Verdict.GONE, Verdict.ABSENT, Verdict.TIMEOUT}
"""Failures after which the next case needs a fresh instance: a late bot still thinks about the old question."""


@dataclass(frozen=True)
class Report:
    """The outcomes of a bot's cases, with its start-up time and its memory."""

    outcomes: tuple[Outcome, ...]
    start_up: float | None = None
    """Seconds from the start of the program to its Hello, the longest of all starts; None if it never came."""
    memory: int | None = None
    """The most bytes of memory that an instance used; None where that cannot be read."""

    @property
    def passed(self) -> bool:
        """True if every case was tried and passed."""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def times(self) -> list[float]:
        """Seconds that each answer took; those on the wire, which is broken on purpose there, do not count."""
        return [took for outcome in self.outcomes if outcome.group != WIRE_GROUP for took in outcome.times]


class ConformanceCheck:
    """Puts the cases to one program, as many instances of it as that takes, one after the other."""

    def __init__(
        self,
        program: Program,
        clock: ClockSetting = DEFAULT_CLOCK,
        end_seconds: float = END_SECONDS,
        advance: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        """
        Prepare a check.

        Args:
            program: The bot.
            clock: How much time it has.
            end_seconds: Seconds that it may take to end when nothing is left for it to do.
            advance: Called after each case.
        """
        self._program = program
        self._clock = clock
        self._end_seconds = end_seconds
        self._advance = advance
        self._outcomes: list[Outcome] = []
        self._start_ups: list[float] = []
        self._peaks: list[int] = []

    async def run(self, variants: Sequence[Rules], only: Collection[str] = ()) -> Report:
        """
        Try every case of the wire and of *variants*; or those cases *only* that have such a name.

        Raises:
            SandboxError: If the sandbox failed; that says nothing about the bot.
        """
        await self._try_wire(cases_of(variants[0]), [name for name in WIRE if not only or name in only])
        for rules in variants:
            await self._try_variant([case for case in cases_of(rules) if not only or case.name in only])
        return Report(tuple(self._outcomes), max(self._start_ups, default=None), max(self._peaks, default=None))

    async def _try_wire(self, cases: Sequence[Case], names: Sequence[str]) -> None:
        """Try the wire with the plainest question: the first one for a card."""
        case = next((case for case in cases if case.deal.phase is Phase.PLAY), cases[0])
        for name in names:
            if reason := self._why_untried():
                self._note(_untried(WIRE_GROUP, name, reason))
                continue
            async with self._trial(f"{WIRE_GROUP}: {name}", WIRE[name].refuses) as trial:
                self._note(await trial.attempt(WIRE_GROUP, name, WIRE[name].attempt(trial, case)))

    def _why_untried(self) -> str:
        """Say why nothing more is tried of a bot that cannot even take its seat and answer; empty if it can."""
        first = next((outcome for outcome in self._outcomes if outcome.name == next(iter(WIRE))), None)
        return "" if first is None or first.passed else "it did not get through the first case"

    async def _try_variant(self, cases: Sequence[Case]) -> None:
        left, reason = list(cases), self._why_untried()
        for _ in range(0 if reason else MAX_STARTS):
            if left:
                async with self._trial() as trial:
                    await self._try_until_it_ends(trial, left, len(cases))
        for case in left:
            self._note(
                _untried(case.rules.name, case.name, reason or f"it had to be started {MAX_STARTS} times before")
            )

    async def _try_until_it_ends(self, trial: Trial, left: list[Case], deals: int) -> None:
        """Try the cases that are *left*, taking them off, until there are none or the bot needs a fresh start."""
        seated = False
        while left:
            case = left.pop(0)
            doing = trial.answer(case) if seated else _first(trial, case, deals)
            seated = True
            outcome = await trial.attempt(case.rules.name, case.name, doing)
            self._note(outcome)
            if outcome.verdict in ENDING:
                return

    @asynccontextmanager
    async def _trial(self, deals: str | None = None, refuses: bool = False) -> AsyncIterator[Trial]:
        """Yield a trial of a fresh instance, forked in a warm container if its deals have a name; note what it used."""
        with scratch_folder() as root:
            bot = SeatedBot(self._program, root / "0", "check", partial(TrialSeat, refuses=refuses), deals=deals)
            async with running([bot]):
                trial = Trial(bot, self._clock, self._end_seconds)
                yield trial
                peak = await trial.peak_memory()
        if trial.start_up is not None:
            self._start_ups.append(trial.start_up)
        if peak is not None:
            self._peaks.append(peak)

    def _note(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        self._advance(outcome)


async def _first(trial: Trial, case: Case, deals: int) -> None:
    """Take the seat, then answer."""
    await trial.take_seat(case.rules, deals)
    await trial.answer(case)


def _untried(group: str, name: str, reason: str) -> Outcome:
    return Outcome(group=group, name=name, verdict=UNTRIED, reason=reason)

"""All conformance cases for one bot, in its sandbox; what decides whether the ladder takes it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ladder.matches.check_wire import WIRE, WIRE_GROUP
from ladder.matches.play import SeatedBot, running
from ladder.matches.trial import END_SECONDS, Trial
from ladder.sandbox.host.scratch import scratch_folder
from pigpen.check import Outcome, cases_of
from pigpen.check.run import UNTRIED
from pigpen.rules import Phase
from referee.match.formats import DEFAULT_CLOCK
from referee.seats.trial_seat import TrialSeat
from referee.seats.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Sequence

    from ladder.sandbox.base import Program
    from pigpen import ClockSetting
    from pigpen.check import Case
    from pigpen.rules import Rules

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

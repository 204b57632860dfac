"""
One bot's side of a match: its seat, its clock, its faults.

While another bot of the table takes long, `IdleBots` checks those that are not to act, and freezes them if necessary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules import IllegalAction, Phase
from pigpen.values.notices import FaultNotice
from pigpen.values.view import View
from referee.records.steps import BY_BOT, BY_FORCED, BY_TAKEOVER, DEFAULT, was_asked
from referee.seats.clock import Clock, Stopwatch, concurrent_questions, rating, slack_for, sleep
from referee.seats.fair_wait import LazyTimer, loop_time
from referee.seats.verdict import SeatFailure, Verdict, is_taken_over

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pigpen.rules import Action, Deal
    from pigpen.values.notices import ClockSetting, Notice, Welcome
    from referee.records.lines import Step
    from referee.seats.seat import Seat
    from referee.seats.verdict import Exit

NO_TIME_LEFT = "it was not asked: it had used up all of its time"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a bot."""

    decision: int
    """The decision at fault; 0 for none in particular."""
    verdict: Verdict
    message: str
    end: Exit | None = None
    """The end of the bot's program, where that is the reason."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One action: what was done, who decided it, how long that took."""

    action: Action
    by: str
    """`bot`, `forced`, `default:` and the verdict, `takeover`, or `away`."""
    took: float
    """Seconds from question to answer by the referee's clock; 0.0 where the bot was not asked."""
    cpu: float | None = None
    """Seconds of CPU time the bot's program used meanwhile; None where the bot was not asked or it cannot be read."""
    fault: Fault | None = None
    unasked: float | None = None
    """Seconds of CPU time the program had used before the question, since its last answer or since it took its seat."""


class Player:
    """
    Asks one seat for its decisions; where an answer is late, illegal or missing, the default action is played.

    Where exactly one action is legal it is played without asking: that is no decision, takes no time and is no fault.

    Attributes:
        faults: All faults of the bot, in order.
        taken_over: Whether the default policy plays the seat.
    """

    def __init__(self, seat: Seat, setting: ClockSetting, now: Callable[[], float] = loop_time) -> None:
        self.faults: list[Fault] = []
        self.taken_over = False
        self._seat = seat
        self._clock = Clock(setting)
        self._now = now
        self._decisions = 0
        self._absent: SeatFailure | None = None
        self._drawn = 0.0
        self._thought: float | None = None
        """Seconds of CPU time of its last answer."""
        self._used: float | None = None
        """Seconds of CPU time that the program had used at its last answer, or when it took its seat."""

    async def take_seat(self, welcome: Welcome) -> None:
        """Wait for the bot to connect; one that does not is taken over at its first decision."""
        try:
            await self._seat.welcome(welcome)
        except SeatFailure as failure:
            self._absent = failure
        self._used = self._seat.cpu_time()

    def begin_deal(self) -> None:
        """Begin a deal."""
        self._clock.begin_deal()

    async def act(self, deal: Deal, seat: int, totals: tuple[int, ...], seed: int) -> Decision:
        """
        Decide for *seat*, and do that in *deal*: the bot's answer, the only legal action, or the default action.

        Args:
            deal: The deal, at a point where *seat* must act.
            seat: The player's seat in this deal.
            totals: Totals of each seat before this deal.
            seed: For the bot's own random numbers.
        """
        if deal.is_forced(seat):
            return Decision(default_done(deal, seat), BY_FORCED, 0.0)
        if self.taken_over:
            return Decision(default_done(deal, seat), BY_TAKEOVER, 0.0)
        used = self._seat.cpu_time()
        unasked = None if used is None or self._used is None else used - self._used
        self.charge_unasked(unasked)
        view = self.view(deal, seat, totals, seed)
        self._decisions += 1
        concurrent = concurrent_questions(len(deal.hands), sealed=deal.phase < Phase.PLAY)
        watch = Stopwatch(view.limit, self._seat.cpu_time, self._now, concurrent, used)
        fault = None
        try:
            action = await self._answer(view, watch)
            deal.apply(seat, action)
        except (SeatFailure, IllegalAction) as error:
            failure = error if isinstance(error, SeatFailure) else SeatFailure(Verdict.ILLEGAL, str(error))
            action = default_done(deal, seat)
            fault = await self._record_fault(failure)
        self._drawn, self._thought = self._clock.charge(watch.rated, watch.slept), watch.cpu
        self._used = watch.cpu_after
        by = f"{DEFAULT}{fault.verdict}" if fault else BY_BOT
        return Decision(action, by, watch.wall, watch.cpu, fault, unasked)

    def view(self, deal: Deal, seat: int, totals: tuple[int, ...], seed: int) -> View:
        """Give what the bot is shown for its next decision; the arguments are those of `act`."""
        return View(
            *deal.known_to(seat),
            totals=totals,
            decision=self._decisions + 1,
            seed=seed,
            limit=self._clock.allowance,
            bank=max(0.0, self._clock.bank),
            last_took=self._drawn,
            last_cpu=self._thought,
        )

    def charge_unasked(self, cpu: float | None) -> None:
        """Note that the bot is to be asked; it used *cpu* seconds since its last answer, None where that is unread."""
        if cpu is not None:
            self._clock.charge_unasked(cpu)

    def freeze(self) -> None:
        """Freeze this bot until it is asked again: another bot thinks for long."""
        self._seat.freeze()

    def freeze_if_working(self) -> None:
        """Freeze it if it works though it is not asked."""
        self._seat.freeze_if_working()

    def count_recorded(self, step: Step, took: float, cpu: float | None, players: int) -> None:
        """
        Count a step from the record, with its fault and its time; call `charge_unasked` before.

        Args:
            step: The step; one for which the bot was not asked changes nothing.
            took: Seconds of wall time that it took.
            cpu: Seconds of CPU time; None where that was not read.
            players: Seats of the table.
        """
        if not was_asked(step.by):
            return
        self._decisions += 1
        concurrent = concurrent_questions(players, sealed=step.is_sealed)
        rated = rating(took, cpu, slack_for(concurrent, cpu))
        self._drawn, self._thought = self._clock.charge(rated, sleep(took, cpu, concurrent)), cpu
        if step.by.startswith(DEFAULT):
            self.faults.append(Fault(self._decisions, Verdict(step.by.removeprefix(DEFAULT)), step.why or ""))
            self.taken_over = self._loses_seat()

    async def notify(self, notice: Notice, decision: int = 0) -> None:
        """Send a notice, unless the bot has lost its seat."""
        if not (self.faults and self.faults[-1].verdict.is_final):
            await self._seat.notify(notice, decision)

    async def close(self) -> None:
        """Close the seat: the match is over for this player."""
        await self._seat.close()

    async def _answer(self, view: View, watch: Stopwatch) -> Action:
        """Ask the bot for its answer, in time."""
        if self._absent:
            raise self._absent
        if self._clock.is_used_up:
            raise SeatFailure(Verdict.TIMEOUT, NO_TIME_LEFT)
        return await ask_in_time(self._seat, view, watch)

    def _loses_seat(self) -> bool:
        return is_taken_over([each.verdict for each in self.faults])

    async def _record_fault(self, failure: SeatFailure) -> Fault:
        fault = Fault(self._decisions, failure.verdict, failure.message, failure.end)
        self.faults.append(fault)
        self.taken_over = self._loses_seat()
        notice = FaultNotice(failure.verdict, failure.message, len(self.faults), self.taken_over)
        await self.notify(notice, self._decisions)
        if self.taken_over:
            self.freeze()
        return fault


def default_done(deal: Deal, seat: int) -> Action:
    """Do the default action of *seat* in *deal*, and give it."""
    action = deal.default_action(seat)
    deal.apply(seat, action)
    return action


async def ask_in_time(seat: Seat, view: View, watch: Stopwatch) -> Action:
    """
    Put a question to a seat; the arguments are those of `Seat.ask`.

    Raises:
        SeatFailure: If no answer comes, none that can be read, or one that is late by the *watch*.
    """
    action = await seat.ask(view, watch)
    if watch.is_late:
        raise SeatFailure(Verdict.TIMEOUT, watch.late)
    return action


LOOK_SECONDS = 0.004
"""Seconds of wall time from a question to the first look, and from each look to the next."""
LOOKS = 5
"""At this look all are frozen, whether they work or not: further looks would cost more than that."""


class IdleBots:
    """
    Freezes the bots of a table that are not asked, while a decision takes long.

    To freeze and thaw a bot costs many times what it costs to read its CPU time. Where many tables share the cores,
    most decisions take long though no bot works unasked. So at first only the bots that do work are frozen.
    """

    def __init__(self) -> None:
        """Prepare; the timer runs in the event loop that runs now."""
        self._timer = LazyTimer(self._look)
        self._players: Sequence[Player] = ()
        self._asked: tuple[int, ...] = ()
        self._looks = 0

    def question(self, players: Sequence[Player], asked: tuple[int, ...]) -> None:
        """
        Begin: a question has been put.

        Args:
            players: The players by their seat.
            asked: The seats that it is put to.
        """
        self._players, self._asked, self._looks = players, asked, 0
        self._timer.set(LOOK_SECONDS)

    def answered(self, seat: int) -> None:
        """Count *seat* as idle, too: it has answered a sealed question, others have not."""
        self._asked = tuple(other for other in self._asked if other != seat)
        if self._looks == LOOKS and self._asked:
            self._players[seat].freeze()

    def stop(self) -> None:
        """Stop: all have answered, so look no more until the next question."""
        self._timer.stop()

    def close(self) -> None:
        """Stop for good: no question follows."""
        self._timer.close()

    def _look(self) -> None:
        self._looks += 1
        is_last = self._looks == LOOKS
        for seat, player in enumerate(self._players):
            if seat not in self._asked:
                (player.freeze if is_last else player.freeze_if_working)()
        if not is_last:
            self._timer.set(LOOK_SECONDS)

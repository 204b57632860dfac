"""One bot's side of a match: its seat, its clock, its faults."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.notices import FaultNotice
from pigpen.rules import IllegalAction
from pigpen.view import View
from referee.clock import MARGIN, Clock
from referee.verdict import TAKEOVER_AT, SeatFailure, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.notices import ClockSetting, Notice, Welcome
    from pigpen.rules import Action, Deal
    from referee.exit import Exit
    from referee.seat import Seat

BY_BOT = "bot"
BY_TAKEOVER = "takeover"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something held against a bot."""

    decision: int
    """The decision at fault; 0 for none in particular."""
    verdict: Verdict
    message: str
    end: Exit | None = None
    """How the bot's program ended, where that is why."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was done, who decided it, how long that took."""

    action: Action
    by: str
    """`bot`, `default:` and the verdict, or `takeover`."""
    took: float
    """Seconds from question to answer by the referee's clock; 0.0 where nobody was asked."""
    fault: Fault | None = None


class Player:
    """
    Asks one seat, and puts the default action in the place of every answer that is late, illegal or missing.

    Attributes:
        faults: Everything held against the bot, in order.
        taken_over: Whether the default policy plays the seat.
        times: Seconds each of the bot's own decisions took.
    """

    def __init__(self, seat: Seat, setting: ClockSetting, now: Callable[[], float] = time.monotonic) -> None:
        self.faults: list[Fault] = []
        self.taken_over = False
        self.times: list[float] = []
        self._seat = seat
        self._clock = Clock(setting)
        self._now = now
        self._decisions = 0
        self._absent: SeatFailure | None = None
        self._took = 0.0

    async def take_seat(self, welcome: Welcome) -> None:
        """Wait for the bot to come; one that does not is taken over at its first decision."""
        try:
            await self._seat.welcome(welcome)
        except SeatFailure as failure:
            self._absent = failure

    def begin_deal(self) -> None:
        """A deal begins."""
        self._clock.begin_deal()

    async def decide(self, deal: Deal, chair: int, totals: tuple[int, ...], seed: int) -> Decision:
        """Get the decision of *chair* in *deal*: the bot's answer, or the default action."""
        if self.taken_over:
            return Decision(deal.default_action(chair), BY_TAKEOVER, 0.0)
        self._decisions += 1
        limit = self._clock.allowance
        view = View(
            *deal.known_to(chair),
            totals=totals,
            decision=self._decisions,
            seed=seed,
            limit=limit,
            bank=self._clock.bank,
        )
        started = self._now()
        try:
            if self._absent:
                raise self._absent
            action = await self._seat.ask(view, limit + MARGIN, self._took)
            took = self._now() - started
            if took > limit + MARGIN:
                raise SeatFailure(Verdict.TIMEOUT, _late(limit))
            deal.check(chair, action)
        except (SeatFailure, IllegalAction) as error:
            took = min(self._now() - started, limit + MARGIN)
            self._note_time(took)
            failure = error if isinstance(error, SeatFailure) else SeatFailure(Verdict.ILLEGAL, str(error))
            if failure.verdict is Verdict.TIMEOUT:
                failure = SeatFailure(Verdict.TIMEOUT, _late(limit))
            fault = await self._blame(failure)
            return Decision(deal.default_action(chair), f"default:{failure.verdict}", took, fault)
        self._note_time(took)
        return Decision(action, BY_BOT, took)

    async def tell(self, notice: Notice, decision: int = 0) -> None:
        """Pass on a notice, unless nobody sits there any more."""
        if not (self.faults and self.faults[-1].verdict.is_final):
            await self._seat.tell(notice, decision)

    async def close(self) -> None:
        """The match is over for this player."""
        await self._seat.close()

    def _note_time(self, took: float) -> None:
        self._took = self._clock.charge(took)
        self.times.append(took)

    async def _blame(self, failure: SeatFailure) -> Fault:
        fault = Fault(self._decisions, failure.verdict, failure.message, failure.end)
        self.faults.append(fault)
        self.taken_over = failure.verdict.is_final or len(self.faults) >= TAKEOVER_AT
        notice = FaultNotice(failure.verdict, failure.message, len(self.faults), self.taken_over)
        await self.tell(notice, self._decisions)
        return fault


def _late(limit: float) -> str:
    return f"no answer within {limit:.3f} s"

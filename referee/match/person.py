"""A person's side of a match: a player who may be away, and who never loses the seat for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from referee.match.player import Decision, Player, default_done
from referee.records.steps import BY_AWAY
from referee.seats.fair_wait import loop_time
from referee.seats.presence import PersonAway
from referee.seats.seat import Seat
from referee.seats.verdict import TAKEOVER_AT

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules import Deal
    from pigpen.values.notices import ClockSetting
    from referee.match.player import Fault
    from referee.seats.presence import Presence
    from referee.seats.verdict import SeatFailure

READING_SECONDS = 120.0
"""Seconds that the clock waits at most while a person looks at the end of a deal."""
FAULTS_IN_A_ROW = TAKEOVER_AT
"""Faults without a decision in between after which a person is away."""


class AbsentableSeat(Seat, Protocol):
    """A seat whose person may leave and come back."""

    @property
    def presence(self) -> Presence:
        """The person's presence at the table."""


class PersonPlayer(Player):
    """
    Asks a person for its decisions, and plays the default action while it is away.

    The clock does not run while the person looks at the end of a deal. Faults in a row make it away; no number of them
    takes its seat. A person who is waited for (`Presence.is_waited_for`) is asked again when it is back, and nothing is
    decided in its name meanwhile.
    """

    def __init__(self, seat: Seat, setting: ClockSetting, now: Callable[[], float] = loop_time) -> None:
        super().__init__(seat, setting, now)
        self._presence = cast("AbsentableSeat", seat).presence
        self._faults_in_a_row = 0

    async def act(self, deal: Deal, seat: int, totals: tuple[int, ...], seed: int) -> Decision:
        """See `Player`."""
        if deal.is_forced(seat):
            return await super().act(deal, seat, totals, seed)
        decision = await self._asked(deal, seat, totals, seed)
        while decision is None and self._presence.is_waited_for:
            self._decisions -= 1  # it is the same one that is asked again
            decision = await self._asked(deal, seat, totals, seed)
        if decision is None:
            return Decision(default_done(deal, seat), BY_AWAY, 0.0)
        if decision.fault is None:
            self._faults_in_a_row = 0
        return decision

    async def _asked(self, deal: Deal, seat: int, totals: tuple[int, ...], seed: int) -> Decision | None:
        """Ask the person once; None: it is away, or leaves without an answer."""
        await self._presence.looked_within(READING_SECONDS)
        if self._presence.is_away and not await self._presence.back_in_time():
            return None
        try:
            return await super().act(deal, seat, totals, seed)
        except PersonAway:
            return None

    def _loses_seat(self) -> bool:
        return False

    async def _record_fault(self, failure: SeatFailure) -> Fault:
        self._faults_in_a_row += 1
        if self._faults_in_a_row >= FAULTS_IN_A_ROW:
            self._faults_in_a_row = 0
            self._presence.leave()
        return await super()._record_fault(failure)

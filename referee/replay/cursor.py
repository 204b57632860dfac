"""A position in a recorded match, and how it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.records.recorded import BadRecord, seats_of
from referee.replay.deal_replay import DealReplay

if TYPE_CHECKING:
    from referee.records.lines import Step
    from referee.records.recorded import Recorded


class Cursor:
    """
    Steps through the deals of a record; each way to move says whether it has moved.

    Attributes:
        recorded: The match.
        deal: Place of the deal in its `deals`.
        moment: Place of the moment in the deal's `DealReplay.moments`.
    """

    def __init__(self, recorded: Recorded, deal: int = 0) -> None:
        """
        Begin at the beginning of a deal.

        Raises:
            BadRecord: If what was played there breaks the rules; so do all ways to move.
        """
        self.recorded = recorded
        self.deal = deal
        self.moment = 0
        self._replay = self._load(deal)

    @property
    def replay(self) -> DealReplay:
        """The deal."""
        return self._replay

    def forward(self) -> bool:
        """Move by one moment, into the next deal if necessary."""
        if self._replay.is_result(self.moment):
            return self.next_deal()
        self.moment += 1
        return True

    def back(self) -> bool:
        """Go back by one moment, into the deal before if necessary."""
        if self.moment:
            self.moment -= 1
            return True
        return self.previous_deal() and self.last()

    def next_trick(self) -> bool:
        """Move to the end of the trick, or by one moment."""
        later = [stop for stop in self._replay.stops if stop > self.moment]
        return self._move(later[0]) if later else self.next_deal()

    def previous_trick(self) -> bool:
        """Go back to the end of the trick before, or by one moment."""
        earlier = [stop for stop in self._replay.stops if stop < self.moment]
        return self._move(earlier[-1]) if earlier else self.previous_deal() and self.last()

    def next_deal(self) -> bool:
        """Move to the beginning of the next deal."""
        return self.deal + 1 < len(self.recorded.deals) and self._open(self.deal + 1)

    def previous_deal(self) -> bool:
        """Go back to the beginning of the deal before."""
        return self.deal > 0 and self._open(self.deal - 1)

    def first(self) -> bool:
        """Go to the beginning of the deal."""
        return self._move(0)

    def last(self) -> bool:
        """Go to the result of the deal."""
        return self._move(len(self._replay.moments) - 1)

    def next_fault(self, bot: int | None = None) -> bool:
        """Move to the next fault of a bot, of *bot* if it is given."""
        ahead = self.moment + 1
        for deal in range(self.deal, len(self.recorded.deals)):
            line = self.recorded.deals[deal]
            seats = {seat for seat, number in enumerate(seats_of(line)) if bot in (None, number)}
            if any(_is_fault_of(step, seats) for step in line.steps):
                replay = self._replay if deal == self.deal else self._load(deal)
                for moment in range(ahead, len(replay.moments)):
                    if any(_is_fault_of(step, seats) for step, _, _ in replay.moments[moment].done):
                        self.deal, self._replay, self.moment = deal, replay, moment
                        return True
            ahead = 0
        return False

    def renew(self, recorded: Recorded) -> None:
        """
        Take a newer reading of the same record; the place stays where it is.

        Raises:
            BadRecord: If it is the record of another match.
        """
        names = [line.name for line in recorded.deals]
        if recorded.first != self.recorded.first or self._replay.line.name not in names:
            raise BadRecord("it holds another match now")
        self.deal = names.index(self._replay.line.name)
        self.recorded = recorded

    def _load(self, deal: int) -> DealReplay:
        return DealReplay(self.recorded.rules, self.recorded.first, self.recorded.deals[deal])

    def _open(self, deal: int) -> bool:
        self._replay = self._load(deal)
        self.deal, self.moment = deal, 0
        return True

    def _move(self, moment: int) -> bool:
        moved = moment != self.moment
        self.moment = moment
        return moved


def _is_fault_of(step: Step, seats: set[int]) -> bool:
    """Tell whether the step is a fault of one of *seats*."""
    return step.why is not None and step.seat in seats

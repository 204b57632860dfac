"""A game: deals until the end test holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules.cards import Card
from pigpen.rules.deal import Deal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules.model import Rules


class Game:
    """
    A game: the totals over its deals, and the leader of the next deal.

    >>> from pigpen.rules import PRESETS, Game, deal_hands
    >>> rules = PRESETS["hearts-short"]
    >>> game = Game(rules)
    >>> while not game.is_over:
    ...     deal = game.next_deal(deal_hands(rules, bytes(32), game.deals))
    ...     while not deal.is_over:
    ...         for seat in deal.to_act:
    ...             deal.apply(seat, deal.default_action(seat))
    ...     game.add(deal)
    ...
    >>> game.deals, game.totals, game.places
    (4, (29, 31, 18, 26), (3, 4, 1, 2))
    """

    def __init__(self, rules: Rules) -> None:
        """Start a game of the variant *rules*."""
        self.rules: Rules = rules
        """The variant."""
        self.totals: tuple[int, ...] = (0,) * rules.players
        """Total of each seat; partners have the same total."""
        self.deals: int = 0
        """Number of finished deals."""
        self._leader: int | None = None

    @property
    def is_over(self) -> bool:
        """True if a total has passed the limit, or the number of deals is used up (C-7, C-8)."""
        end = self.rules.end
        if self.deals >= end.cap or (end.deals is not None and self.deals >= end.deals):
            return True
        sign = 1 if self.rules.low_is_better else -1
        worst = max(sign * total for total in self.totals)
        return worst > sign * end.limit or (end.inclusive and worst == sign * end.limit)

    @property
    def places(self) -> tuple[int, ...]:
        """Place of each seat by its total, 1 the best. Equal totals share a place."""
        return self.rules.places(self.totals)

    def next_deal(self, hands: Sequence[int]) -> Deal:
        """Start the next deal with *hands*, a mask for each seat."""
        return Deal(self.rules, hands, number=self.deals, leader=self._leader)

    def add(self, deal: Deal) -> None:
        """
        Add the scores of a finished deal.

        Raises:
            ValueError: If it is not finished.
        """
        if not deal.is_over:
            raise ValueError("the deal is not over")
        self.totals = tuple(total + points for total, points in zip(self.totals, self._points(deal), strict=True))
        self.deals += 1
        self._leader = self._leader_after(deal)

    def _points(self, deal: Deal) -> tuple[int, ...]:
        """Compute what a finished deal adds to each total."""
        return deal.scores()

    def _leader_after(self, deal: Deal) -> int | None:
        """Say who leads to the next deal's first trick; None: the holder of the opening card."""
        if not self.rules.opening.later:
            return None
        card = Card.parse(self.rules.opening.later).mask
        return next(seat for seat, taken in enumerate(deal.taken) if taken & card)

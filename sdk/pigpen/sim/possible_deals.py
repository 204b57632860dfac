"""Whole deals that fit a view: what the view shows, and random cards for the rest."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pigpen.rules.actions import Exposure, Face, Phase
from pigpen.rules.cards import CARDS, cards_in, mask_of
from pigpen.rules.deal import Deal
from pigpen.rules.errors import IllegalAction
from pigpen.sim.sampling import Unseen
from pigpen.sim.sim_random import SimRandom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules.view import SeatView


class PossibleDeals:
    """
    All deals that fit a view, from which to draw.

    Attributes:
        view: The view.
        unseen: The cards that the view does not show.
        all_fit: Whether every draw of `unseen` fits the view; otherwise draws that do not fit are repeated.
    """

    def __init__(self, view: SeatView) -> None:
        """
        Count the deals that fit *view*.

        Raises:
            Unfit: If no deal fits it.
        """
        if view.phase is Phase.OVER:
            raise ValueError("the deal is over: nothing is left to sample")
        self.view: SeatView = view
        self.unseen: Unseen = Unseen(view)
        self.all_fit: bool = self.unseen.evidence.is_complete
        self._played = _played(view)
        offset = view.rules.pass_offset(view.deal)
        self._offset = offset if view.phase is not Phase.PASS else 0

    def draw(self, rng: SimRandom) -> Deal:
        """Draw a deal at the decision of the view: the same phase, the same cards on the table."""
        if not self._can_swap_hands:
            return self._draw_fitting(rng)
        deal = self.draw_hands(rng)
        dealt, passed = self._before_passing(deal.hands, rng)
        deal.dealt = tuple(dealt)
        if self._offset:
            deal.passed = tuple(passed)
            deal.received = tuple(passed[-self._offset :] + passed[: -self._offset])
        return deal

    def draw_hands(self, rng: SimRandom) -> Deal:
        """Draw a deal in which only the hands are drawn, not the cards dealt and passed: enough to play on."""
        if not self._can_swap_hands:
            return self._draw_fitting(rng)
        hands, down = self.unseen.draw(rng)
        hands[self.view.seat] = self.view.hand_mask
        deal = self.first.copy()
        deal.hands = hands
        if any(down):
            deal.exposures = self._exposures(down)
        return deal

    @cached_property
    def first(self) -> Deal:
        """A deal that fits, always the same one."""
        return self._draw_fitting(SimRandom(0))

    def known_position(self) -> Deal:
        """Return the deal as the view shows it, with empty hands for the other seats."""
        deal, view = self.first.copy(), self.view
        deal.hands = [view.hand_mask if seat == view.seat else 0 for seat in range(view.rules.players)]
        deal.exposures = view.exposures
        return deal

    @cached_property
    def _can_swap_hands(self) -> bool:
        """True if nothing that a deal has worked out depends on the hands that are not seen."""
        return self.all_fit and self.view.phase is Phase.PLAY and self.first.turn == self.view.seat

    def _draw_fitting(self, rng: SimRandom) -> Deal:
        while True:
            hands, down = self.unseen.draw(rng)
            hands[self.view.seat] = self.view.hand_mask
            try:
                return self._replayed(hands, down, rng)
            except IllegalAction:
                if self.all_fit:
                    raise

    def _replayed(self, hands: Sequence[int], down: Sequence[int], rng: SimRandom) -> Deal:
        """Bring a deal to where the view is, by the rules, from its start."""
        view = self.view
        dealt, passed = self._before_passing(hands, rng)
        deal = Deal(view.rules, dealt, number=view.deal, leader=view.first_leader)
        if view.phase is not Phase.PASS and deal.phase is Phase.PASS:
            for seat, cards in enumerate(passed):
                deal.apply(seat, cards_in(cards))
        if view.phase is not Phase.EXPOSE and deal.phase is Phase.EXPOSE:
            shown = self._exposures(down)
            for seat in deal.to_act:
                deal.apply(seat, {each.card: each.face for each in shown if each.seat == seat})
        for card in view.plays:
            deal.apply(deal.turn, CARDS[card])
        return deal

    def _before_passing(self, hands: Sequence[int], rng: SimRandom) -> tuple[list[int], list[int]]:
        """Find what each seat was dealt and what it passed, when it holds *hands* now; passes unknown are drawn."""
        view, players = self.view, len(hands)
        held = [hand | played for hand, played in zip(hands, self._played, strict=True)]
        if not self._offset:
            return held, [0] * players
        passed = [0] * players
        for seat in range(players):
            to = (seat + self._offset) % players
            if seat == view.seat:
                passed[seat] = view.passed_mask
            elif to == view.seat:
                passed[seat] = view.received_mask
            else:
                passed[seat] = _some(held[to], view.pass_count, rng)
        dealt = [held[seat] & ~passed[(seat - self._offset) % players] | passed[seat] for seat in range(players)]
        return dealt, passed

    def _exposures(self, down: Sequence[int]) -> tuple[Exposure, ...]:
        guessed = [Exposure(seat, card, Face.DOWN) for seat, mask in enumerate(down) for card in cards_in(mask)]
        return tuple(sorted([*self.view.exposures, *guessed], key=lambda shown: (shown.seat, shown.card)))


def _played(view: SeatView) -> list[int]:
    """Give what each seat has played so far."""
    players = view.rules.players
    played = [0] * players
    for place, card in enumerate(view.plays):
        played[(view.leaders[place // players] + place) % players] |= 1 << card
    return played


def _some(cards: int, count: int, rng: SimRandom) -> int:
    """Choose *count* of *cards*, any of them as likely as the others."""
    options = list(cards_in(cards))
    return mask_of([options.pop(rng.below(len(options))) for _ in range(count)])

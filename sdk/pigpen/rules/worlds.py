"""Whole deals that a seat may be in: what its view shows, and for the rest one of the possible ways, drawn fairly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules.actions import Exposure, Face, Phase
from pigpen.rules.cards import CARDS, cards_in, mask_of
from pigpen.rules.deal import Deal
from pigpen.rules.errors import IllegalAction
from pigpen.rules.sampling import Unseen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules.chance import Chance
    from pigpen.rules.view import View


class Worlds:
    """
    The deals that fit a view.

    Attributes:
        unseen: The cards that differ from one to the next.
        are_alike: Whether any draw of `unseen` fits; otherwise some must be thrown away.
    """

    def __init__(self, view: View) -> None:
        """
        Take in what *view* tells.

        Raises:
            Unfit: If no deal fits it.
        """
        if view.phase is Phase.OVER:
            raise ValueError("the deal is over: nothing is left to sample")
        self._view = view
        self.unseen = Unseen(view)
        self.are_alike = self.unseen.evidence.is_complete
        self._played = _played(view)
        offset = view.rules.pass_offset(view.deal)
        self._offset = offset if view.phase is not Phase.PASS else 0
        self._first: Deal | None = None
        """A deal that fits; the next ones differ from it in hands and what goes with them."""

    def draw(self, chance: Chance) -> Deal:
        """One of the deals, where the view is: the same phase, the same cards on the table."""
        if self._first is None or not self.are_alike or self._view.seat not in self._first.to_act or self._is_sealed:
            self._first = self._fitting(chance)
            return self._first.copy()
        hands, down = self.unseen.draw(chance)
        hands[self._view.seat] = self._view.hand_mask
        deal = self._first.copy()
        deal.hands = hands
        dealt, passed = self._before_passing(hands, chance)
        deal.dealt = tuple(dealt)
        if self._offset:
            deal.passed = tuple(passed)
            deal.received = tuple(passed[-self._offset :] + passed[: -self._offset])
        if any(down):
            deal.exposures = self._exposures(down)
        return deal

    @property
    def _is_sealed(self) -> bool:
        return self._view.phase in (Phase.PASS, Phase.EXPOSE)

    def _fitting(self, chance: Chance) -> Deal:
        while True:
            hands, down = self.unseen.draw(chance)
            hands[self._view.seat] = self._view.hand_mask
            try:
                return self._lived(hands, down, chance)
            except IllegalAction:
                if self.are_alike:
                    raise

    def _lived(self, hands: Sequence[int], down: Sequence[int], chance: Chance) -> Deal:
        """Bring a deal to where the view is, by the rules, from its start."""
        view = self._view
        dealt, passed = self._before_passing(hands, chance)
        deal = Deal(view.rules, dealt, number=view.deal, leader=view.leaders[0] if view.leaders else None)
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

    def _before_passing(self, hands: Sequence[int], chance: Chance) -> tuple[list[int], list[int]]:
        """What each seat was dealt and what it passed, when it holds *hands* now; passes unknown are drawn."""
        view, players = self._view, len(hands)
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
                passed[seat] = _some(held[to], view.pass_count, chance)
        dealt = [held[seat] & ~passed[(seat - self._offset) % players] | passed[seat] for seat in range(players)]
        return dealt, passed

    def _exposures(self, down: Sequence[int]) -> tuple[Exposure, ...]:
        guessed = [Exposure(seat, card, Face.DOWN) for seat, mask in enumerate(down) for card in cards_in(mask)]
        return tuple(sorted([*self._view.exposures, *guessed], key=lambda shown: (shown.seat, shown.card)))


def _played(view: View) -> list[int]:
    """What each seat has played so far."""
    players = view.rules.players
    played = [0] * players
    for place, card in enumerate(view.plays):
        played[(view.leaders[place // players] + place) % players] |= 1 << card
    return played


def _some(cards: int, count: int, chance: Chance) -> int:
    """Choose *count* of *cards*, any of them as likely as the others."""
    options = list(cards_in(cards))
    return mask_of([options.pop(chance.below(len(options))) for _ in range(count)])

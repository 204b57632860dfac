"""
Conclusions from the plays of the other seats: which cards each of them cannot hold.

Every card played was legal. `Evidence` goes through the plays of a view and applies each of the rules in `Tricks` in
reverse: not which cards a hand allows, but which hands allow the card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules.actions import Face
from pigpen.rules.cards import FULL_DECK, SUIT_MASKS, mask_of

if TYPE_CHECKING:
    from pigpen.rules.view import SeatView


class Evidence:
    """
    Knowledge of the other hands that a view reveals.

    Attributes:
        absent: Cards that each seat cannot hold now, as masks.
        present: Unplayed cards that each other seat is known to hold, as masks.
        sizes: Number of cards that each seat holds now.
        is_complete: Whether every hand within these bounds allows all cards that were played. It is false only in
            variants that are no presets: then a deal must be played through to see whether it fits.
    """

    def __init__(self, view: SeatView) -> None:
        self._view = view
        self._plan = view.rules.plan
        self._players = view.rules.players
        self._barred = mask_of(shown.card for shown in view.exposures if shown.face is Face.UP)
        self._broken = not self._plan.restricted
        self.absent: list[int] = [0] * self._players
        self.sizes: list[int] = [view.rules.hand_size] * self._players
        self.is_complete: bool = True
        for trick, leader in enumerate(view.leaders):
            self._read_trick(view.plays[trick * self._players : (trick + 1) * self._players], leader, first=not trick)
        self.present: list[int] = [0 if seat == view.seat else view.held_by(seat) for seat in range(self._players)]
        self._find_opening_card()

    def _read_trick(self, cards: bytes, leader: int, *, first: bool) -> None:
        """Learn from one trick, complete or not."""
        for place, card in enumerate(cards):
            seat, bit = (leader + place) % self._players, 1 << card
            self.sizes[seat] -= 1
            if place:
                self.absent[seat] |= self._not_with_follower(bit, SUIT_MASKS[cards[0] // 13], first)
            else:
                self.absent[seat] |= self._not_with_leader(bit, SUIT_MASKS[card // 13], first)
        if len(cards) == self._players:
            self._barred &= ~SUIT_MASKS[cards[0] // 13]
            self._broken = self._broken or bool(mask_of(cards) & self._plan.breakers)

    def _not_with_follower(self, bit: int, led: int, first: bool) -> int:
        """Find the cards that a hand cannot hold beside the card *bit* that it played to a trick of the suit *led*."""
        barred_first = self._plan.barred_first if first else 0
        if not bit & led:
            return led | (FULL_DECK & ~barred_first if bit & barred_first else 0)
        absent, pool = 0, led
        if bit & barred_first:
            absent = led & ~barred_first
        else:
            pool = led & ~barred_first
        if bit & self._barred:
            absent |= pool & ~self._barred
        return absent

    def _not_with_leader(self, bit: int, suit: int, first: bool) -> int:
        """Find the cards that a hand cannot hold beside the card *bit* of *suit* that it led."""
        plan = self._plan
        if first and bit & plan.forced:
            return 0
        absent = plan.forced if first else 0
        unbroken = 0 if self._broken else plan.restricted
        if bit & unbroken:
            absent |= self._not_with_unbroken(plan.restricted, plan.alone)
        if bit & self._barred:
            absent |= suit & ~self._barred
        if first and bit & plan.barred_first:
            optional = 0 if bit & unbroken else unbroken
            absent |= FULL_DECK & ~(plan.barred_first | optional | self._barred)
            self.is_complete &= not (optional & ~plan.barred_first or self._barred)
        return absent

    def _not_with_unbroken(self, restricted: int, alone: int) -> int:
        """Find the cards that cannot be in a hand all of the restricted suit, or all in the set that may lead it."""
        self.is_complete &= not (restricted & ~alone and alone & ~restricted)
        return FULL_DECK & ~(restricted | alone)

    def _find_opening_card(self) -> None:
        """Find the holder of the opening card: the first leader, where it leads for that."""
        view = self._view
        opening = self._plan.opening & view.unseen_mask
        if view.leaders and opening and view.first_leader is None:
            self.present[view.leaders[0]] |= opening

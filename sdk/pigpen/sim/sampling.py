"""
The unseen cards dealt at random: all deals that fit a view are equally likely.

`Evidence` draws conclusions from the plays of the other seats: which cards each of them cannot hold. Every card played
was legal. `Evidence` goes through the plays of a view and applies each of the rules in `Tricks` in reverse: not which
cards a hand allows, but which hands allow the card. So it gives for each unseen card the places to which it may go. A
place is a seat, or the cards that a seat has exposed face down (GS-2).

`Splits` draws the number of cards of a class that go to each group of places. A shuffle within the class then decides
which cards those are, and one within the group where they lie.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pigpen.rules.actions import Face
from pigpen.rules.cards import FULL_DECK, SUIT_MASKS, cards_in, mask_of
from pigpen.sim import native
from pigpen.sim.splits import CardPlace, Splits, shuffles, spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules.view import SeatView
    from pigpen.sim.native.binding import Tables
    from pigpen.sim.sim_random import SimRandom


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


class Unseen:
    """
    The unseen cards of a view, ready to be dealt many times.

    Attributes:
        evidence: What is known of the other hands.
        places: The places where unseen cards may lie.
        sizes: Number of cards in each place.
        groups: Numbers of the places to which the same cards may go, for each group.
        splits: The ways to deal the cards to the groups.
        known: Cards that each seat is known to hold, as masks; for the seat of the view, its hand.
    """

    def __init__(self, view: SeatView) -> None:
        """
        Count the ways to deal the unseen cards of *view*.

        Raises:
            Unfit: If no deal fits it.
        """
        evidence = Evidence(view)
        self.evidence: Evidence = evidence
        others = [seat for seat in range(view.rules.players) if seat != view.seat]
        self.known: list[int] = list(evidence.present)
        self.known[view.seat] = view.hand_mask
        face_up = sum(shown.card.mask for shown in view.exposures)
        candidates = view.rules.plan.exposable & ~face_up
        hidden = [CardPlace(seat, True, view.hidden[seat]) for seat in others if view.hidden[seat]]
        sizes = {seat: evidence.sizes[seat] - view.hidden[seat] for seat in others}
        self.places: list[CardPlace] = [CardPlace(seat, False, sizes[seat]) for seat in others] + hidden
        by_set: dict[int, list[int]] = {}
        for number, place in enumerate(self.places):
            by_set.setdefault(view.unseen_mask & self._may_hold(place, candidates), []).append(number)
        self.groups: list[list[int]] = list(by_set.values())
        classes = _classes(view.unseen_mask, list(by_set))
        self.sizes: list[int] = [place.size for place in self.places]
        self.splits: Splits = Splits(classes, [sum(self.sizes[place] for place in group) for group in self.groups])

    def ways(self) -> int:
        """Return the number of deals that fit."""
        splits, ways = self.splits, 1
        for group in self.groups:
            ways *= shuffles(tuple(self.sizes[place] for place in group))
        return ways * splits.ways(0, splits.root)

    @cached_property
    def tables(self) -> Tables:
        """The ways to deal the cards, as the accelerated engine reads them."""
        from pigpen.sim.splits import pack_tables  # only where that engine runs

        return pack_tables(self.splits, self.groups, self.places)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "tables"}  # they hold addresses

    def _may_hold(self, place: CardPlace, candidates: int) -> int:
        """Find the cards that may lie in *place*."""
        cards = ~self.evidence.absent[place.seat] & (candidates if place.face_down else FULL_DECK)
        for seat, known in enumerate(self.known):
            if seat != place.seat:
                cards &= ~known
        return cards

    def draw(self, rng: SimRandom) -> tuple[list[int], list[int]]:
        """
        Deal the unseen cards.

        Returns:
            The cards that each other seat holds, and those of them that are exposed face down, as masks; zero for the
            seat of the view.
        """
        hands, down = [0] * len(self.known), [0] * len(self.known)
        engine = native.engine()
        if engine:
            dealt, rng.state = engine.sample(self.tables, rng.state)
        else:
            dealt = self._draw_places(rng)
        for place, mask in zip(self.places, dealt, strict=True):
            hands[place.seat] |= mask
            if place.face_down:
                down[place.seat] = mask
        return hands, down

    def _draw_places(self, rng: SimRandom) -> list[int]:
        """Deal the cards of each place once."""
        dealt = [0] * len(self.places)
        for group, mask in zip(self.groups, self.splits.draw(rng), strict=True):
            spread(list(cards_in(mask)), group, self.sizes, rng, dealt)
        return dealt


def _classes(cards: int, sets: Sequence[int]) -> dict[tuple[int, ...], int]:
    """Divide *cards* by the numbers of the *sets* that hold them; the class of the first card comes first."""
    classes: dict[tuple[int, ...], int] = {(): cards}
    for number, others in enumerate(sets):
        inside = {(*numbers, number): mask & others for numbers, mask in classes.items()}
        classes = inside | {numbers: mask & ~others for numbers, mask in classes.items()}
    return dict(sorted([item for item in classes.items() if item[1]], key=lambda item: item[1] & -item[1]))

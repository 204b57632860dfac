"""
The unseen cards dealt at random: all deals that fit a view are equally likely.

`Evidence` gives for each unseen card the places to which it may go. A place is a seat, or the cards that a seat has
exposed face down (GS-2). `Splits` draws the number of cards of a class that go to each group of places. A shuffle
within the class then decides which cards those are, and one within the group where they lie.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pigpen.rules.cards import cards_in, mask_of
from pigpen.sim import native
from pigpen.sim.inference import Evidence
from pigpen.sim.splits import CardPlace, Splits, shuffles, spread

if TYPE_CHECKING:
    from pigpen.rules.view import SeatView
    from pigpen.sim.native.binding import Tables
    from pigpen.sim.sim_random import SimRandom


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
        sets = [
            mask_of(card for card in view.unseen if self._may_lie(card.mask, place, candidates))
            for place in self.places
        ]
        by_set: dict[int, list[int]] = {}
        for number, cards in enumerate(sets):
            by_set.setdefault(cards, []).append(number)
        self.groups: list[list[int]] = list(by_set.values())
        classes: dict[tuple[int, ...], int] = {}
        for card in view.unseen:
            groups = tuple([group for group, cards in enumerate(by_set) if cards & card.mask])
            classes[groups] = classes.get(groups, 0) | card.mask
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
        from pigpen.sim.tables import pack_tables  # only where that engine runs

        return pack_tables(self.splits, self.groups, self.places)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "tables"}  # they hold addresses

    def _may_lie(self, bit: int, place: CardPlace, candidates: int) -> bool:
        is_in_other_seat = any(bit & known for seat, known in enumerate(self.known) if seat != place.seat)
        absent = bit & self.evidence.absent[place.seat]
        return not is_in_other_seat and not absent and (not place.face_down or bool(bit & candidates))

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

"""
Counts over finished deals: which cards one seat's side took, and where its points come from.

The score of a deal is divided into the points of each card by itself, exposures included; what the doubler adds; and
what a moon adds. The three parts of a margin (`pigpen.margin`) add up to it, so a difference between two choices is the
sum of the differences of their parts. The accelerated engine counts the same (`native/tally.h`).
"""

from __future__ import annotations

import operator
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pigpen.rules.cards import cards_in
from pigpen.rules.scoring import card_weights, doubled_points, shooter_of
from pigpen.sim.solving import margin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules.cards import Card
    from pigpen.rules.deal import Deal

DECK = 52
DEALS, TRICKS, OWN_MOONS, OTHER_MOONS, DOUBLED, OWN_MOON, OTHER_MOON, TAKEN = range(8)
POINTS = TAKEN + DECK
NUMBERS = POINTS + DECK
"""Numbers of a tally."""


@dataclass(slots=True)
class Tally:
    """
    Counts over the deals that were played out after one choice of a seat.

    >>> from pigpen import Tally, View
    >>> from pigpen.rules import PRESETS, Card, Deal, deal_hands
    >>> rules = PRESETS["hearts"]
    >>> deal = Deal(rules, deal_hands(rules, bytes(32), 3), number=3)
    >>> while len(deal.plays) < 40:
    ...     deal.apply(deal.turn, deal.default_action(deal.turn))
    ...
    >>> view = View(*deal.known_to(deal.turn), seed=7)
    >>> tallies = [Tally() for _ in view.legal]
    >>> scores = view.playouts(20, view.rng, tallies=tallies)
    >>> {str(card): tally.tricks / tally.deals for card, tally in zip(view.legal, tallies, strict=True)}
    {'2S': 0.0, 'TS': 0.65, 'AS': 1.0}

    A seat's side is the seat, and its partner if there are partners. Margins are those of `pigpen.margin`, so they are
    the seats' number of times as large as points.
    """

    numbers: array[int] = field(default_factory=lambda: array("q", bytes(8 * NUMBERS)))
    """The counts in the order of `native/tally.h`."""

    @property
    def deals(self) -> int:
        """Number of deals."""
        return self.numbers[DEALS]

    @property
    def tricks(self) -> int:
        """Number of deals in which the seat takes the current trick, if the choice is a card."""
        return self.numbers[TRICKS]

    @property
    def own_moons(self) -> int:
        """Number of deals in which the side shoots the moon."""
        return self.numbers[OWN_MOONS]

    @property
    def other_moons(self) -> int:
        """Number of deals in which another seat shoots the moon."""
        return self.numbers[OTHER_MOONS]

    @property
    def doubled(self) -> int:
        """Margin from what the doubler adds, to whichever seat took it; without a moon."""
        return self.numbers[DOUBLED]

    @property
    def own_moon(self) -> int:
        """Margin that moons of the side add."""
        return self.numbers[OWN_MOON]

    @property
    def other_moon(self) -> int:
        """Margin that moons of other seats add."""
        return self.numbers[OTHER_MOON]

    @property
    def taken(self) -> Sequence[int]:
        """For each card, if it is a scoring card or the doubler: number of deals in which the side takes it."""
        return self.numbers[TAKEN:POINTS]

    @property
    def points(self) -> Sequence[int]:
        """For each card: points that it counts for the side by itself, with what exposures multiply."""
        return self.numbers[POINTS:]

    def note(self, deal: Deal, scores: Sequence[int], seat: int, card: Card | None = None) -> None:
        """
        Add a finished deal.

        Args:
            deal: The deal.
            scores: The scores of all seats.
            seat: The seat that made the choice.
            card: The card that it played to the current trick; None: it chose something else.
        """
        rules = deal.rules
        weights = card_weights(rules, {shown.card: shown.face for shown in deal.exposures})
        values = [points * weight for points, weight in zip(rules.plan.points, weights, strict=True)]
        plain = [sum(values[each] for each in cards_in(taken & rules.plan.scoring)) for taken in deal.taken]
        doubled = [doubled_points(rules, taken, weights) for taken in deal.taken]
        whole, without_moon = margin(rules, scores, seat), self._team_margin(deal, doubled, seat)
        moon, side = shooter_of(rules, deal.taken), rules.teammates(seat)
        self._add(DEALS, 1)
        self._add(TRICKS, card is not None and bool(deal.taken[seat] & card.mask))
        self._add(DOUBLED, without_moon - self._team_margin(deal, plain, seat))
        if moon is not None:
            self._add(OWN_MOONS if moon in side else OTHER_MOONS, 1)
            self._add(OWN_MOON if moon in side else OTHER_MOON, int(whole) - without_moon)
        for mate in side:
            for each in cards_in(deal.taken[mate] & (rules.plan.scoring | rules.plan.doubler)):
                self._add(TAKEN + each, 1)
                self._add(POINTS + each, values[each])

    def add(self, numbers: Sequence[int]) -> None:
        """Add what the engine has counted."""
        self.numbers = array("q", map(operator.add, self.numbers, numbers))

    def _add(self, place: int, number: int) -> None:
        self.numbers[place] += number

    @staticmethod
    def _team_margin(deal: Deal, points: Sequence[int], seat: int) -> int:
        rules = deal.rules
        scores = [sum(points[mate] for mate in rules.teammates(each)) for each in range(rules.players)]
        return int(margin(rules, scores, seat))


def check_tallies(tallies: Sequence[Tally] | None, options: int) -> None:
    """
    Refuse tallies that do not fit the cards *options*, a mask.

    Raises:
        ValueError: If there are tallies, and not as many as cards, or one of them is not whole.
    """
    if tallies is not None and len(tallies) != options.bit_count():
        raise ValueError(f"{options.bit_count()} cards are tried, and there are {len(tallies)} tallies for them")
    if any(len(tally.numbers) != NUMBERS for tally in tallies or ()):
        raise ValueError(f"a tally has {NUMBERS} numbers; make it by Tally()")

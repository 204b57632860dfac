"""The parts of the points of a deal, card by card."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from ladder.values.person_state import PersonPoints
from pigpen.rules import CARDS, Card, MoonChoice, cards_in
from pigpen.rules.parts import PigWhenMoon, ShooterCards
from pigpen.rules.scoring import card_points, card_weights, doubler_factor, shooter_of
from referee.records.steps import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pigpen.rules import Face, Rules
    from pigpen.values.view import View


class Reason(enum.StrEnum):
    """The reason that some points were given."""

    CARD = "card"
    """A card was taken; `factor` is what its exposure makes of it."""
    ALONE = "alone"
    """The doubler was taken, and no scoring card; `factor` is what its exposure makes of it."""
    DOUBLER = "doubler"
    """The doubler multiplies what its taker took by `factor`: these points come on top."""
    MOON_CARDS = "moon cards"
    """All cards of the moon were taken, and count anew: these points instead of each card's own."""
    MOON_PIG = "moon pig"
    """The shooter's pig counts anew; `card` says which it is."""
    MOON_INSTEAD = "moon instead"
    """The shooter took these points instead of giving others points."""
    MOON_OTHERS = "moon others"
    """Another seat has shot the moon."""
    PARTNER = "partner"
    """The partner's points."""


def points_explained(view: View, scores: Sequence[int]) -> tuple[tuple[PersonPoints, ...], ...]:
    """
    Take the scores of a deal apart, seat by seat.

    Args:
        view: What a seat sees when the deal is over.
        scores: The score of each seat; it shows what the shooter of a moon chose.
    """
    rules, seats = view.rules, range(view.rules.players)
    taken = [view.taken_mask(seat) for seat in seats]
    exposed = {shown.card: shown.face for shown in view.exposures}
    deal = _Deal(rules, taken, exposed, _choice(rules, taken, exposed, scores))
    own = [tuple(deal.parts(seat)) for seat in seats]
    if not rules.partners:
        return tuple(own)
    mates = [next(mate for mate in rules.teammates(seat) if mate != seat) for seat in seats]
    return tuple(
        (*parts, _part(Reason.PARTNER, sum(part.points for part in own[mate])))
        for parts, mate in zip(own, mates, strict=True)
    )


def no_points_remain(view: View) -> bool:
    """Tell whether every card that counts, or that changes what others count, has been taken: nothing can change."""
    plan = view.rules.plan
    taken = 0
    for seat in range(view.rules.players):
        taken |= view.taken_mask(seat)
    return not (plan.scoring | plan.doubler | plan.moon) & plan.deck_mask & ~taken


def _choice(rules: Rules, taken: Sequence[int], exposed: Mapping[Card, Face], scores: Sequence[int]) -> MoonChoice:
    """Find the choice of the shooter, if there is one: the choice that gives these scores."""
    added = card_points(rules, taken, exposed, MoonChoice.ADD)
    return MoonChoice.ADD if list(added) == list(scores) else MoonChoice.SUBTRACT


def _part(reason: Reason, points: int, card: Card | None = None, factor: int = 1) -> PersonPoints:
    return PersonPoints(reason=reason.value, points=points, card="" if card is None else NAMES[card], factor=factor)


class _Deal:
    """The captured cards of a deal."""

    def __init__(self, rules: Rules, taken: Sequence[int], exposed: Mapping[Card, Face], choice: MoonChoice) -> None:
        self._rules = rules
        self._taken = taken
        self._weights = card_weights(rules, exposed)
        self._shooter = shooter_of(rules, taken)
        self._choice = choice

    def parts(self, seat: int) -> Iterator[PersonPoints]:
        """Yield the parts of the points of a seat, a partner's left out."""
        taken, plan = self._taken[seat], self._rules.plan
        own = [*(self._shot(taken) if seat == self._shooter else self._cards(taken & plan.scoring))]
        yield from own
        if taken & plan.doubler:
            yield from self._doubled(taken, sum(part.points for part in own))
        yield from self._moon(seat)

    def _cards(self, taken: int) -> Iterator[PersonPoints]:
        for card in reversed(cards_in(taken)):
            yield self._card(card)

    def _card(self, card: Card) -> PersonPoints:
        factor = self._weights[card]
        return _part(Reason.CARD, self._rules.plan.points[card] * factor, card, factor)

    def _doubled(self, taken: int, points: int) -> Iterator[PersonPoints]:
        doubler, plan = self._rules.scoring.doubler, self._rules.plan
        assert doubler is not None
        card = CARDS[plan.doubler.bit_length() - 1]
        if taken & plan.scoring:
            factor = doubler_factor(self._rules, taken, self._weights)
            yield _part(Reason.DOUBLER, points * (factor - 1), card, factor)
        else:
            factor = self._weights[card]
            yield _part(Reason.ALONE, doubler.alone * factor, card, factor)

    def _shot(self, taken: int) -> Iterator[PersonPoints]:
        plan, moon = self._rules.plan, self._rules.moon
        assert moon is not None
        cards = sum(part.points for part in self._cards(plan.moon))
        yield _part(Reason.MOON_CARDS, -cards if moon.shooter is ShooterCards.NEGATE else 0)
        pig = plan.pig & ~plan.moon & taken
        for card in reversed(cards_in(taken & plan.scoring & ~plan.moon)):
            part = self._card(card)
            if card.mask & pig and moon.pig_when_moon is not PigWhenMoon.KEEP:
                turned = -part.points if moon.pig_when_moon is PigWhenMoon.FLIP else 0
                yield _part(Reason.MOON_PIG, turned, card, part.factor)
            else:
                yield part

    def _moon(self, seat: int) -> Iterator[PersonPoints]:
        moon, shooter = self._rules.moon, self._shooter
        if moon is None or shooter is None:
            return
        if moon.instead is not None and self._choice is MoonChoice.SUBTRACT:
            if seat == shooter:
                yield _part(Reason.MOON_INSTEAD, moon.instead)
        elif seat != shooter and moon.others:
            factor = doubler_factor(self._rules, self._taken[shooter], self._weights) if moon.others_doubled else 1
            yield _part(Reason.MOON_OTHERS, moon.others * factor, factor=factor)

"""A variant compiled to masks and numbers, so that the engine reads no card names while it plays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules.cards import CARDS, FULL_DECK, Card, Suit, byte_totals, cards_in, parse_cards

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules.parts import RulesFields


@dataclass(frozen=True, slots=True)
class Plan:
    """
    A variant as masks and numbers. An absent part of the rules is an empty set or a zero.

    >>> from pigpen.rules import PRESETS, Card, cards_in
    >>> plan = PRESETS["gongzhu"].plan
    >>> plan.points[Card.parse("QS")], plan.harm[Card.parse("QS")], plan.harm[Card.parse("JD")]
    (-100, 100, -100)
    >>> cards_in(plan.exposable)
    (Card('TC'), Card('JD'), Card('AH'), Card('QS'))
    """

    deck: tuple[Card, ...]
    """The cards in play, in canonical order."""
    deck_mask: int
    """The cards in play, as a mask."""
    hand_size: int
    """Number of cards dealt to each seat."""
    opening: int
    """The card whose holder leads to the first trick, as a mask."""
    forced: int
    """The card that must be led to the first trick, or no card, as a mask."""
    barred_first: int
    """Cards barred from the first trick while the hand holds any other card, as a mask."""
    restricted: int
    """The suit that may not be led until it is broken, as a mask."""
    breakers: int
    """Cards that break the restricted suit, as a mask."""
    alone: int
    """A hand that holds only these cards may lead the restricted suit before it is broken; a mask."""
    exposable: int
    """Cards that may be exposed, as a mask."""
    scoring: int
    """The scoring cards, as a mask."""
    doubler: int
    """The card that multiplies points, as a mask."""
    points: tuple[int, ...]
    """Points of each of the 52 cards."""
    totals: tuple[tuple[int, ...], ...]
    """Points of the cards of each byte of a mask: seven tables, one for each byte, by its value."""
    pass_count: int
    """Number of cards that each player passes."""
    pass_offsets: tuple[int, ...]
    """Number of seats clockwise that cards are passed, for each deal of the cycle."""
    moon: int
    """The cards that a shooter must take, as a mask."""
    pig: int
    """The pig, as a mask."""
    harm: tuple[int, ...]
    """About what each card costs its taker, below zero for a good card; an estimate for quick policies."""
    danger: tuple[int, ...]
    """Place of each card in the order of discards; the highest is the worst card to keep."""
    prize: tuple[int, ...]
    """Place of each card for the last player of a trick who takes it; the lowest is the best card to play."""
    meek: tuple[int, ...]
    """Place of each card for a leader; the lowest is the least likely to win the trick."""

    def __copy__(self) -> Plan:
        return self

    def __deepcopy__(self, memo: object) -> Plan:
        return self


def make_plan(rules: RulesFields) -> Plan:
    """Compile *rules* to masks and numbers."""
    deck = FULL_DECK & ~parse_cards(rules.removed)
    opening = Card.parse(rules.opening.card).mask
    leading, moon, doubler = rules.leading, rules.moon, rules.scoring.doubler
    harm, points = _harm(rules), _points(rules)
    return Plan(
        deck=cards_in(deck),
        deck_mask=deck,
        hand_size=deck.bit_count() // rules.players,
        opening=opening,
        forced=opening if rules.opening.forced else 0,
        barred_first=parse_cards(rules.first_trick.barred) if rules.first_trick else 0,
        restricted=Suit[leading.suit.upper()].mask if leading else 0,
        breakers=parse_cards(leading.broken_by) if leading else 0,
        alone=parse_cards(leading.alone) if leading else 0,
        exposable=parse_cards(rules.exposing.cards) if rules.exposing else 0,
        scoring=deck & parse_cards(rules.scoring.points),
        doubler=Card.parse(doubler.card).mask if doubler else 0,
        points=points,
        totals=byte_totals(points),
        pass_count=rules.passing.cards if rules.passing else 0,
        pass_offsets=_pass_offsets(rules),
        moon=deck & parse_cards(moon.cards) if moon else 0,
        pig=deck & parse_cards([moon.pig]) if moon else 0,
        harm=harm,
        danger=_order(lambda card: (harm[card], card.rank, card)),
        prize=_order(lambda card: (harm[card], -card.rank, card)),
        meek=_order(lambda card: (card.rank, harm[card], card)),
    )


def _points(rules: RulesFields) -> tuple[int, ...]:
    """Give the points of each card; a card's own entry goes before its suit's."""
    points = [0] * 52
    for name, value in sorted(rules.scoring.points.items(), key=lambda item: len(item[0]), reverse=True):
        for card in cards_in(parse_cards([name])):
            points[card] = value
    return tuple(points)


def _harm(rules: RulesFields) -> tuple[int, ...]:
    """Give the points of each card, turned; the doubler counts what it adds to an average player's."""
    sign = 1 if rules.low_is_better else -1
    harm = [sign * points for points in _points(rules)]
    doubler = rules.scoring.doubler
    if doubler:
        harm[Card.parse(doubler.card)] += sum(harm) * (doubler.factor - 1) // max(rules.players, 1)
    return tuple(harm)


def _order(key: Callable[[Card], tuple[int, ...]]) -> tuple[int, ...]:
    """Give the place of each card among all of them, by *key*."""
    ordered = sorted(CARDS, key=key)
    return tuple(map(ordered.index, CARDS))


def _pass_offsets(rules: RulesFields) -> tuple[int, ...]:
    if rules.passing is None:
        return (0,)
    return tuple(direction.offset(rules.players) for direction in rules.passing.directions)

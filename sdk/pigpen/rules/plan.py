"""A variant compiled to masks and numbers, so that the engine never reads a card's name while it plays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules.byte_totals import Totals, byte_totals
from pigpen.rules.cards import CARDS, FULL_DECK, Card, Suit, cards_in, parse_cards

if TYPE_CHECKING:
    from collections.abc import Callable

    from pigpen.rules.parts import RulesFields


@dataclass(frozen=True, slots=True)
class Plan:
    """Masks are sets of cards; an absent part of the rules is an empty set or a zero."""

    deck: tuple[Card, ...]
    deck_mask: int
    hand_size: int
    opening: int
    """The one card whose holder leads first."""
    forced: int
    """The card that must be led first, or nothing."""
    barred_first: int
    """Barred from the first trick while the hand holds anything else."""
    restricted: int
    """The suit that may not be led until broken."""
    breakers: int
    alone: int
    """A hand within this set may lead the restricted suit unbroken."""
    exposable: int
    scoring: int
    """The scoring cards."""
    doubler: int
    points: tuple[int, ...]
    """Points of each of the 52 cards."""
    totals: Totals
    """The same for each byte of a mask."""
    pass_count: int
    """How many cards each player passes."""
    pass_offsets: tuple[int, ...]
    """How many seats clockwise the passed cards travel, deal by deal of the cycle."""
    moon: int
    pig: int
    harm: tuple[int, ...]
    """Roughly what each card costs its taker, below zero for a good card, in every variant; for quick policies."""
    danger: tuple[int, ...]
    """Place of each card in the order of how gladly one is rid of it; the highest is the worst to keep."""
    prize: tuple[int, ...]
    """The same for the last to play who takes the trick: the lowest does best."""
    meek: tuple[int, ...]
    """The same for a leader: the lowest is the least likely to win."""


def make_plan(rules: RulesFields) -> Plan:
    """Compile *rules*."""
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
    """A card's own entry goes before its suit's."""
    points = [0] * 52
    for name, value in sorted(rules.scoring.points.items(), key=lambda item: len(item[0]), reverse=True):
        for card in cards_in(parse_cards([name])):
            points[card] = value
    return tuple(points)


def _harm(rules: RulesFields) -> tuple[int, ...]:
    """The points, turned; the doubler counts what it adds to an average player's."""
    sign = 1 if rules.low_is_better else -1
    harm = [sign * points for points in _points(rules)]
    doubler = rules.scoring.doubler
    if doubler:
        harm[Card.parse(doubler.card)] += sum(harm) * (doubler.factor - 1) // max(rules.players, 1)
    return tuple(harm)


def _order(key: Callable[[Card], tuple[int, ...]]) -> tuple[int, ...]:
    """The place of each card among all of them, by *key*."""
    ordered = sorted(CARDS, key=key)
    return tuple(map(ordered.index, CARDS))


def _pass_offsets(rules: RulesFields) -> tuple[int, ...]:
    if rules.passing is None:
        return (0,)
    return tuple(direction.offset(rules.players) for direction in rules.passing.directions)

"""A table for the tests: hands spelled as people write them, small decks, and rules that no preset has."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from pigpen.rules import Card, Deal, Face, Phase, PigWhenMoon, ShooterCards, cards_in
from pigpen.rules.cards import FULL_DECK, parse_cards
from pigpen.rules.parts import Doubler, Exposing, FirstTrick, Leading, Moon, Opening
from pigpen.rules.presets import CHINESE_HEARTS, GONGZHU, GONGZHU_SALE, HEARTS
from pigpen.rules.tricks import Tricks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pigpen.rules import Rules

named = attrgetter("name")
"""Rules by name, as the id of a test."""
NO_PASS = 3
"""The number of a deal in which no variant passes cards."""


def mask(text: str) -> int:
    """The set that *text* spells: cards, and whole suits by name."""
    return parse_cards(text.split())


def names(cards: int | Iterable[Card]) -> str:
    """The cards, spelled in canonical order."""
    return " ".join(map(str, cards_in(cards) if isinstance(cards, int) else cards))


def dealt(rules: Rules, *wanted: str, number: int = NO_PASS, leader: int | None = None) -> Deal:
    """The whole deck, each seat holding at least the cards *wanted*; the others fill the hands in canonical order."""
    hands = [mask(text) for text in wanted] + [0] * (rules.players - len(wanted))
    for card in cards_in(rules.plan.deck_mask & ~sum(hands)):
        seat = next(seat for seat, hand in enumerate(hands) if hand.bit_count() < rules.hand_size)
        hands[seat] |= card.mask
    return Deal(rules, hands, number=number, leader=leader)


def small(rules: Rules, table: str, *, number: int = NO_PASS, leader: int | None = None) -> Deal:
    """A deal of nothing but the cards in *table*: hands parted by bars, seat 0 first."""
    hands = [mask(hand) for hand in table.split("|")]
    removed = tuple(map(str, cards_in(FULL_DECK & ~sum(hands))))
    return Deal(replace(rules, removed=removed), hands, number=number, leader=leader)


def expose(deal: Deal, up: str = "", down: str = "") -> Deal:
    """Every seat that is asked exposes those of the cards that it holds."""
    faces = dict.fromkeys(cards_in(mask(up)), Face.UP) | dict.fromkeys(cards_in(mask(down)), Face.DOWN)
    for seat in deal.to_act if deal.phase is Phase.EXPOSE else ():
        deal.apply(seat, {card: face for card, face in faces.items() if card.mask & deal.hands[seat]})
    return deal


def play(deal: Deal, cards: str) -> Deal:
    """Play *cards*, each from the hand of the seat whose turn it is."""
    for name in cards.split():
        deal.apply(deal.turn, Card.parse(name))
    return deal


def choices(deal: Deal) -> str:
    """List the cards that the seat whose turn it is may play."""
    return names(deal.legal(deal.turn))


def state(deal: Deal) -> dict[str, str]:
    """Everything the deal holds, private parts included, frozen as text."""
    return {name: repr(getattr(deal, name)) for name in Tricks.__slots__ + Deal.__slots__}


MIXED = replace(
    GONGZHU,
    name="mixed",
    first_trick=FirstTrick(barred=("hearts", "QS")),
    leading=Leading(suit="hearts", broken_by=("hearts",), alone=("2H", "3H", "QS", "spades")),
    opening=Opening(card="2S", forced=False),
    exposing=Exposing(cards={"AH": ("hearts",), "QS": ("QS",)}, face_up=2),
)
"""Under these not every hand within the bounds fits: who leads hearts holds hearts alone, or such as 2H QS."""

CLUBS_AND_ALL = replace(
    GONGZHU_SALE,
    name="clubs-and-all",
    first_trick=FirstTrick(barred=("clubs", "QS", "JD")),
    leading=Leading(suit="spades", broken_by=("QS", "diamonds"), alone=("spades", "hearts")),
    opening=Opening(card="7D", forced=False),
    exposing=Exposing(cards={"AH": ("hearts", "QS"), "KS": ("TC",), "TC": ("TC", "AH")}, face_up=3, face_down=5),
    moon=Moon(cards=("hearts", "JD"), shooter=ShooterCards.NEGATE, others=7, pig_when_moon=PigWhenMoon.VOID),
)

ODD = [
    MIXED,
    CLUBS_AND_ALL,
    replace(HEARTS, name="two", players=2, passing=None),
    replace(GONGZHU, name="three", players=3, removed=("2C",)),
    replace(GONGZHU_SALE, name="eight", players=8, removed=("2C", "2D", "2H", "3C")),
    replace(CHINESE_HEARTS, name="six", players=6, removed=("3C", "2D", "2H", "3D"), partners=False),
    replace(
        CHINESE_HEARTS,
        name="doubled",
        partners=True,
        scoring=replace(CHINESE_HEARTS.scoring, doubler=Doubler(card="QS", factor=3, alone=-11)),
        moon=Moon(cards=("hearts",), shooter=ShooterCards.VOID, others=9, others_doubled=True, instead=-4, pig="AS"),
    ),
]

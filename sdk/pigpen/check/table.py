"""Deals with given hands; cards are written with two letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Card, Deal, Face, Phase, cards_in
from pigpen.rules.cards import mask_of, parse_cards

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pigpen.rules import Rules


def dealt(rules: Rules, wanted: Sequence[str], number: int, leader: int | None = None) -> Deal:
    """Make a deal in which each seat holds the cards *wanted*; the other cards fill the hands in canonical order."""
    hands = [parse_cards(text.split()) for text in wanted] + [0] * (rules.players - len(wanted))
    for card in cards_in(rules.plan.deck_mask & ~sum(hands)):
        seat = next(seat for seat, hand in enumerate(hands) if hand.bit_count() < rules.hand_size)
        hands[seat] |= card.mask
    return Deal(rules, hands, number=number, leader=leader)


def passed(rules: Rules, wanted: Sequence[str], number: int) -> Deal:
    """
    Make a deal after its pass, if it has one, in which each seat then holds the cards *wanted*.

    The other cards fill the hands as in `dealt`. The cards passed to a seat are the first of the hand that it then has.
    """
    deal = dealt(rules, wanted, number)
    if deal.phase is not Phase.PASS:
        return deal
    received = [mask_of(cards_in(hand)[: rules.plan.pass_count]) for hand in deal.hands]
    offset = rules.pass_offset(number)
    passes = received[offset:] + received[:offset]
    hands = [hand & ~in_ | out for hand, in_, out in zip(deal.hands, received, passes, strict=True)]
    deal = Deal(rules, hands, number=number)
    for seat, cards in enumerate(passes):
        deal.apply(seat, cards_in(cards))
    return deal


def expose(deal: Deal, up: str = "", down: str = "") -> None:
    """Answer for every seat that is asked: it exposes those of the cards that it holds."""
    faces = dict.fromkeys(map(Card.parse, up.split()), Face.UP) | dict.fromkeys(
        map(Card.parse, down.split()), Face.DOWN
    )
    for seat in deal.to_act if deal.phase is Phase.EXPOSE else ():
        deal.apply(seat, {card: face for card, face in faces.items() if card.mask & deal.hands[seat]})


def play(deal: Deal, cards: str) -> None:
    """Play *cards*, each from the hand of the seat whose turn it is."""
    for name in cards.split():
        deal.apply(deal.turn, Card.parse(name))


def skip(deal: Deal, phase: Phase) -> None:
    """Let the default policy decide for all seats while *phase* lasts."""
    while deal.phase is phase:
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))

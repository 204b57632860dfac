"""
Objections to a set of rules: its mistakes, one sentence each that begins with the name of the field.

One limit is on the number of legal answers to a sealed question. Cards are played from a hand of at most 26, but passes
and exposures are sets of cards: 13 of 26 cards can be passed in 10,400,600 ways. A bot that looks at all of them would
need minutes and gigabytes, so no variant has such a question.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from pigpen.rules.cards import FULL_DECK, Card, Suit, cards_in, parse_cards
from pigpen.rules.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pigpen.rules.parts import Exposing, RulesFields

MAX_CHOICES = 100_000
"""Largest number of legal choices in a decision. Presets have 286; 5 of 26 cards can be passed in 65,780 ways."""


def count_passes(hand: int, cards: int) -> int:
    """Count the ways to choose *cards* cards from a hand of *hand* cards."""
    return comb(hand, cards)


def count_exposures(exposing: Exposing, cards: int) -> int:
    """Count the ways to expose some or none of *cards* exposable cards in a hand."""
    return int((3 if exposing.face_down else 2) ** cards)


def too_many_choices(rules: RulesFields, hand: int) -> Iterator[str]:
    """
    Object to decisions with more than `MAX_CHOICES` choices.

    Args:
        rules: The variant; its numbers make sense in themselves.
        hand: Cards dealt to each seat.
    """
    if rules.passing and (ways := count_passes(hand, rules.passing.cards)) > MAX_CHOICES:
        yield (
            f"passing.cards: there are {ways:,} ways to pass {rules.passing.cards} of {hand} cards, "
            f"and a decision has at most {MAX_CHOICES:,} choices; pass fewer"
        )
    if rules.exposing:
        cards = min(len(rules.exposing.cards), hand)
        if (ways := count_exposures(rules.exposing, cards)) > MAX_CHOICES:
            yield (
                f"exposing.cards: a hand can hold {cards} of these {len(rules.exposing.cards)} cards and expose them "
                f"in {ways:,} ways, and a decision has at most {MAX_CHOICES:,} choices; name fewer"
            )


MAX_NUMBER = 1_000_000
"""Largest number in the rules, above or below zero."""
MAX_MULTIPLIER = 100
"""Largest multiplier."""
MAX_SCORE = 10**12
"""Largest score of a deal, above or below zero: the totals of the longest match fit into 64 bits."""


def objections(rules: RulesFields) -> list[str]:
    """List the mistakes in *rules*, worst first; empty for a game that can be played."""
    found = list(_bad_names(rules)) or [*_huge_numbers(rules), *_bad_numbers(rules)]
    return found or [*too_many_choices(rules, _hand(rules)), *_huge_scores(rules)]


def _bad_names(rules: RulesFields) -> Iterator[str]:
    for field, names in _sets(rules):
        if not names and field != "removed":
            yield f"{field}: name at least one card, or leave the whole part out"
        try:
            parse_cards(names)
        except ValueError as error:
            yield f"{field}: {error}, or a whole suit by its name, such as hearts"
    for field, name in _single_cards(rules):
        try:
            Card.parse(name)
        except ValueError as error:
            yield f"{field}: {error}"
    if rules.leading and rules.leading.suit.upper() not in Suit.__members__:
        yield f"leading.suit: {rules.leading.suit!r} is not one of clubs, diamonds, hearts, spades"


def _bad_numbers(rules: RulesFields) -> Iterator[str]:
    deck, hand = FULL_DECK & ~parse_cards(rules.removed), _hand(rules)
    if not 2 <= rules.players <= 8:
        yield f"players: {rules.players} is not a number from 2 to 8"
    elif deck.bit_count() % rules.players or not hand:
        yield f"removed: {deck.bit_count()} cards cannot be dealt evenly to {rules.players} players"
    if rules.partners and rules.players != 4:
        yield "partners: partners sit opposite, which takes 4 players"
    idle = "moon.pig" if rules.moon and rules.moon.pig_when_moon == "keep" else ""
    for field, card in _single_cards(rules):
        if field != idle and not Card.parse(card).mask & deck:
            yield f"{field}: {card} is not in the deck"
    yield from _bad_passing(rules, hand)
    if rules.exposing and (rules.exposing.face_up < 1 or rules.exposing.face_down < 0):
        yield "exposing.face_up, exposing.face_down: a multiplier is 1 or more (face_down 0: not allowed)"
    if rules.end.cap < 1 or (rules.end.deals is not None and rules.end.deals < 1):
        yield "end.deals, end.cap: a game has at least one deal"
    if (rules.end.limit if rules.low_is_better else -rules.end.limit) <= 0:
        side = "above" if rules.low_is_better else "below"
        yield f"end.limit: {rules.end.limit} would end a game before its first deal; it must be {side} 0"


def _hand(rules: RulesFields) -> int:
    """Count the cards that each seat is dealt."""
    deck = FULL_DECK & ~parse_cards(rules.removed)
    return deck.bit_count() // max(rules.players, 1)


def _huge_numbers(rules: RulesFields) -> Iterator[str]:
    for field, number in _numbers(rules):
        if abs(number) > MAX_NUMBER:
            yield f"{field}: {number} is not a number from {-MAX_NUMBER} to {MAX_NUMBER}"
    for field, number in _multipliers(rules):
        if not 0 <= number <= MAX_MULTIPLIER:
            yield f"{field}: {number} is not a multiplier from 0 to {MAX_MULTIPLIER}"


def _numbers(rules: RulesFields) -> Iterator[tuple[str, int]]:
    yield "end.limit", rules.end.limit
    yield "end.cap", rules.end.cap
    yield "end.deals", rules.end.deals or 0
    for card, points in rules.scoring.points.items():
        yield f"scoring.points.{card}", points
    if rules.scoring.doubler:
        yield "scoring.doubler.alone", rules.scoring.doubler.alone
    if rules.moon:
        yield "moon.others", rules.moon.others
        yield "moon.instead", rules.moon.instead or 0


def _multipliers(rules: RulesFields) -> Iterator[tuple[str, int]]:
    if rules.scoring.doubler:
        yield "scoring.doubler.factor", rules.scoring.doubler.factor
    if rules.exposing:
        yield "exposing.face_up", rules.exposing.face_up
        yield "exposing.face_down", rules.exposing.face_down


def _huge_scores(rules: RulesFields) -> Iterator[str]:
    """Object to multipliers that together make a score of more than `MAX_SCORE` possible."""
    if rules.exposing is None:
        return
    plan, multiplier = make_plan(rules), max(rules.exposing.face_up, rules.exposing.face_down)
    times = [1] * len(plan.points)
    for multiplied in rules.exposing.cards.values():
        for card in cards_in(parse_cards(multiplied)):
            times[card] *= multiplier
    score, factor = sum(abs(plan.points[card]) * times[card] for card in plan.deck), 1
    if doubler := rules.scoring.doubler:
        exposed = times[Card.parse(doubler.card)]
        factor = max(1, doubler.factor * exposed)
        score = score * factor + abs(doubler.alone) * exposed
    if moon := rules.moon:
        score += abs(moon.others) * factor + abs(moon.instead or 0)
    if score > MAX_SCORE:
        yield (
            "exposing.cards, exposing.face_up, exposing.face_down: if all these cards are exposed, a score can be "
            f"above {MAX_SCORE:,}; use smaller multipliers, or name fewer cards"
        )


def _bad_passing(rules: RulesFields, hand: int) -> Iterator[str]:
    if rules.passing is None:
        return
    if not 1 <= rules.passing.cards <= hand:
        yield f"passing.cards: {rules.passing.cards} is not a number from 1 to {hand}"
    if not rules.passing.directions:
        yield "passing.directions: name at least one of left, right, across, none"
    if rules.players % 2 and "across" in rules.passing.directions:
        yield f"passing.directions: across needs an even number of players, and there are {rules.players}"


def _sets(rules: RulesFields) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield every field that holds a set of cards."""
    yield "removed", rules.removed
    yield "scoring.points", rules.scoring.points
    if rules.first_trick:
        yield "first_trick.barred", rules.first_trick.barred
    if rules.leading:
        yield "leading.broken_by", rules.leading.broken_by
        yield "leading.alone", rules.leading.alone
    if rules.moon:
        yield "moon.cards", rules.moon.cards
    if rules.exposing:
        yield "exposing.cards", rules.exposing.cards
        for card, multiplied in rules.exposing.cards.items():
            yield f"exposing.cards.{card}", multiplied


def _single_cards(rules: RulesFields) -> Iterator[tuple[str, str]]:
    """Yield every field that holds one card."""
    yield "opening.card", rules.opening.card
    if rules.opening.later:
        yield "opening.later", rules.opening.later
    if rules.scoring.doubler:
        yield "scoring.doubler.card", rules.scoring.doubler.card
    if rules.moon:
        yield "moon.pig", rules.moon.pig
    for card in rules.exposing.cards if rules.exposing else ():
        yield "exposing.cards", card

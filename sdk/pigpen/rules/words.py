"""A variant in words, from nothing but its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules.cards import CARDS, Card, cards_in, parse_cards
from pigpen.rules.parts import PigWhenMoon, ShooterCards

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pigpen.rules.model import Rules


def describe(rules: Rules) -> str:
    """The rules of a variant in plain sentences, a paragraph for each part."""
    parts = (_table, _passing, _exposing, _opening, _restrictions, _points, _doubler, _moon, _end)
    return "\n".join(sentence for part in parts for sentence in part(rules))


def _table(rules: Rules) -> Iterator[str]:
    players = f"{rules.players} players" + (", partners opposite" if rules.partners else "")
    deck = f"{len(rules.deck)} cards" + (f" (without {_list(rules.removed)})" if rules.removed else "")
    yield f"Table: {players}; {deck}, {rules.hand_size} each; follow suit if you can; no trumps."


def _passing(rules: Rules) -> Iterator[str]:
    if rules.passing:
        cycle = ", ".join(rules.passing.directions)
        yield f"Passing: {rules.passing.cards} cards each, sealed; deal by deal {cycle}, and again."


def _exposing(rules: Rules) -> Iterator[str]:
    exposing = rules.exposing
    if exposing is None:
        return
    ways = f"face up (×{exposing.face_up})"
    if exposing.face_down:
        ways += f" or face down (×{exposing.face_down})"
    yield f"Exposing: before play, sealed, any of {_list(exposing.cards)} in hand may be exposed, {ways}."
    for card, multiplied in exposing.cards.items():
        if multiplied != (card,):
            yield f"  {card} multiplies {_list(multiplied)}."
    yield "  A card exposed face up may not be played to the first trick in which its suit is led,"
    yield "  nor lead it, while the hand holds another card of the suit."


def _opening(rules: Rules) -> Iterator[str]:
    opening = rules.opening
    what = "it" if opening.forced else "any card"
    yield f"Opening: the holder of {opening.card} leads {what} to the first trick."
    if opening.later:
        yield f"  In later deals of a game whoever took {opening.later} leads."


def _restrictions(rules: Rules) -> Iterator[str]:
    if rules.first_trick and rules.first_trick.barred:
        yield f"First trick: no {_list(rules.first_trick.barred, 'or')}, unless the hand holds nothing else."
    leading = rules.leading
    if leading:
        yield (
            f"Leading: no {leading.suit} before {_list(leading.broken_by, 'or')} has been played to an earlier "
            f"trick, unless the hand holds only {_list(leading.alone)}."
        )


def _points(rules: Rules) -> Iterator[str]:
    groups: dict[int, list[Card]] = {}
    for card in cards_in(rules.plan.scoring):
        groups.setdefault(rules.plan.points[card], []).append(card)
    worst_first = sorted(groups.items(), reverse=rules.low_is_better)
    texts = [f"{_cards(cards)} {points:+d}" for points, cards in worst_first]
    yield f"Points to whoever takes the card (the {'lowest' if rules.low_is_better else 'highest'} total wins):"
    yield f"  {'; '.join(texts)}."


def _doubler(rules: Rules) -> Iterator[str]:
    doubler = rules.scoring.doubler
    if doubler:
        alone = f"{doubler.alone:+d} for a taker of no scoring card" if doubler.alone else "nothing by itself"
        yield f"  {doubler.card}: {alone}; else its taker's points ×{doubler.factor}."


def _moon(rules: Rules) -> Iterator[str]:
    moon = rules.moon
    if moon is None:
        return
    yield f"Moon: one player takes {_list(moon.cards)}."
    own = "nothing" if moon.shooter is ShooterCards.VOID else "their points with the sign turned"
    yield f"  These cards then count {own} for the shooter."
    if not parse_cards([moon.pig]) & rules.plan.moon and moon.pig_when_moon is not PigWhenMoon.KEEP:
        pig = "nothing" if moon.pig_when_moon is PigWhenMoon.VOID else "its points with the sign turned"
        yield f"  The shooter's {moon.pig}, if taken too, counts {pig}."
    if moon.others:
        doubler = rules.scoring.doubler if moon.others_doubled else None
        extra = f" (×{doubler.factor} if the shooter took {doubler.card})" if doubler else ""
        choice = f", or the shooter takes {moon.instead:+d} instead" if moon.instead is not None else ""
        yield f"  Every other player scores {moon.others:+d}{extra}{choice}."


def _end(rules: Rules) -> Iterator[str]:
    end = rules.end
    side = "above" if rules.low_is_better else "below"
    limit = f"at {end.limit} or {side}" if end.inclusive else f"{side} {end.limit}"
    deals = f", or after {end.deals} deals" if end.deals else ""
    who = "a team's total" if rules.partners else "a total"
    yield f"End: when {who} is {limit} after a deal{deals} (at the latest after {end.cap} deals)."


def _list(names: Iterable[str], word: str = "and") -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _cards(cards: list[Card]) -> str:
    """Cards by name; a run within a suit as its two ends."""
    if len(cards) > 2 and cards[-1] - cards[0] == len(cards) - 1 and cards[0].suit is cards[-1].suit:
        whole = len(cards) == len(CARDS) // 4
        return f"each of the {cards[0].suit.name.lower()}" if whole else f"each of {cards[0]}…{cards[-1]}"
    return " ".join(map(str, cards))

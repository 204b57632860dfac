"""
Contents of the pages that explain: the rules of a variant, the operations of the API.

A `Lesson` shows the rules of a variant by examples: what cards count, positions to try, points counted. `Teaching` has
the few facts with which one begins: what one is after, and one trick. All of it is made by the engine.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, groupby, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from ladder.app import overview
from pigpen.rules import CARDS, Card, Deal, Face, Phase, cards_in, deal_hands, mask_of
from pigpen.rules.cards import parse_cards
from pigpen.rules.scoring import card_points
from referee.records.rules_file import to_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ladder.app.ladder import Ladder
    from pigpen.rules import Rules

MAX_DEALS = 60
"""The most deals that are searched for positions."""
HAND = range(4, 8)
"""Sizes of a hand that a reader looks over at once."""
COUNTED = ("TH", "KH", "QS", "JD", "TC")
"""The cards that are counted one by one, as far as they count in the variant."""


@dataclass(frozen=True)
class Choice:
    """One answer that the reader may try."""

    value: Card | int
    """A card of the hand or of the trick, or a number of points."""
    is_right: bool
    reason: str = ""
    """The reason that a card may not be played: `suit`, `exposed`, `first` or `unbroken`."""


@dataclass(frozen=True)
class Situation:
    """One question about a position, with every answer that the reader may try."""

    kind: str
    """Cards to play: `follow`, `void`, `bar`; a full trick: `takes`; captured cards: `costs`, `exposed`, `moon`."""
    table: tuple[Card, ...]
    """The cards that the question shows: the trick so far, or the captured cards."""
    choices: tuple[Choice, ...]
    exposed: tuple[Card, ...] = ()
    """Cards that lie exposed face up."""
    points: int = 0
    """Points that the trick or the captured cards bring their taker."""
    others: int = 0
    """Points of each other player."""


@dataclass(frozen=True)
class Exposable:
    """A card that may be exposed, and what that is worth."""

    card: Card
    multiplied: tuple[Card, ...]
    hidden: int
    """Points to a player who takes this card alone, not exposed."""
    up: int
    """The same, exposed face up."""
    down: int | None
    """The same, exposed face down; None if it may not be."""


@dataclass(frozen=True)
class Lesson:
    """A variant by examples."""

    worth: tuple[tuple[int, tuple[Card, ...]], ...]
    """Cards by their points, the worst first."""
    doubler: Card | None
    exposable: tuple[Exposable, ...]
    situations: tuple[Situation, ...]
    counted: tuple[tuple[Card, int], ...]
    """Cards that one player captures, in order, each with that player's points so far."""


def lesson(rules: Rules) -> Lesson:
    """Make the lesson of a variant; the same at every call."""
    doubler = Card.parse(rules.scoring.doubler.card) if rules.scoring.doubler else None
    return Lesson(_worth(rules), doubler, exposable(rules), (*_positions(rules), *_captures(rules)), _counted(rules))


def exposable(rules: Rules) -> tuple[Exposable, ...]:
    """List the cards that may be exposed, with the factors."""
    found = rules.exposing
    if found is None:
        return ()
    return tuple(_exposable(rules, Card.parse(name), _cards(rules, cards)) for name, cards in found.cards.items())


def points_of(
    rules: Rules, cards: Iterable[Card], exposed: Iterable[Card] = (), face: Face = Face.UP
) -> tuple[int, ...]:
    """Score captured cards: the first number is the taker's, the others are those of players who took nothing."""
    taken = (mask_of(cards), *(0 for _ in range(rules.players - 1)))
    return card_points(rules, taken, dict.fromkeys(exposed, face))


def _exposable(rules: Rules, card: Card, multiplied: tuple[Card, ...]) -> Exposable:
    hidden, up, down = (
        points_of(rules, [card], exposed, face)[0]
        for exposed, face in (((), Face.UP), ((card,), Face.UP), ((card,), Face.DOWN))
    )
    has_down = rules.exposing is not None and bool(rules.exposing.face_down)
    return Exposable(card, multiplied, hidden, up, down if has_down else None)


def _cards(rules: Rules, names: Iterable[str]) -> tuple[Card, ...]:
    return cards_in(parse_cards(names) & mask_of(rules.deck))


def _worth(rules: Rules) -> tuple[tuple[int, tuple[Card, ...]], ...]:
    groups: dict[int, list[Card]] = {}
    for card in cards_in(rules.plan.scoring):
        groups.setdefault(rules.plan.points[card], []).append(card)
    return tuple((points, tuple(cards)) for points, cards in sorted(groups.items(), reverse=rules.low_is_better))


def _counted(rules: Rules) -> tuple[tuple[Card, int], ...]:
    counting = rules.plan.scoring | rules.plan.doubler
    cards = [card for card in map(Card.parse, COUNTED) if card.mask & counting]
    piles = accumulate(cards, lambda pile, card: (*pile, card), initial=tuple[Card, ...]())
    return tuple((pile[-1], points_of(rules, pile)[0]) for pile in islice(piles, 1, None))


def _captures(rules: Rules) -> Iterator[Situation]:
    """Yield questions about captured cards: what they cost, what exposing changes, what taking all brings."""
    worth = _worth(rules)
    if not worth:
        return
    worst = worth[0][1][0]
    doubled = [Card.parse(rules.scoring.doubler.card)] if rules.scoring.doubler else []
    hearts = _cards(rules, ["5H", "KH"])
    yield _capture(rules, "costs", (*hearts, worst, *doubled))
    wide = [each for each in exposable(rules) if len(each.multiplied) > 1]
    if wide:
        yield _capture(rules, "exposed", hearts, (wide[0].card,))
    elif rules.moon:
        yield _capture(rules, "moon", _cards(rules, rules.moon.cards))


def _capture(rules: Rules, kind: str, cards: tuple[Card, ...], exposed: tuple[Card, ...] = ()) -> Situation:
    own, *others = points_of(rules, cards, exposed)
    plain = sum(rules.plan.points[card] for card in cards)
    wrong = [number for number in (plain, 2 * plain, -plain, 4 * plain) if number != own]
    numbers = sorted({own, *wrong[:2]})
    choices = tuple(Choice(number, number == own) for number in numbers)
    return Situation(kind, cards, choices, exposed, own, others[0])


def _positions(rules: Rules) -> Iterator[Situation]:
    """Find positions of each kind in deals that are played at random from fixed seeds."""
    found: dict[str, Situation] = {}
    for number in range(MAX_DEALS):
        for situation in _deal(rules, number):
            found.setdefault(situation.kind, situation)
        if len(found) == len(KINDS):
            break
    return (found[kind] for kind in KINDS if kind in found)


KINDS = ("follow", "void", "bar", "takes")


def _deal(rules: Rules, number: int) -> Iterator[Situation]:
    deal = Deal(rules, deal_hands(rules, number.to_bytes(32, "big"), 0))
    chance = random.Random(number)
    exposed: tuple[Card, ...] = ()
    while deal.phase in (Phase.PASS, Phase.EXPOSE):
        for seat in deal.to_act:
            shown = deal.legal(seat) if deal.phase is Phase.EXPOSE else ()
            exposed += shown
            deal.apply(seat, dict.fromkeys(shown, Face.UP) if deal.phase is Phase.EXPOSE else deal.default_action(seat))
    while deal.phase is Phase.PLAY:
        trick = _trick(deal)
        situation = _to_play(deal, trick, exposed)
        if situation:
            yield situation
        card = chance.choice(cards_in(deal.playable))
        deal.play(card)
        if len(trick) == rules.players - 1:
            takes = _full(rules, (*trick, card))
            if takes:
                yield takes


def _trick(deal: Deal) -> tuple[Card, ...]:
    begun = (len(deal.leaders) - 1) * deal.rules.players
    return tuple(CARDS[card] for card in deal.plays[begun:])


def _to_play(deal: Deal, trick: tuple[Card, ...], exposed: tuple[Card, ...]) -> Situation | None:
    hand, legal = deal.hands[deal.turn], deal.playable
    held = cards_in(hand)
    reasons = {card: _reason(deal, card, trick) for card in held}
    kind = _kind(hand, legal, trick, set(reasons.values()))
    few = len(held) in HAND or (kind == "bar" and len(held) > 1)
    if not kind or not few:
        return None
    choices = tuple(Choice(card, not reasons[card], reasons[card]) for card in held)
    return Situation(kind, trick, choices, tuple(card for card in exposed if card.mask & hand))


def _kind(hand: int, legal: int, trick: tuple[Card, ...], reasons: set[str]) -> str:
    if reasons & {"exposed", "unbroken"}:
        return "bar"
    if trick and not hand & trick[0].suit.mask:
        return "void" if legal == hand else ""
    return "follow" if reasons == {"", "suit"} else ""


def _reason(deal: Deal, card: Card, trick: tuple[Card, ...]) -> str:
    """Say why *card* may not be played; empty if it may."""
    if deal.playable & card.mask:
        return ""
    if trick and card.suit is not trick[0].suit and deal.hands[deal.turn] & trick[0].suit.mask:
        return "suit"
    if deal.barred & card.mask:
        return "exposed"
    return "first" if len(deal.leaders) == 1 else "unbroken"


def _full(rules: Rules, trick: tuple[Card, ...]) -> Situation | None:
    """Ask who takes a trick that has a higher card of another suit and brings points."""
    best = max(card for card in trick if card.suit is trick[0].suit)
    points = points_of(rules, trick)[0]
    if not points or max(card.rank for card in trick) == best.rank:
        return None
    return Situation("takes", trick, tuple(Choice(card, card == best) for card in trick), points=points)


class Aim(NamedTuple):
    """One card, or the cards of a suit, that a player wants to take or to leave to others."""

    cards: tuple[Card, ...]
    least: int
    """Points of the card that counts least."""
    most: int
    """Points of the card that counts most, by their absolute value."""
    is_good: bool
    nickname: str
    """Name of the card in the games of the pig family: `pig` or `sheep`; else empty."""


@dataclass(frozen=True)
class Teaching:
    """A variant in a few facts."""

    aims: tuple[Aim, ...]
    """The pig first, whole suits last."""
    doubler: Card | None
    alone: int
    """Points of the doubler for a player who has taken no other card that counts."""
    doubled: int
    """Points of the worst card together with the doubler."""
    moon: tuple[int, int]
    """Points of a player who has taken all cards of the moon, and of each other player."""
    trick: tuple[Card, ...]
    """A whole trick that brings points, from the lead on; the player after the reader leads."""
    winner: int
    """The seat that takes it."""
    points: int


@lru_cache(maxsize=64)
def teaching(rules: Rules) -> Teaching:
    """Make the facts of a variant."""
    doubler = Card.parse(rules.scoring.doubler.card) if rules.scoring.doubler else None
    found = sorted(_aims(rules), key=lambda aim: (len(aim.cards) > 1, aim.is_good))
    worst = found[0].cards[-1:] if found else ()
    own, others = (points_of(rules, _cards(rules, rules.moon.cards))[:2]) if rules.moon else (0, 0)
    taken = next((each for each in lesson(rules).situations if each.kind == "takes"), None)
    best = next(each.value for each in taken.choices if each.is_right) if taken else None
    trick = taken.table if taken else ()
    return Teaching(
        tuple(found),
        doubler,
        points_of(rules, [doubler])[0] if doubler is not None else 0,
        points_of(rules, [*worst, doubler])[0] if doubler is not None else 0,
        (own, others),
        trick,
        (trick.index(best) + 1) % rules.players if isinstance(best, Card) else 0,
        taken.points if taken else 0,
    )


def _aims(rules: Rules) -> Iterator[Aim]:
    for _, group in groupby(cards_in(rules.plan.scoring), key=lambda card: card.suit):
        cards = tuple(sorted(group, key=lambda card: (abs(rules.plan.points[card]), card.rank)))
        points = [points_of(rules, [card])[0] for card in cards]
        is_good = (sum(points) < 0) is rules.low_is_better
        name = ("sheep" if is_good else "pig") if len(cards) == 1 and rules.scoring.doubler else ""
        yield Aim(cards, points[0], points[-1], is_good, name)


def nicknames(rules: Rules) -> dict[str, str]:
    """Name the cards that are called `pig` or `sheep`."""
    return {str(aim.cards[0]): aim.nickname for aim in _aims(rules) if aim.nickname}


def rules(ladder: Ladder, variant: str) -> dict[str, object]:
    """
    Read the rules of a variant, as the ladder plays it, or of a preset.

    Raises:
        LadderError: If there is none of that name.
    """
    is_played = any(one.variant == variant for one in overview.variants(ladder, first=0))
    return explained(overview.rules_of(ladder, variant), is_played, is_known=True)


def explained(rules: Rules, is_played: bool = False, is_known: bool = False) -> dict[str, object]:
    """
    Give what the page of some rules shows.

    Args:
        rules: The rules.
        is_played: True if they are played on the ladder, whose standings the page then leads to.
        is_known: True if they have a name on the site, which then teaches them.
    """
    found = {"toml": to_toml(rules), "lesson": lesson(rules), "teaching": teaching(rules)}
    return {"rules": rules, "is_played": is_played, "has_lesson": is_known, **found}


def operations(document: Mapping[str, Any]) -> list[dict[str, object]]:
    """Give what an OpenAPI document describes, for a table."""
    return list(_operations(document))


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            names = [parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "query"]
            words = operation.get("description", "")
            yield {"path": path, "method": method.upper(), "words": words, "parameters": names}

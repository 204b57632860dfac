"""
Cases of the check of a bot: each is a deal at the decision, or a whole deal of decisions, that the bot must make.

There is a case for each kind of question, for any variant, and there are difficult hands for bots, in the presets.
Deals are made with given hands; cards are written with two letters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigpen.rules import Card, Deal, Face, Phase, cards_in, deal_hands, seed_from
from pigpen.rules.cards import mask_of, parse_cards
from pigpen.values.notices import DealResult
from pigpen.values.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from pigpen.rules import Action, Rules, SeatView


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


TOTALS = (40, -15) * 4
"""Totals of the seats before each deal: above and below zero, and equal for partners."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """
    A decision, or a whole deal of decisions, that a bot must be able to make.

    >>> from pigpen.check import cases_of
    >>> from pigpen.rules import PRESETS
    >>> case = next(case for case in cases_of(PRESETS["hearts"]) if case.name == "follow suit")
    >>> case.deal.phase.name, case.seat == case.deal.turn
    ('PLAY', True)
    >>> case.view(case.deal, decision=1, limit=1.0, bank=60.0).led.name
    'CLUBS'
    """

    name: str
    """The case in a few words; no other case of the same variant has this name."""
    deal: Deal
    """The deal at the decision. It is never changed."""
    seat: int
    """The seat that is asked."""
    to_the_end: bool = False
    """True if the bot decides for its seat until the deal is over, not only once."""

    @property
    def rules(self) -> Rules:
        """The variant."""
        return self.deal.rules

    @property
    def totals(self) -> tuple[int, ...]:
        """Total of each seat before the deal."""
        return TOTALS[: self.rules.players]

    def questions(self) -> Generator[Deal, Action, Deal]:
        """
        Yield the deal at each decision, do the action that is sent back, and return the deal as it ends.

        As in a match, the seat is not asked if it has exactly one legal action. The default policy decides for the
        other seats.

        Raises:
            IllegalAction: If the action is not legal.
        """
        deal = self.deal.copy()
        while not deal.is_over:
            for seat in deal.to_act:
                is_asked = seat == self.seat and not deal.is_forced(seat)
                deal.apply(seat, (yield deal) if is_asked else deal.default_action(seat))
                if is_asked and not self.to_the_end:
                    return deal
        return deal

    def view(self, deal: Deal, decision: int, limit: float, bank: float) -> View:
        """Make the view of *deal* for decision number *decision*; *limit* and *bank* in seconds."""
        return View(
            *deal.known_to(self.seat), totals=self.totals, decision=decision, seed=decision, limit=limit, bank=bank
        )

    def result(self, deal: Deal) -> DealResult:
        """Make the notice for the end of *deal*; a deal that was not played to its end scores 0 for each seat."""
        scores = deal.scores() if deal.is_over else (0,) * self.rules.players
        totals = tuple(total + score for total, score in zip(self.totals, scores, strict=True))
        return DealResult(deal.number, self.seat, scores, totals)


SEED = seed_from("pigpen check")
TRIES = 100
"""Number of deals in which a question is searched; nearly every deal has them all."""

_KINDS: dict[str, Callable[[SeatView], bool]] = {
    "open the first trick": lambda view: not view.plays,
    "lead": lambda view: view.led is None and len(view.tricks) > 1,
    "follow suit": lambda view: view.legal[0].suit is view.led,
    "discard": lambda view: bool(view.trick) and view.led not in {c.suit for c in view.legal},
    "play last to a trick": lambda view: view.is_last,
    "play to the last trick but one": lambda view: len(view.hand) == 2,
}


def kinds(rules: Rules, number: Callable[[int], int]) -> Iterator[Case]:
    """Yield cases of *rules*. *number* returns the number of the next deal at a given place of the cycle of passes."""
    yield from _passes(rules, number)
    yield from _exposures(rules, number)
    for name, wanted in _KINDS.items():
        deal = _found(rules, wanted, number(_no_pass(rules)))
        if deal:
            yield Case(name=name, deal=deal, seat=deal.turn)
    if _asks_shooter(rules):
        deal = passed(rules, ("clubs", "diamonds", "hearts", "spades"), number(_no_pass(rules)))
        skip(deal, Phase.EXPOSE)
        skip(deal, Phase.PLAY)
        yield Case(name="choose what the moon is worth", deal=deal, seat=deal.turn)


def whole_deals(rules: Rules, number: Callable[[int], int]) -> Iterator[Case]:
    """Yield a whole deal for the first seat, and one for the last."""
    for seat in (0, rules.players - 1):
        place = number(0)
        deal = Deal(rules, deal_hands(rules, SEED, place), number=place)
        yield Case(name=f"a whole deal in seat {seat}", deal=deal, seat=seat, to_the_end=True)


def _passes(rules: Rules, number: Callable[[int], int]) -> Iterator[Case]:
    if rules.passing is None:
        return
    for place, direction in enumerate(rules.passing.directions):
        if rules.pass_offset(place) and rules.passing.cards < rules.hand_size:
            deal_number = number(place)
            deal = Deal(rules, deal_hands(rules, SEED, deal_number), number=deal_number)
            yield Case(
                name=f"pass {rules.passing.cards} card{'s' * (rules.passing.cards != 1)} {direction}",
                deal=deal,
                seat=place % rules.players,
            )


def _exposures(rules: Rules, number: Callable[[int], int]) -> Iterator[Case]:
    cards = [str(card) for card in cards_in(rules.plan.exposable)]
    if not cards:
        return
    how = "up or down" if rules.exposing and rules.exposing.face_down else "up"
    size = rules.hand_size
    others = [" ".join(cards[start : start + size]) for start in range(1, len(cards), size)] or [""]
    if len(others) < rules.players:
        deal = passed(rules, (others[0], cards[0], *others[1:]), number(_no_pass(rules)))
        yield Case(name=f"expose one card face {how}", deal=deal, seat=1)
    held = "every such card" if len(cards) <= size else "only such cards"
    deal = passed(rules, (" ".join(cards[:size]),), number(_no_pass(rules)))
    yield Case(name=f"expose with {held} in hand, face {how}", deal=deal, seat=0)


def _found(rules: Rules, wanted: Callable[[SeatView], bool], number: int) -> Deal | None:
    """Bring a deal to the first choice that is *wanted*; with cards exposed where the variant has that."""
    for attempt in range(TRIES):
        deal = Deal(rules, deal_hands(rules, SEED, number + attempt), number=number)
        skip(deal, Phase.PASS)
        expose(deal, up=" ".join(map(str, cards_in(rules.plan.exposable))))
        while deal.phase is Phase.PLAY:
            if not deal.is_forced(deal.turn) and wanted(deal.view(deal.turn)):
                return deal
            deal.apply(deal.turn, deal.default_action(deal.turn))
    return None


def _no_pass(rules: Rules) -> int:
    """Find a place in the cycle of passes at which nothing is passed; the first one if there is none."""
    places = range(len(rules.plan.pass_offsets))
    return next((place for place in places if not rules.pass_offset(place)), 0)


def _asks_shooter(rules: Rules) -> bool:
    whole_deck = rules.players == 4 and not rules.removed
    return whole_deck and rules.opening.card == "2C" and rules.moon is not None and rules.moon.instead is not None


NO_PASS = 3
"""Place in the cycle of passes at which no preset passes cards."""


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A decision at the edge of the rules; cards are written with two letters."""

    name: str
    """Name of the case."""
    rules: tuple[str, ...]
    """Names of the presets that have the case."""
    hands: tuple[str, ...]
    """Cards that each seat holds; the other cards fill the hands in canonical order."""
    plays: str = ""
    """Cards played before the decision."""
    up: str = ""
    """Cards that their holders expose face up."""
    down: str = ""
    """Cards that their holders expose face down."""
    legal: str
    """Cards that may be played now, two or more, by the rules; a test compares them with the engine's."""

    def case(self, rules: Rules, number: int) -> Case:
        """Make the case of *rules*, in deal number *number*."""
        deal = dealt(rules, self.hands, number)
        expose(deal, self.up, self.down)
        play(deal, self.plays)
        return Case(name=self.name, deal=deal, seat=deal.turn)


HEARTS = ("hearts-short", "hearts", "hearts-jack")
PASSING = (*HEARTS, "chinese-hearts")
GONGZHU = ("gongzhu", "gongzhu-partners")
FACE_UP = (*GONGZHU, "gongzhu-sale")
_QUEEN_AND_HEARTS = ("AC QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH", "2C")

EDGES = (
    Edge(
        name="nothing but hearts on the first trick",
        rules=PASSING, hands=("clubs", "hearts"), plays="2C", legal="hearts",
    ),
    Edge(
        name="lead from nothing but hearts, unbroken",
        rules=PASSING, hands=("AC 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH", "2C"), plays="2C 3D 3S AC",
        legal="2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH",
    ),
    Edge(
        name="QS, a club and hearts, unbroken: no heart may be led",
        rules=("hearts-short", "chinese-hearts"), hands=("KC AC QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH", "2C"),
        plays="2C 4D 3S AC", legal="KC QS",
    ),
    Edge(
        name="QS and hearts, unbroken: either may be led",
        rules=("hearts", "hearts-jack"), hands=_QUEEN_AND_HEARTS, plays="2C 3D 3S AC",
        legal="2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS",
    ),
    Edge(
        name="nothing but points on the first trick",
        rules=("hearts", "hearts-jack"), hands=("clubs", "QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"), plays="2C",
        legal="2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH QS",
    ),
    Edge(
        name="nothing but pointed cards on the first trick",
        rules=("chinese-hearts",), hands=("clubs", "JD QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"), plays="2C",
        legal="JD 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS",
    ),
    Edge(
        name="void on the first trick, two cards not barred",
        rules=("hearts", "hearts-jack"), hands=("clubs", "JD KD QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH"), plays="2C",
        legal="JD KD",
    ),
    Edge(
        name="points may be discarded on the first trick",
        rules=("hearts-short",), hands=("clubs", "2D QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH"), plays="2C",
        legal="2D 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS",
    ),
    Edge(
        name="an exposed card is barred when its suit is first led",
        rules=FACE_UP, hands=("2S", "3S 4S QS"), up="QS", plays="2S", legal="3S 4S",
    ),
    Edge(
        name="an exposed card may be discarded",
        rules=FACE_UP, hands=("2S", "3S QS", "AC"), up="QS", plays="2C",
        legal="2D 3D 4D 5D 6D 7D 8D 9D TD JD QD 3S QS",
    ),
    Edge(
        name="the bar is gone after the first trick of the suit",
        rules=FACE_UP, hands=("2S AS", "3S TS QS", "4S 5S", "6S 7S"), up="QS", plays="AS 3S 4S 6S 2S", legal="TS QS",
    ),
    Edge(
        name="open with an exposed card in hand",
        rules=FACE_UP, hands=("2S QS",), up="QS", legal="2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 2S",
    ),
    Edge(
        name="every exposable card exposed by others",
        rules=FACE_UP, hands=("2S 3S", "AH JD TC QS"), up="AH QS JD TC",
        legal="2C 3C 4C 5C 6C 7C 8C 9C JC QC KC 2S 3S",
    ),
    Edge(
        name="a partner's exposed pig",
        rules=("gongzhu-partners",), hands=("2S 3S", "4S", "QS 5S"), up="QS",
        legal="2C 3C 4C 5C 6C 7C 8C 9C TC JC QC 2S 3S",
    ),
    Edge(
        name="a card put face down is not barred",
        rules=("gongzhu-sale",), hands=("2S", "3S 4S QS"), down="QS", plays="2S", legal="3S 4S QS",
    ),
    Edge(
        name="cards that others have put face down",
        rules=("gongzhu-sale",), hands=("2S AS", "3S 4S", "QS JD"), down="QS JD", plays="2S", legal="3S 4S",
    ),
    Edge(
        name="the fifth seat, last to the trick",
        rules=("gongzhu-five",), hands=("2S", "3S", "4S", "5S", "6S QS"), plays="2S 3S 4S 5S",
        legal="6S 7S 8S 9S TS JS QS KS AS",
    ),
    Edge(
        name="the fifth seat, its pig exposed and barred",
        rules=("gongzhu-five",), hands=("2S KS AS TS JS", "3S", "4S 9S", "5S 7S", "6S 8S QS"), up="QS",
        plays="2S 3S 4S 5S", legal="6S 8S",
    ),
)  # fmt: skip
"""All of them, in the order in which a bot is asked."""

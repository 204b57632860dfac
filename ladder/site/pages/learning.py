"""
Pages that teach a variant: its aim, one trick as a picture, and a first deal with a coach.

The engine counts every number of them. The first deal is played with open hands, from a fixed seed, against three
cautious house bots. It is no table: there is no clock, nothing is kept, and the address holds all that was played. The
coach plays as the bot `cautious` does, and its reason follows from the cards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

from fastapi import Query, Request
from starlette.responses import Response

from ladder.app import overview
from ladder.errors import LadderError
from ladder.matches.house import house_bot
from ladder.site.pages.lesson import points_of, teaching
from ladder.site.rendering.translations import to_translate
from ladder.site.server.routing import Router
from ladder.site.server.viewer import form_page
from ladder.values.opponents import opponent
from pigpen.bot import decide
from pigpen.rules import CARDS, PRESETS, Card, Deal, Phase, Suit, cards_in, deal_hands
from pigpen.rules.scoring import card_points
from pigpen.values.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.site.server.context import Site
    from pigpen.rules import Rules

USUAL_VARIANT = "gongzhu"
LEARNER = 0
"""Seat of the reader."""
COACH = "cautious"
"""House bot that plays in all other seats, and whose card the coach names."""
FIRST_DEALS = {
    "hearts-short": 11, "hearts": 73, "hearts-jack": 92, "gongzhu": 39, "gongzhu-partners": 6, "gongzhu-five": 169,
    "gongzhu-sale": 39, "chinese-hearts": 92,
}  # fmt: skip
"""Numbers of seeds by variant: deals that have much to explain, and in which the reader who follows the coach wins."""
NO_DEAL = to_translate("These cards cannot be played in the first deal. Begin it again at /learn.")


class Advice(NamedTuple):
    """The coach's card, and its reason."""

    card: Card
    reason: str
    """
    The reader leads: `lead`; has no card of the suit: `throw`; takes what is worth taking: `catch`; stays below the
    best card: `below`; cannot, and is the last player: `last`, or another one: `above`.
    """
    best: Card | None
    """The card that wins the trick so far; None: the reader leads."""
    points: int
    """Points of the trick with that card."""
    higher: int
    """Number of other hands with a higher card of its suit."""


class PlayedTrick(NamedTuple):
    """A whole trick."""

    leader: int
    cards: tuple[Card, ...]
    winner: int
    points: int
    was_forced: bool
    """True if the reader had one card only that could be played."""


@dataclass(frozen=True)
class FirstDeal:
    """The first deal up to the next decision of the reader, or to its end."""

    chosen: tuple[Card, ...]
    """The cards that the reader has chosen so far."""
    hands: tuple[tuple[Card, ...], ...]
    """By seat."""
    leader: int
    trick: tuple[Card, ...]
    """The cards of the trick on the table, from the lead on."""
    tricks: tuple[PlayedTrick, ...]
    """All whole tricks."""
    news: int
    """Number of the last of them that have ended since the reader's last choice."""
    legal: tuple[Card, ...]
    advice: Advice | None
    """None: the deal is over."""
    instead: Advice | None
    """Advice for the last choice, if the reader chose another card."""
    taken: tuple[tuple[Card, ...], ...]
    """Cards that count, by the seat that has taken them."""
    points: tuple[int, ...]
    """By seat, so far or in the end."""

    @property
    def is_over(self) -> bool:
        """True if nothing is left to decide."""
        return self.advice is None

    @property
    def place(self) -> int:
        """The number of the trick under way, from 1."""
        return min(len(self.tricks) + 1, len(self.tricks) + max(map(len, self.hands)))

    def played(self, seat: int) -> Card | None:
        """Give the card of a seat in the trick on the table; None if it has not played."""
        place = (seat - self.leader) % len(self.hands)
        return self.trick[place] if place < len(self.trick) else None

    def with_card(self, card: Card) -> str:
        """Give the part of the address that stands for choosing *card* now."""
        return "-".join(map(str, (*self.chosen, card)))


def first_deal(rules: Rules, chosen: Sequence[Card] = (), number: int | None = None) -> FirstDeal:
    """
    Play the first deal until the reader is to choose.

    Args:
        rules: The variant.
        chosen: The reader's cards so far, without those that were the only ones that it could play.
        number: Of the deal; None: that of `FIRST_DEALS`.

    Raises:
        LadderError: If *chosen* cannot be played.
    """
    deal, waiting, begun, instead = _dealt(rules, number), list(chosen), 0, None
    forced: set[int] = set()
    while deal.phase is Phase.PLAY:
        if deal.turn != LEARNER:
            card = _card_of_bot(deal)
        elif deal.is_forced(LEARNER):
            card = cards_in(deal.playable)[0]
            forced.add(len(deal.plays) // rules.players)
        elif waiting:
            card, advice = waiting.pop(0), _advice(deal)
            if not deal.playable & card.mask:
                raise LadderError(NO_DEAL)
            begun, instead = len(deal.plays) // rules.players, None if card == advice.card else advice
        else:
            return _seen(deal, chosen, forced, begun, instead, _advice(deal))
        deal.play(card)
    _decide_the_rest(deal)
    if waiting:
        raise LadderError(NO_DEAL)
    return _seen(deal, chosen, forced, begun, instead, None)


def _dealt(rules: Rules, number: int | None) -> Deal:
    """Deal, without a pass where the variant has deals without one; no card is exposed."""
    seed = FIRST_DEALS.get(rules.name, 0) if number is None else number
    deals = range(len(rules.passing.directions) if rules.passing else 1)
    turn = next((each for each in deals if not rules.pass_offset(each)), 0)
    deal = Deal(rules, deal_hands(rules, seed.to_bytes(32, "big"), turn), number=turn)
    _decide_the_rest(deal)
    return deal


def _decide_the_rest(deal: Deal) -> None:
    """Do the default where no card is to be played: none is exposed, and after a moon points are subtracted."""
    while deal.phase not in (Phase.PLAY, Phase.OVER):
        for seat in deal.to_act:
            deal.apply(seat, deal.default_action(seat))


def _card_of_bot(deal: Deal) -> Card:
    action = decide(house_bot(COACH), View(*deal.known_to(deal.turn)))
    assert isinstance(action, Card)
    return action


def _advice(deal: Deal) -> Advice:
    card = _card_of_bot(deal)
    trick = _trick(deal)
    led = trick[0].suit if trick else None
    best = max((each for each in trick if each.suit is led), default=None)
    whole = (*trick, card)
    others = [hand for seat, hand in enumerate(deal.hands) if seat != LEARNER]
    higher = sum(any(held.suit is card.suit and held > card for held in cards_in(hand)) for hand in others)
    return Advice(card, _reason(deal, card, best, whole), best, points_of(deal.rules, whole)[0], higher)


def _reason(deal: Deal, card: Card, best: Card | None, whole: Sequence[Card]) -> str:
    if best is None:
        return "lead"
    if card.suit is not best.suit:
        return "throw"
    if card < best:
        return "below"
    is_last = len(whole) == deal.rules.players
    sign = -1 if deal.rules.low_is_better else 1
    if is_last and sign * sum(deal.rules.plan.points[each] for each in whole) > 0:
        return "catch"
    return "last" if is_last else "above"


def _trick(deal: Deal) -> tuple[Card, ...]:
    """Give the cards of the trick under way."""
    players = deal.rules.players
    return tuple(CARDS[card] for card in deal.plays[len(deal.plays) // players * players :])


def _seen(
    deal: Deal, chosen: Sequence[Card], forced: set[int], begun: int, instead: Advice | None, advice: Advice | None
) -> FirstDeal:
    rules, players = deal.rules, deal.rules.players
    tricks = []
    for number in range(len(deal.plays) // players):
        leader = deal.leaders[number]
        cards = tuple(CARDS[card] for card in deal.plays[number * players :][:players])
        best = max(card for card in cards if card.suit is cards[0].suit)
        points, winner = points_of(rules, cards)[0], (leader + cards.index(best)) % players
        tricks.append(PlayedTrick(leader, cards, winner, points, number in forced))
    counting = rules.plan.scoring | rules.plan.doubler
    return FirstDeal(
        tuple(chosen),
        tuple(map(cards_in, deal.hands)),
        deal.turn if not _trick(deal) else (deal.turn - len(_trick(deal))) % players,
        _trick(deal),
        tuple(tricks),
        len(tricks) - begun if chosen or advice is None else len(tricks),
        cards_in(deal.playable) if advice else (),
        advice,
        instead,
        tuple(cards_in(mask & counting) for mask in deal.taken),
        tuple(deal.scores() if deal.is_over else card_points(rules, tuple(deal.taken), {})),
    )


router = Router()
Played = Annotated[str, Query(max_length=80, pattern=r"^([2-9TJQKA][CDHS](-[2-9TJQKA][CDHS])*)?$")]


@router.get("/learn")
def learn_usual(request: Request) -> Response:
    """Teach the usual variant."""
    return learn(request, USUAL_VARIANT)


@router.get("/learn/{variant}")
def learn(request: Request, variant: str) -> Response:
    """Teach a variant: what one is after, and one trick."""
    site: Site = request.app.state.site
    return site.pages.page(request, "learn.html", lambda: _shared(site, variant))


@router.get("/learn/{variant}/deal")
def learn_by_playing(request: Request, variant: str, cards: Played = "") -> Response:
    """Play the first deal with a coach; each choice leads to the address with one card more."""
    site: Site = request.app.state.site
    values = _shared(site, variant)
    rules = overview.rules_of(site.ladder, variant)
    deal = first_deal(rules, [Card.parse(name) for name in cards.split("-") if name])
    suits = [[[card for card in hand[::-1] if card.suit is suit] for suit in _SUITS] for hand in deal.hands]
    return form_page(request, "learn_deal.html", values | {"deal": deal, "suits": suits})


_SUITS = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
"""In the order in which people hold them."""


def _shared(site: Site, variant: str) -> dict[str, object]:
    rules = overview.rules_of(site.ladder, variant)
    others = [opponent(COACH + (f"#{number}" if number > 1 else "")) for number in range(1, rules.players)]
    names = {name: each.title for name, each in PRESETS.items()}
    names |= {each.variant: each.title for each in overview.variants(site.ladder, first=0)}
    has_tables = site.ladder.settings.people_tables > 0 and overview.tables_are_played(site.ladder)
    return {"rules": rules, "teaching": teaching(rules), "others": others, "variants": names, "has_tables": has_tables}

"""A case for each kind of question, for any variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.check.case import Case
from pigpen.check.table import expose, passed, skip
from pigpen.rules import Deal, Phase, cards_in, deal_hands, seed_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pigpen.rules import Rules, SeatView

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

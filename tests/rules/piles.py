"""Captured cards for the tables of scores, every deal that a seat may be in, and two referees at one table."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from pigpen.rules import Card, Deal, Face, IllegalAction, MoonChoice, Phase, cards_in, mask_of
from pigpen.rules.cards import CARDS
from pigpen.rules.scoring import card_points
from tests.rules.naive import Move, NaiveDeal
from tests.rules.table import mask

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pigpen.rules import Action, Rules, SeatView


def piles(rules: Rules, captured: str) -> list[int]:
    """Seat 0 took *captured*; the others share the rest of the deck in turn, so that none of them shoots the moon."""
    taken = [mask(captured)] + [0] * (rules.players - 1)
    for place, card in enumerate(cards_in(rules.plan.deck_mask & ~taken[0])):
        taken[1 + place % (rules.players - 1)] |= card.mask
    return taken


def points(rules: Rules, captured: str, exposed: str = "", choice: MoonChoice = MoonChoice.SUBTRACT) -> tuple[int, ...]:
    """Points of each seat; *exposed* are the cards exposed face up."""
    faces = dict.fromkeys(map(Card.parse, exposed.split()), Face.UP)
    return card_points(rules, piles(rules, captured), faces, choice)


def own(rules: Rules, captured: str, exposed: str = "") -> int:
    """Points of the seat that took *captured*."""
    return points(rules, captured, exposed)[0]


Key = tuple[object, ...]


def key_of(deal: Deal) -> Key:
    """Give the key that tells deals apart: the cards that each seat was dealt, passed, exposed and holds."""
    return deal.dealt, deal.passed, deal.exposures, tuple(deal.hands)


def possible(view: SeatView) -> set[Key]:
    """Deal all the cards in all ways, pass and expose in all ways, play what was played, and keep what looks alike."""
    rules, played = view.rules, _played(view)
    mine = (view.hand_mask | played[view.seat]) & ~view.received_mask | view.passed_mask
    found = set()
    for hands in _hands(view, mine):
        if not view.passed_mask and any(cards & ~hand for cards, hand in zip(played, hands, strict=True)):
            continue
        for deal in _sealed([Deal(rules, hands, number=view.deal, leader=view.first_leader)], view):
            try:
                for card in view.plays:
                    deal.apply(deal.turn, CARDS[card])
            except IllegalAction:
                continue
            if deal.view(view.seat) == view:
                found.add(key_of(deal))
    return found


def _played(view: SeatView) -> list[int]:
    players = view.rules.players
    played = [0] * players
    for place, card in enumerate(view.plays):
        played[(view.leaders[place // players] + place) % players] |= 1 << card
    return played


def _hands(view: SeatView, mine: int) -> Iterator[list[int]]:
    """Every deal of the deck in which the seat has the cards *mine*."""
    size = view.rules.hand_size
    others = [seat for seat in range(view.rules.players) if seat != view.seat]

    def fill(seats: Sequence[int], cards: tuple[Card, ...]) -> Iterator[dict[int, int]]:
        if not seats:
            yield {}
            return
        for hand in itertools.combinations(cards, size):
            for rest in fill(seats[1:], tuple(card for card in cards if card not in hand)):
                yield {seats[0]: mask_of(hand), **rest}

    for hands in fill(others, cards_in(view.rules.plan.deck_mask & ~mine)):
        yield [mine if seat == view.seat else hands[seat] for seat in range(view.rules.players)]


def _sealed(deals: list[Deal], view: SeatView) -> list[Deal]:
    """The deals after everything that can be answered in the phases before that of the view."""
    while deals[0].phase in (Phase.PASS, Phase.EXPOSE) and deals[0].phase < view.phase:
        phase, grown = deals[0].phase, []
        for deal in deals:
            for answers in itertools.product(*(_answers(deal, seat, view) for seat in deal.to_act)):
                child = deal.copy()
                for seat, answer in zip(deal.to_act, answers, strict=True):
                    child.apply(seat, answer)
                grown.append(child)
        deals = grown
        if not deals or deals[0].phase is phase:
            break
    return deals


def _answers(deal: Deal, seat: int, view: SeatView) -> list[Action]:
    options = deal.legal(seat)
    if deal.phase is Phase.PASS:
        passes: list[Action] = list(itertools.combinations(options, view.pass_count))
        return [cards for cards in passes if seat != view.seat or cards == view.passed]
    faces = [None, Face.UP, Face.DOWN] if deal.rules.exposing and deal.rules.exposing.face_down else [None, Face.UP]
    seen = {shown.card for shown in view.exposures if shown.seat == seat and shown.face is Face.UP}
    answers: list[dict[Card, Face]] = [
        {card: face for card, face in zip(options, chosen, strict=True) if face}
        for chosen in itertools.product(faces, repeat=len(options))
    ]
    return [answer for answer in answers if {card for card, face in answer.items() if face is Face.UP} == seen]


def naive_twin(deal: Deal, leader: int | None = None) -> NaiveDeal:
    """The naive referee with the cards of a deal that has just begun."""
    hands = [{str(card) for card in cards_in(mask)} for mask in deal.dealt]
    return NaiveDeal(deal.rules.name, hands, deal.number, leader)


def asked(deal: Deal) -> int | None:
    """The next seat to decide, lowest first."""
    return min(deal.to_act, default=None)


def options(deal: Deal) -> list[Move]:
    """Everything that the seat asked may do, spelled as the naive referee spells it."""
    seat = min(deal.to_act)
    cards = [str(card) for card in deal.legal(seat)]
    if deal.phase is Phase.PASS:
        return list(itertools.combinations(cards, deal.view(seat).pass_count))
    if deal.phase is Phase.EXPOSE:
        faces = ["", "up", "down"] if deal.rules.exposing and deal.rules.exposing.face_down else ["", "up"]
        shown = [[f"{card} {face}" if face else "" for face in faces] for card in cards]
        return [tuple(filter(None, choice)) for choice in itertools.product(*shown)]
    if deal.phase is Phase.MOON:
        return [("subtract",), ("add",)]
    return [(card,) for card in cards]


def action(deal: Deal, move: Move) -> Action:
    """The same move as the engine wants it."""
    if deal.phase is Phase.PASS:
        return tuple(map(Card.parse, move))
    if deal.phase is Phase.EXPOSE:
        return {Card.parse(shown[:2]): Face[shown[3:].upper()] for shown in move}
    if deal.phase is Phase.MOON:
        return MoonChoice[move[0].upper()]
    return Card.parse(move[0])

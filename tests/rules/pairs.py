"""The engine and the naive referee at one table: the same questions, the same answers."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from pigpen.rules import Card, Face, MoonChoice, Phase, cards_in
from tests.rules.naive import Move, NaiveDeal

if TYPE_CHECKING:
    from pigpen.rules import Action, Deal


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

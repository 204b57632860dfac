"""Captured cards for the tables of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Card, Face, MoonChoice, cards_in
from pigpen.rules.scoring import card_points
from tests.rules.table import mask

if TYPE_CHECKING:
    from pigpen.rules import Rules


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

"""Plays the deals of a record again, by the rules alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Card, Deal
from pigpen.rules.cards import parse_cards

if TYPE_CHECKING:
    from pigpen.rules import Action, Rules
    from referee.record import DealLine, Step


def scores_of(rules: Rules, line: DealLine) -> tuple[int, ...]:
    """
    What the rules make of the recorded steps.

    Raises:
        RulesError: If a step breaks them.
        ValueError: If the deal is not finished.
    """
    deal = Deal(rules, [parse_cards(hand.split()) for hand in line.hands], number=line.deal)
    for step in line.steps:
        deal.apply(step.seat, _action(step))
    if not deal.is_over:
        raise ValueError(f"deal {line.deal} is not finished")
    return deal.scores()


def _action(step: Step) -> Action:
    """The action of a step, at tables where nobody exposes anything or shoots the moon."""
    if step.play:
        return Card.parse(step.play)
    return tuple(map(Card.parse, step.passed.split())) if step.passed else {}

"""Plays the deals of a record again, by the rules alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pigpen.rules import Deal
from pigpen.rules.cards import parse_cards
from referee.records.steps import action_of

if TYPE_CHECKING:
    from pigpen.rules import Rules
    from referee.records.lines import DealLine


def scores_of(rules: Rules, line: DealLine) -> tuple[int, ...]:
    """
    Compute the scores of the recorded steps by the rules.

    Raises:
        RulesError: If a step breaks them.
        ValueError: If the deal is not finished.
    """
    deal = Deal(rules, [parse_cards(hand.split()) for hand in line.hands], number=line.deal)
    for step in line.steps:
        deal.apply(step.seat, action_of(step))
    if not deal.is_over:
        raise ValueError(f"deal {line.deal} is not finished")
    return deal.scores()

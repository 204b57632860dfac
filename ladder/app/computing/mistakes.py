"""The mistakes of all bots in one deal of a match, by estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.computing.asking import answer_to
from ladder.app.computing.questions import deals_of
from ladder.app.local.reading import Source, Where, deals_in
from ladder.app.matches import record_of
from ladder.app.recorded_match import read_recorded
from ladder.values.questions import BotDeals, CostliestQuestion, FoundCostliest
from ladder.values.why import Mistake, Mistakes

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.why import Why

MAX_MISTAKES = 12
"""Mistakes of a deal that are given: the most costly ones."""
MAX_CHOICES = 4
"""Choices of each that are given: the best ones, and what was done."""


def mistakes(ladder: Ladder, match: int, board: int, rotation: int, asker: str = "") -> Mistakes:
    """
    Find the decisions of a deal that cost a bot more than the error of the estimate, in the order of the deal.

    Args:
        ladder: The ladder.
        match: The number of a match that is done.
        board: The number of the board, from 1; in a match without boards, of the deal.
        rotation: The number of the board's rotation, from 1; in a match without boards, 1.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If they are not found yet.
        LadderError: If there is no such match.
        UserError: If there is no record that can be read, or no such deal.
    """
    source = Source.of(record_of(ladder, match), str(match))
    recorded = read_recorded(source.path)
    where = Where(board=board, rotation=rotation) if recorded.has_boards else Where(deal=board)
    first = recorded.recorded.first
    deals_in(recorded.recorded, source, where)
    look = BotDeals(deals=deals_of(ladder, source, first.commitment, where), bots=tuple(range(len(first.bots))))
    answer = answer_to(ladder, CostliestQuestion(looks=(look,), worst=MAX_MISTAKES), asker)
    found = [each for each in FoundCostliest.model_validate_json(answer).costliest if each.cost > each.cost_error]
    return Mistakes(mistakes=tuple(_mistake(each) for each in sorted(found, key=lambda each: each.step)))


def _mistake(found: Why) -> Mistake:
    return Mistake(
        step=found.step,
        seat=found.seat,
        cost=found.cost,
        cost_error=found.cost_error,
        legal=found.legal,
        choices=tuple(each for place, each in enumerate(found.choices) if place < MAX_CHOICES or each.chosen),
        deals=found.deals,
        search=found.search,
    )

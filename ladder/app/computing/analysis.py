"""
Analysis of a position that a visitor names: the table at each moment up to it, and the worth of each choice.

Nothing of it is stored but the estimates, which are kept as others are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.computing.asking import answer_to
from ladder.app.match_replay import tricks
from ladder.app.overview import rules_of
from ladder.errors import LadderError, UserError
from ladder.matches.estimate import TooManyChoices, check_choices
from ladder.values.matches import DealPlace, DealReplayed
from ladder.values.questions import AnalysisQuestion
from ladder.values.why import Analysis
from pigpen.values.view import View
from referee.records.recorded import BadRecord
from referee.records.steps import names_of
from referee.replay.position import Position
from referee.replay.table_view import deal_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.app.matches import RecordedMatch
    from pigpen.rules import Rules

FORMAT = "analysis"
"""In place of a match's format."""


def analysed(position: Position, names: Sequence[str], seat: int | None = None) -> DealReplayed:
    """
    Show a deal up to a position, as a replay shows a recorded one.

    Args:
        position: The position.
        names: Name of each seat.
        seat: Show what this seat knew, and nothing else; None: all hands.
    """
    moments = position.moments(seat)
    players = position.rules.players
    return DealReplayed(
        **deal_fields(position.rules, position.number, names, ("person",) * players, seat),
        match=None,
        format=FORMAT,
        place=DealPlace(board=position.number + 1, rotation=1),
        boards=False,
        previous=None,
        next=None,
        faults=(),
        numbers=tuple(range(players)),
        hands=tuple(names_of(hand) if seat in (None, each) else "" for each, hand in enumerate(position.hands)),
        moments=moments,
        tricks=tricks(moments),
    )


def position_in(ladder: Ladder, recorded: RecordedMatch, place: DealPlace) -> Position:
    """
    Take a recorded deal up to its end.

    Raises:
        UserError: If there is no such deal, it breaks the rules, or they are not those of a variant of the ladder.
    """
    rules = recorded.recorded.rules
    if not is_of_ladder(ladder, rules):
        raise UserError("This deal was played by rules of its own, for which there is no analysis board.")
    if place not in recorded.where:
        raise UserError(f"There is no board {place.board}, rotation {place.rotation} here.")
    line = recorded.recorded.deals[recorded.where[place]]
    try:
        return Position.of_record(rules, recorded.recorded.first, line)
    except BadRecord as error:
        raise UserError(f"This deal cannot be shown: {error}.") from None


def is_of_ladder(ladder: Ladder, rules: Rules) -> bool:
    """Tell whether the variant of that name has these rules on the ladder, or as a preset."""
    try:
        return rules_of(ladder, rules.name) == rules
    except LadderError:
        return False


def worth(ladder: Ladder, position: Position, seat: int, asker: str = "") -> Analysis:
    """
    Estimate what each choice of a seat in a position is worth, from what it knows.

    Args:
        ladder: The ladder.
        position: The position.
        seat: The seat.
        asker: The account or address whose place in the queue it takes (`ladder.app.computing.asking`).

    Raises:
        BeingComputed: If it is not estimated yet.
        UserError: If the seat has nothing to decide there, or too many choices.
    """
    deal = position.deal()
    if seat not in deal.to_act:
        raise UserError(f"Seat {seat} has nothing to decide in this position.")
    try:
        check_choices(View(*deal.known_to(seat), totals=(0,) * position.rules.players))
    except TooManyChoices as error:
        raise UserError(f"There is no estimate: {error}.") from None
    question = AnalysisQuestion(
        rules=position.rules.to_plain(),
        number=position.number,
        leader=position.leader,
        hands=position.text_of_hands,
        moves=position.text_of_moves,
        seat=seat,
    )
    return Analysis.model_validate_json(answer_to(ladder, question, asker))

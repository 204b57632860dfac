"""Your board beside all others who played it from your chair; sealed until you have played it to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.overview import rules_of
from ladder.app.recorded_match import place_of
from ladder.app.tables.sittings import A_HOUSE_BOT, board_of, board_of_day
from ladder.app.tables.todays import todays_board
from ladder.errors import LadderError
from ladder.matches.same_board import differences, percentile, ranked
from ladder.values.same_board import DayResults, SameBoard, SittingBeside
from ladder.values.text import sanitize
from referee.records.recorded import BadRecord

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder

LISTED = 100
"""So many of all are listed; yours always is."""


def compare(ladder: Ladder, name: str, secret: str) -> SameBoard:
    """
    Give everybody's points for the board of a table.

    Raises:
        Conflict: If the table is not over.
        Forbidden: If the secret is for no chair there.
        LadderError: If there is no such table, or the board is nobody else's.
        UserError: If the record of the board's match is gone.
    """
    board = board_of(ladder, name, secret)
    scores = list(board.scores())
    listed = ranked(board.rules, scores)
    yours = next(each for each in scores if each.you)
    others = [each.points for each in scores if each.counts and each.key not in board.own]
    found = board.mine
    return SameBoard(
        variant=board.rules.name,
        title=board.rules.title,
        low_is_better=board.rules.low_is_better,
        day=board.day,
        match=board.chair.match if board.chair else None,
        board=found.line.deal,
        rotation=found.line.rotation or 0,
        chair=found.chair,
        hand=found.line.hands[found.chair],
        points=yours.points,
        percentile=percentile(board.rules, yours.points, others),
        sittings=tuple(each for place, each in enumerate(listed) if place < LISTED or each.you),
    )


def results_of_yesterday(ladder: Ladder, variant: str) -> DayResults:
    """
    Give everybody's points for yesterday's board, which is sealed from nobody any more.

    Raises:
        LadderError: If there is no such variant.
    """
    found, rules = todays_board(ladder, variant, days_ago=1), rules_of(ladder, variant)
    board = board_of_day(ladder, rules, found.day, bytes.fromhex(found.seed or ""))
    house = board.deal_of(A_HOUSE_BOT)
    return DayResults(
        board=found,
        low_is_better=rules.low_is_better,
        hand=house.line.hands[house.chair],
        sittings=ranked(rules, list(board.scores()))[:LISTED],
    )


def beside(ladder: Ladder, name: str, secret: str, key: str) -> SittingBeside:
    """
    Compare your decisions with those of one of the others.

    Args:
        ladder: The ladder.
        name: The table's.
        secret: Your chair's.
        key: The other's, as `compare` gives it.

    Raises:
        LadderError: As `compare`, or if there is no such other.
    """
    board = board_of(ladder, name, secret)
    sitting = next((each for each in ranked(board.rules, list(board.scores())) if each.key == key), None)
    if sitting is None:
        raise LadderError(f"Nobody called {sanitize(key)[:40]!r} has played this board; look at the comparison again.")
    mine, other = board.mine, board.deal_of(key)
    try:
        found = differences(mine, other)
    except BadRecord as error:
        raise LadderError(f"This play of the board cannot be shown: {error}.") from None
    return SittingBeside(sitting=sitting, yours=place_of(mine.line), other=place_of(other.line), differences=found)

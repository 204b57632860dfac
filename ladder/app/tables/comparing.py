"""Your board beside all others who played it from your chair; sealed until you have played it to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.replay import replayed
from ladder.app.tables.sittings import board_of
from ladder.errors import LadderError
from ladder.matches.same_board import differences, percentile, ranked
from ladder.values.same_board import SameBoard, SittingBeside
from ladder.values.text import harmless
from referee.records.recorded import BadRecord

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.replay import DealReplayed

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
    sats = list(board.sats())
    listed = ranked(board.rules, sats)
    yours = next(each for each in sats if each.you)
    others = [each.points for each in sats if each.counts and each.key not in board.own]
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
    sitting = next((each for each in ranked(board.rules, list(board.sats())) if each.key == key), None)
    if sitting is None:
        raise LadderError(f"Nobody called {harmless(key)[:40]!r} has played this board; look at the comparison again.")
    try:
        found = differences(board.mine, board.sat_deal(key))
    except BadRecord as error:
        raise LadderError(f"This play of the board cannot be shown: {error}.") from None
    return SittingBeside(sitting=sitting, differences=found)


def sitting_replayed(ladder: Ladder, name: str, secret: str, key: str, seat: int | None = None) -> DealReplayed:
    """
    Play your deal again, or that of one of the others (*key*; `YOU` is yours), from all seats or from one.

    Raises:
        LadderError: As `beside`.
    """
    board = board_of(ladder, name, secret)
    try:
        recorded = board.record(key)
        if seat is not None and seat >= board.rules.players:
            raise LadderError(f"There is no seat {seat}; the seats are 0 to {board.rules.players - 1}.")
        place = next(place for place in recorded.where if place.board == board.mine.line.deal)
        return replayed(recorded, place, seat)
    except BadRecord as error:
        raise LadderError(f"This play of the board cannot be shown: {error}.") from None

"""
Opening a table as an order describes it, on a ladder of this machine or on a remote one.

An order may also be for a board that others play, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.errors import UserError
from ladder.people.boards.daily_board import BoardChair, open_match_board, open_today
from ladder.people.tables.table_opening import open_table
from ladder.values.people import OpenedTable, TablePurpose, TableVisitor

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.values.people import TableOrder

OWN_CHAIRS = "A board that others play, too, has its own chairs and rules, and no practice; leave them out."
NO_BOARD = "{!r} is no board of a match; write MATCH/BOARD/ROTATION/SEAT, such as 17/3/1/0. Only seats count from 0."


def open_ordered(ladder: Ladder, order: TableOrder, who: TableVisitor) -> OpenedTable:
    """
    Open what was ordered: a table of its own, today's board, or a board of a match.

    Raises:
        LadderError, RulesFileError, UserError: As `open_table`, `open_today` and `open_match_board`.
    """
    who = replace(who, shown=who.shown or order.shown)
    if order.purpose is TablePurpose.FREE:
        return open_table(ladder, order.model_copy(update={"board": ""}), who)
    if order.chairs or order.rules is not None or order.practice:
        raise UserError(OWN_CHAIRS)
    if order.purpose is TablePurpose.TODAY:
        return open_today(ladder, order.variant, who, order.seconds)
    try:
        chair = BoardChair.of(order.board)
    except ValueError:
        raise UserError(NO_BOARD.format(order.board)) from None
    return open_match_board(ladder, chair, who, order.seconds)

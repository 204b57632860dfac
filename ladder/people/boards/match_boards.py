"""Boards that bots of the ladder have played, for people to play once more from one of the chairs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ladder.app import matches
from ladder.app.recorded_match import read_recorded
from ladder.errors import UserError
from ladder.people.boards.day_seed import OPPONENT
from ladder.people.tables.opening import open_table
from ladder.people.tables.table_states import bots_to_play_with
from ladder.values.people import ChairKind, ChairOrder, TableOrder, TablePurpose
from ladder.values.replay import DealPlace
from ladder.values.same_board import MatchBoard, MatchBoardChair
from ladder.values.text import sanitize
from referee.match.formats import BoardPlace, Format
from referee.records.recorded import BadRecord, seats_of

if TYPE_CHECKING:
    from typing import Self

    from ladder.app.ladder import Ladder
    from ladder.app.recorded_match import RecordedMatch
    from ladder.values.people import OpenedTable, TableVisitor
    from referee.records.lines import DealLine


class BoardChair(NamedTuple):
    """One chair of one board; a table's `board` names it."""

    match: int
    board: int
    """From 1, as the rotation."""
    rotation: int
    seat: int
    """From 0."""

    @classmethod
    def of(cls, text: str) -> Self:
        """
        Read it.

        Raises:
            ValueError: If it is none.

        >>> BoardChair.of("17/3/1/2")
        BoardChair(match=17, board=3, rotation=1, seat=2)
        """
        if not re.fullmatch(r"\d{1,9}(/[1-9]\d{0,8}){2}/\d{1,9}", text, flags=re.ASCII):
            raise ValueError(text)
        return cls(*map(int, text.split("/")))

    def __str__(self) -> str:
        return "/".join(map(str, self))


def match_board(ladder: Ladder, match: int, board: int, rotation: int) -> MatchBoard:
    """
    Read who sat where on a board of a match that is done.

    Raises:
        LadderError: If there is no such match.
        UserError: If it has no record, or no such board.
    """
    recorded, line = _played(ladder, match, board, rotation)
    first = recorded.recorded.first
    return MatchBoard(
        match=match,
        board=board,
        rotation=rotation,
        variant=recorded.recorded.rules.name,
        title=recorded.recorded.rules.title,
        chairs=tuple(
            MatchBoardChair(seat=seat, bot=sanitize(first.bots[bot])) for seat, bot in enumerate(seats_of(line))
        ),
        commitment=first.commitment,
    )


def open_match_board(ladder: Ladder, chair: BoardChair, who: TableVisitor, seconds: float = 30.0) -> OpenedTable:
    """
    Open a table at which a person plays a board of a match, in the place of one of its bots.

    The others are the bots that sat there, as far as their owners and this visitor's kind allow, else house bots.

    Args:
        ladder: The ladder.
        chair: The board, and the person's chair there.
        who: The visitor.
        seconds: What the person has for each decision.

    Raises:
        Forbidden: If this ladder has no tables.
        LadderError: If there is no such match.
        TooOften: If there are too many tables, or this visitor has too many of them open.
        UserError: If the match has no record, or no such board or chair.
    """
    recorded, line = _played(ladder, chair.match, chair.board, chair.rotation)
    rules, seats = recorded.recorded.rules, seats_of(line)
    if chair.seat >= len(seats):
        raise UserError(f"Match {chair.match} has no seat {chair.seat}; its seats are 0 to {len(seats) - 1}.")
    allowed = frozenset(bots_to_play_with(ladder, rules.name)) if who.account is not None or not who.guest else ()
    names = [seat.bot for seat in matches.public_match(ladder, chair.match).seats]
    chairs = tuple(
        ChairOrder() if number == seats[chair.seat] else _chair(name, name in allowed)
        for number, name in enumerate(names)
    )
    try:
        seed = recorded.recorded.seed
    except BadRecord as error:
        raise UserError(f"Match {chair.match} cannot be played once more: {error}.") from None
    order = TableOrder(
        variant=rules.name,
        chairs=chairs,
        format=str(Format(board=BoardPlace(chair.board - 1, chair.rotation - 1))),
        seconds=seconds,
        purpose=TablePurpose.BOARD,
        board=str(chair),
    )
    return open_table(ladder, order, who, seed)


def played_board(ladder: Ladder, chair: BoardChair) -> list[tuple[int, RecordedMatch, DealLine]]:
    """
    Give a board in all rotations of its match: the number of the rotation, the record, the deal.

    Raises:
        LadderError: If there is no such match.
        UserError: If it has no record.
    """
    recorded = read_recorded(matches.record_of(ladder, chair.match))
    deals = recorded.recorded.deals
    return [
        (place.rotation, recorded, deals[index])
        for place, index in recorded.where.items()
        if place.board == chair.board
    ]


def _played(ladder: Ladder, match: int, board: int, rotation: int) -> tuple[RecordedMatch, DealLine]:
    recorded = read_recorded(matches.record_of(ladder, match))
    index = recorded.where.get(DealPlace(board=board, rotation=rotation))
    if index is None or not recorded.has_boards:
        raise UserError(f"Match {match} has no board {board}, rotation {rotation} that could be played once more.")
    return recorded, recorded.recorded.deals[index]


def _chair(name: str, is_allowed: bool) -> ChairOrder:
    if is_allowed:
        return ChairOrder(kind=ChairKind.BOT, name=name)
    return ChairOrder(kind=ChairKind.HOUSE, name=OPPONENT)

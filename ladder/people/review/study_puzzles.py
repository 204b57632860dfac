"""
Puzzles made from positions of studies: whether a position is one, by its estimate, and what visitors answer.

They are stored, shown and answered as the puzzles from matches (`ladder.people.review.puzzles`), but stand in no list
and count in no streak: their authors know the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ladder.app.computing.analysis import worth
from ladder.errors import LadderError, UserError
from ladder.matches.puzzles import gap_of, position_of, right_of
from ladder.people.review.puzzles import page_of, puzzle_visitor, take_answer
from ladder.people.review.studies import (
    NO_POSITION,
    NO_STUDY,
    find_own_study,
    find_position,
    find_study,
    position_in_study,
)
from ladder.site.rendering.translations import to_translate
from ladder.store.commands import studies as commands
from ladder.store.queries import studies as queries
from ladder.store.queries.puzzles import KnownPuzzle
from ladder.values.studies import StudiedPosition
from ladder.values.why import Analysis, FoundPuzzle
from pigpen.rules import Phase
from pigpen.values.view import View

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.queries.studies import KnownPosition
    from ladder.values.accounts import Viewer
    from ladder.values.people import TableVisitor
    from ladder.values.why import PuzzlePage
    from referee.replay.position import Position

NO_CARD = to_translate("In a puzzle a card is to be played; in this position none is.")
NOT_CLEAR = to_translate(
    "By this estimate no card is clearly the best: all others must be behind it, each with its whole interval, by "
    "about a tenth of the points of a deal. Choose another position."
)


class JudgedPosition(NamedTuple):
    """A position of a study, and whether it can be a puzzle."""

    position: Position
    analysis: Analysis
    puzzle: FoundPuzzle | None
    """None: no card is clearly the best."""


def judge(ladder: Ladder, viewer: Viewer, name: str, number: int, asker: str) -> JudgedPosition:
    """
    Estimate a position of a study of the viewer's, and see whether one card is clearly the best.

    Args:
        ladder: The ladder.
        viewer: The owner of the study.
        name: The study's.
        number: The position's.
        asker: The account whose place in the queue the estimate takes.

    Raises:
        BeingComputed: If it is not estimated yet.
        LadderError: If the viewer has no such study, or the study no such position.
        UserError: If no card is to be played in it.
    """
    with ladder.database.read() as session:
        row = find_position(session, find_own_study(session, viewer, name), number).row
        variant, stored = row.variant, StudiedPosition.model_validate(row, extra="ignore")
    position = position_in_study(ladder, variant, stored)
    deal = position.deal()
    if deal.phase is not Phase.PLAY:
        raise UserError(NO_CARD)
    (seat,) = deal.to_act
    analysis = worth(ladder, position, seat, asker)
    count = right_of(analysis.choices, gap_of(position.rules))
    right = tuple(each.choice for each in analysis.choices[:count])
    view = View(*deal.known_to(seat), totals=(0,) * position.rules.players)
    puzzle = FoundPuzzle(position=position_of(view), right=right, why=analysis) if right else None
    return JudgedPosition(position, analysis, puzzle)


def mark_puzzle(ladder: Ladder, viewer: Viewer, name: str, number: int, asker: str) -> None:
    """
    Make a position of a study a puzzle.

    Raises:
        UserError: If no card is clearly the best; else as `judge`.
    """
    found = judge(ladder, viewer, name, number, asker).puzzle
    if found is None:
        raise UserError(NOT_CLEAR)
    with ladder.database.write() as session:
        known, now = find_own_study(session, viewer, name), ladder.clock()
        commands.mark_puzzle(session, find_position(session, known, number).row, found, now)
        known.row.changed = now


def unmark_puzzle(ladder: Ladder, viewer: Viewer, name: str, number: int) -> None:
    """
    Make a position open to all again; the answers to the puzzle are removed.

    Raises:
        LadderError: If the viewer has no such study, or the study no such position.
    """
    with ladder.database.write() as session:
        known = find_own_study(session, viewer, name)
        commands.unmark_puzzle(session, find_position(session, known, number).row)
        known.row.changed = ladder.clock()


def study_puzzle(ladder: Ladder, viewer: Viewer, who: TableVisitor, name: str, number: int) -> PuzzlePage | None:
    """
    Read a puzzle of a study, with its answer only for a visitor who has given one; None: the position is no puzzle.

    Raises:
        LadderError: If there is no such study or position.
    """
    visitor = puzzle_visitor(who)
    with ladder.database.read() as session:
        known = find_study(session, viewer, name)
        entries = queries.positions_of(session, known.row.id, visitor)
        found = next((each for each in entries if each.row.id == number), None)
        if found is None:
            raise LadderError(NO_POSITION)
        if found.puzzle is None:
            return None
        others = (each.row.id for each in entries if each.is_unanswered and each.row.id != number)
        return page_of(session, KnownPuzzle(found.puzzle, False), visitor, number, next(others, None))


def answer_study_puzzle(ladder: Ladder, viewer: Viewer, who: TableVisitor, name: str, number: int, card: str) -> None:
    """
    Store what a visitor answers to a puzzle of a study; the first answer counts.

    Raises:
        LadderError: If there is no such study, or no such puzzle in it.
        UserError: If the card may not be played there.
    """
    with ladder.database.write() as session:
        found: KnownPosition = find_position(session, find_study(session, viewer, name), number)
        if found.puzzle is None:
            raise LadderError(NO_STUDY)
        take_answer(session, found.puzzle, card, puzzle_visitor(who), ladder.clock())

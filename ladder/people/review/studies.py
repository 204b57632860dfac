"""
Studies: reading them, and what their owners do with them.

A study has positions in an order, each with a title and a comment. A position that is a puzzle
(`ladder.people.review.study_puzzles`) is shown as its seat knows it until the visitor has answered; so are the
other positions of that deal, which would show the hidden cards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.app.overview import rules_of
from ladder.entry.policy import Act, may
from ladder.errors import LadderError, UserError
from ladder.people.review.puzzles import puzzle_visitor
from ladder.site.rendering.translations import to_translate
from ladder.store.account_names import find_account
from ladder.store.commands import studies as commands
from ladder.store.commands.accounts import write_audit
from ladder.store.queries import studies as queries
from ladder.store.queries.puzzles import tried
from ladder.values.studies import (
    MAX_COMMENT,
    MAX_TITLE,
    StudiedPosition,
    StudyEntry,
    StudyList,
    StudyPage,
    StudyPuzzle,
    StudyRow,
)
from ladder.values.value import time_of
from ladder.values.why import FoundPuzzle
from referee.replay.position import BETWEEN, BadPosition, Position

if TYPE_CHECKING:
    from collections.abc import Collection

    from ladder.app.ladder import Ladder
    from ladder.store.database import Session
    from ladder.store.queries.studies import KnownPosition, KnownStudy
    from ladder.values.accounts import Viewer
    from ladder.values.people import TableVisitor

MAX_STUDIES = 50
"""Studies of an account."""
MAX_POSITIONS = 50
"""Positions of a study."""
LISTED = 50
"""Studies of a page."""
NO_STUDY = to_translate("There is no such study. The list of all public studies: /studies")
NO_POSITION = to_translate("There is no such position in this study; its owner may have removed it.")
TOO_MANY_STUDIES = to_translate("This account has as many studies as it may have; delete one of them first.")
TOO_MANY_POSITIONS = to_translate("This study has as many positions as it may have; begin another study.")
BAD_TITLE = to_translate("A title is one line of at most 100 characters; that of a study is not empty.")
BAD_COMMENT = to_translate("A comment is text of at most 2,000 characters.")


def studies(ladder: Ladder, before: int | None = None) -> StudyList:
    """
    Read the public studies, the newest first, some at a time.

    Args:
        ladder: The ladder.
        before: Only those with a lower number; the value of `StudyList.next`.
    """
    with ladder.database.read() as session:
        found = queries.public_studies(session, before, LISTED + 1)
        following = found[LISTED - 1].row.id if len(found) > LISTED else None
        return StudyList(studies=tuple(map(_row, found[:LISTED])), next=following)


def own_studies(ladder: Ladder, viewer: Viewer) -> tuple[StudyRow, ...]:
    """Read all studies of the viewer, those changed last first; none of a visitor who has not logged in."""
    if viewer.name is None:
        return ()
    with ladder.database.read() as session:
        return tuple(map(_row, queries.studies_by(session, viewer.name)))


def study_page(ladder: Ladder, viewer: Viewer, who: TableVisitor, name: str) -> StudyPage:
    """
    Read a study, as far as a visitor may know of it: puzzles that are not answered stay hidden, but from the owner.

    Raises:
        LadderError: If there is none.
    """
    with ladder.database.read() as session:
        known = find_study(session, viewer, name)
        found = queries.positions_of(session, known.row.id, puzzle_visitor(who))
        is_owner = viewer.name == known.owner
        sealed = () if is_owner else {_deal(each) for each in found if each.is_unanswered}
        return StudyPage(**dict(_row(known)), entries=tuple(_entry(each, sealed) for each in found))


def create_study(ladder: Ladder, viewer: Viewer, title: str, public: bool) -> str:
    """
    Make a study of the viewer's; gives its name.

    Raises:
        UserError: If the title cannot be, or the account has too many studies.
    """
    title = _title(title, needed=True)
    with ladder.database.write() as session:
        owner, now = find_account(session, str(viewer.name)).owner_id, ladder.clock()
        if queries.count_studies(session, owner) >= MAX_STUDIES:
            raise UserError(TOO_MANY_STUDIES)
        made = commands.add_study(session, owner, title, public, now)
        write_audit(session, viewer, "study.create", made.name, now, title=title)
        return made.name


def change_study(ladder: Ladder, viewer: Viewer, name: str, title: str, public: bool) -> None:
    """
    Change the title of a study, and whether it is listed.

    Raises:
        LadderError: If the viewer has no such study.
        UserError: If the title cannot be.
    """
    with ladder.database.write() as session:
        study = find_own_study(session, viewer, name).row
        study.title, study.public, study.changed = _title(title, needed=True), public, ladder.clock()


def remove_study(ladder: Ladder, viewer: Viewer, name: str) -> None:
    """
    Remove a study with all that is in it: the viewer's own, or as an organiser.

    Raises:
        LadderError: If there is none that the viewer may remove.
    """
    with ladder.database.write() as session:
        known = find_own_study(session, viewer, name, Act.REMOVE_STUDY)
        write_audit(session, viewer, "study.remove", name, ladder.clock(), owner=known.owner, title=known.row.title)
        commands.remove_study(session, known.row)


def checked_texts(title: str, comment: str) -> tuple[str, str]:
    """
    Give title and comment of a position as they are stored.

    Raises:
        UserError: If one of them cannot be.
    """
    return _title(title), _comment(comment)


def add_position(ladder: Ladder, viewer: Viewer, name: str, position: Position, title: str, comment: str) -> int:
    """
    Add a position to a study, behind the others; gives its number.

    Raises:
        LadderError: If the viewer has no such study.
        UserError: If the title or the comment cannot be, or the study has too many positions.
    """
    title, comment = checked_texts(title, comment)
    with ladder.database.write() as session:
        known = find_own_study(session, viewer, name)
        if known.positions >= MAX_POSITIONS:
            raise UserError(TOO_MANY_POSITIONS)
        made = commands.add_position(session, known.row, position.rules.name, studied(position))
        made.title, made.comment, known.row.changed = title, comment, ladder.clock()
        return made.id


def change_position(ladder: Ladder, viewer: Viewer, name: str, number: int, title: str, comment: str) -> None:
    """
    Change title and comment of a position.

    Raises:
        LadderError: If the viewer has no such study, or the study no such position.
        UserError: If the title or the comment cannot be.
    """
    title, comment = checked_texts(title, comment)
    with ladder.database.write() as session:
        known = find_own_study(session, viewer, name)
        row = find_position(session, known, number).row
        row.title, row.comment, known.row.changed = title, comment, ladder.clock()


def move_position(ladder: Ladder, viewer: Viewer, name: str, number: int, up: bool) -> None:
    """
    Exchange a position with the one before or behind it.

    Raises:
        LadderError: If the viewer has no such study, or the study no such position.
    """
    with ladder.database.write() as session:
        known = find_own_study(session, viewer, name)
        commands.move_position(session, find_position(session, known, number).row, up)
        known.row.changed = ladder.clock()


def remove_position(ladder: Ladder, viewer: Viewer, name: str, number: int) -> None:
    """
    Remove a position.

    Raises:
        LadderError: If the viewer has no such study, or the study no such position.
    """
    with ladder.database.write() as session:
        known = find_own_study(session, viewer, name)
        commands.remove_position(session, find_position(session, known, number).row)
        known.row.changed = ladder.clock()


def find_study(session: Session, viewer: Viewer, name: str) -> KnownStudy:
    """
    Find a study; one whose owner's account is disabled is there for organisers alone.

    Raises:
        LadderError: If there is none.
    """
    known = queries.study_of(session, name, also_disabled=viewer.is_organiser)
    if known is None:
        raise LadderError(NO_STUDY)
    return known


def find_own_study(session: Session, viewer: Viewer, name: str, act: Act = Act.EDIT_STUDY) -> KnownStudy:
    """
    Find a study with which the viewer may do something; another's is as one that is not there.

    Raises:
        LadderError: If there is none.
    """
    known = find_study(session, viewer, name)
    if not may(viewer, act, known.owner):
        raise LadderError(NO_STUDY)
    return known


def find_position(session: Session, known: KnownStudy, number: int, visitor: str = "") -> KnownPosition:
    """
    Find a position of a study.

    Raises:
        LadderError: If it has none of that number.
    """
    found = queries.positions_of(session, known.row.id, visitor, number)
    if not found:
        raise LadderError(NO_POSITION)
    return found[0]


def studied(position: Position) -> StudiedPosition:
    """Write a position down."""
    return StudiedPosition(
        hands=position.text_of_hands, moves=position.text_of_moves, deal=position.number, leader=position.leader
    )


def position_in_study(ladder: Ladder, variant: str, stored: StudiedPosition) -> Position:
    """
    Read a position as the ladder plays its variant now.

    Raises:
        LadderError: If the ladder does not play it, or now by rules under which there is no such position.
    """
    try:
        return Position.parse(
            rules_of(ladder, variant), stored.hands.split(BETWEEN), stored.moves, stored.deal, stored.leader
        )
    except BadPosition:
        raise LadderError(NO_POSITION) from None


def _row(known: KnownStudy) -> StudyRow:
    row = known.row
    return StudyRow(
        name=row.name,
        title=row.title,
        owner=known.owner,
        public=row.public,
        positions=known.positions,
        changed=time_of(row.changed),
    )


def _entry(known: KnownPosition, sealed: Collection[tuple[str, str]]) -> StudyEntry:
    row, is_hidden = known.row, _deal(known) in sealed
    return StudyEntry(
        number=row.id,
        title=row.title,
        variant=row.variant,
        hidden=is_hidden,
        comment="" if is_hidden else row.comment,
        position=None if is_hidden else StudiedPosition.model_validate(row, extra="ignore"),
        puzzle=_puzzle(known),
    )


def _deal(known: KnownPosition) -> tuple[str, str]:
    """Give that by which positions of one deal are known."""
    return known.row.variant, known.row.hands


def _puzzle(known: KnownPosition) -> StudyPuzzle | None:
    if known.puzzle is None:
        return None
    found = FoundPuzzle.model_validate(known.puzzle.found, strict=False)
    is_right = None if known.answer is None else known.answer.is_right
    return StudyPuzzle(position=found.position, tried=tried(known.puzzle), is_right=is_right)


def _title(text: str, needed: bool = False) -> str:
    title = text.strip()
    if len(title) > MAX_TITLE or not title.isprintable() or (needed and not title):
        raise UserError(BAD_TITLE)
    return title


def _comment(text: str) -> str:
    comment = text.replace("\r\n", "\n").strip()
    if len(comment) > MAX_COMMENT or not comment.translate({ord("\n"): " ", ord("\t"): " "}).isprintable():
        raise UserError(BAD_COMMENT)
    return comment

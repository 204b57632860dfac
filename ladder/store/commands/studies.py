"""
Writing studies: made, changed and removed by their owners, positions added, moved and marked as puzzles.

Each function needs a transaction that writes.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from ladder.store.commands.puzzles import add_puzzle, remove_puzzles
from ladder.store.study_models import Study, StudyPosition

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.values.studies import StudiedPosition
    from ladder.values.why import FoundPuzzle

NAME_BYTES = 9
"""Of random numbers in a study's name, which is 12 characters."""


def add_study(session: Session, owner_id: int, title: str, public: bool, now: float) -> Study:
    """Make a study without positions."""
    name = secrets.token_urlsafe(NAME_BYTES)
    made = Study(name=name, owner_id=owner_id, title=title, public=public, added=now, changed=now)
    session.add(made)
    session.flush()
    return made


def remove_study(session: Session, study: Study) -> None:
    """Remove a study with its positions, its puzzles, and the answers to them."""
    for row in session.scalars(select(StudyPosition).where(StudyPosition.study_id == study.id)).all():
        remove_position(session, row)
    session.delete(study)
    session.flush()


def add_position(session: Session, study: Study, variant: str, position: StudiedPosition) -> StudyPosition:
    """Add a position behind the others, without a title."""
    last = session.scalar(select(func.max(StudyPosition.place)).where(StudyPosition.study_id == study.id)) or 0
    made = StudyPosition(
        study_id=study.id, place=last + 1, title="", comment="", variant=variant, **position.model_dump()
    )
    session.add(made)
    session.flush()
    return made


def move_position(session: Session, row: StudyPosition, up: bool) -> None:
    """Exchange a position with the one before or behind it, if there is one."""
    of = StudyPosition
    others = select(of).where(of.study_id == row.study_id, of.place < row.place if up else of.place > row.place)
    other = session.scalar(others.order_by(of.place.desc() if up else of.place).limit(1))
    if other is not None:
        row.place, other.place = other.place, row.place


def remove_position(session: Session, row: StudyPosition) -> None:
    """Remove a position, and what it is as a puzzle."""
    unmark_puzzle(session, row)
    session.delete(row)
    session.flush()


def mark_puzzle(session: Session, row: StudyPosition, found: FoundPuzzle, now: float) -> None:
    """Make a position a puzzle; one that is a puzzle already stays as it is."""
    if row.puzzle_id is None:
        row.puzzle_id = add_puzzle(session, found, now)


def unmark_puzzle(session: Session, row: StudyPosition) -> None:
    """Make a position open to all again; the answers to the puzzle are removed."""
    if row.puzzle_id is not None:
        number, row.puzzle_id = row.puzzle_id, None
        session.flush()
        remove_puzzles(session, [number])

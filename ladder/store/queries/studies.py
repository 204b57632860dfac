"""Reading studies: those that may be listed, those of an owner, and the positions of one with a visitor's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, func, select

from ladder.store.account_models import Account
from ladder.store.computing_models import StoredPuzzle, StoredPuzzleAnswer
from ladder.store.models import Owner
from ladder.store.study_models import Study, StudyPosition

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session


class KnownStudy(NamedTuple):
    """A study with the name of its owner, and the number of its positions."""

    row: Study
    owner: str
    positions: int


class KnownPosition(NamedTuple):
    """A position, the puzzle that it is, and the visitor's answer."""

    row: StudyPosition
    puzzle: StoredPuzzle | None
    answer: StoredPuzzleAnswer | None

    @property
    def is_unanswered(self) -> bool:
        """True if it is a puzzle that the visitor has not answered."""
        return self.puzzle is not None and self.answer is None


def study_of(session: Session, name: str, *, also_disabled: bool = False) -> KnownStudy | None:
    """
    Find a study by its name.

    Args:
        session: A transaction.
        name: In its address.
        also_disabled: Find it also if its owner's account is disabled.
    """
    found = session.execute(_studies(*() if also_disabled else (_ENABLED,)).where(Study.name == name)).one_or_none()
    return None if found is None else KnownStudy._make(found)


def public_studies(session: Session, before: int | None, limit: int) -> list[KnownStudy]:
    """Give studies that are listed, the newest first, from those with a number below *before*."""
    wanted = _studies(_ENABLED, Study.public.is_(True))
    if before is not None:
        wanted = wanted.where(Study.id < before)
    return [KnownStudy._make(each) for each in session.execute(wanted.order_by(Study.id.desc()).limit(limit))]


def studies_by(session: Session, owner: str) -> list[KnownStudy]:
    """Give all studies of an account, those changed last first."""
    wanted = _studies(Owner.name == owner).order_by(Study.changed.desc(), Study.id.desc())
    return [KnownStudy._make(each) for each in session.execute(wanted)]


def count_studies(session: Session, owner_id: int) -> int:
    """Count the studies of an account."""
    return session.scalar(select(func.count(Study.id)).where(Study.owner_id == owner_id)) or 0


def positions_of(session: Session, study: int, visitor: str, number: int | None = None) -> list[KnownPosition]:
    """Give the positions of a study in their order, or the one of that number, with a visitor's answers."""
    of, puzzle, answer = StudyPosition, StoredPuzzle, StoredPuzzleAnswer
    mine = and_(answer.puzzle_id == of.puzzle_id, answer.visitor == visitor)
    wanted = select(of, puzzle, answer).outerjoin(puzzle, puzzle.id == of.puzzle_id).outerjoin(answer, mine)
    wanted = wanted.where(of.study_id == study)
    if number is not None:
        wanted = wanted.where(of.id == number)
    return [KnownPosition._make(each) for each in session.execute(wanted.order_by(of.place, of.id))]


_ENABLED = Account.disabled.is_(None)


def _studies(*conditions: ColumnElement[bool]) -> Select[tuple[Study, str, int]]:
    count = select(func.count(StudyPosition.id)).where(StudyPosition.study_id == Study.id).scalar_subquery()
    wanted = select(Study, Owner.name, count).join(Owner, Owner.id == Study.owner_id)
    return wanted.join(Account, Account.owner_id == Study.owner_id).where(*conditions)

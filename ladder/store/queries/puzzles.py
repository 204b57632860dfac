"""Reading puzzles, as far as the public may know of their matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, bindparam, case, func, select

from ladder.store.computing_models import StoredPuzzle, StoredPuzzleAnswer
from ladder.store.core_tables import connection_of
from ladder.store.models import Status, StoredMatch, visible_matches
from ladder.values.why import PuzzleCount, PuzzleRow, Tried

if TYPE_CHECKING:
    from sqlalchemy import BindParameter, ColumnElement
    from sqlalchemy.orm import Session

MAX_STREAK = 1000
"""Answers that are read for a streak."""


class KnownPuzzle(NamedTuple):
    """A puzzle with its match."""

    row: StoredPuzzle
    record_kept: bool


def known_puzzle(session: Session, number: int) -> KnownPuzzle | None:
    """Read a puzzle; None: there is none of that number, or its match is not public."""
    wanted = select(StoredPuzzle, StoredMatch.record_kept).join(StoredMatch, _MATCH).where(*_PUBLIC)
    found = session.execute(wanted.where(StoredPuzzle.id == number)).one_or_none()
    return None if found is None else KnownPuzzle(found[0], found[1])


def given_answer(session: Session, number: int, visitor: str) -> StoredPuzzleAnswer | None:
    """Read what a visitor has answered."""
    return session.get(StoredPuzzleAnswer, (number, visitor)) if visitor else None


def puzzles_of(session: Session, variant: str, visitor: str, before: int | None, limit: int) -> list[PuzzleRow]:
    """Give puzzles of a variant, the newest first, from those with a number below *before*."""
    of = StoredPuzzle
    wanted = select(of, StoredPuzzleAnswer.is_right).join(StoredMatch, _MATCH).where(*_PUBLIC, of.variant == variant)
    if before is not None:
        wanted = wanted.where(of.id < before)
    rows = session.execute(wanted.outerjoin(StoredPuzzleAnswer, _mine(visitor)).order_by(of.id.desc()).limit(limit))
    return [
        PuzzleRow(number=row.id, variant=row.variant, trick=row.trick, tried=tried(row), is_right=is_right)
        for row, is_right in rows
    ]


def tried(row: StoredPuzzle) -> Tried:
    """Say how many were right."""
    return Tried.model_validate(row, extra="ignore")


def counts(session: Session, visitor: str) -> list[PuzzleCount]:
    """Count the puzzles of each variant that has any, and the visitor's answers."""
    of, answer = StoredPuzzle, StoredPuzzleAnswer
    right = func.sum(case((answer.is_right, 1), else_=0))
    wanted = select(of.variant, func.count(of.id), func.count(answer.at), right).join(StoredMatch, _MATCH)
    wanted = wanted.where(*_PUBLIC).outerjoin(answer, _mine(visitor)).group_by(of.variant).order_by(of.variant)
    return [
        PuzzleCount(
            variant=variant,
            puzzles=puzzles,
            answered=answered,
            right=right,
            next=next_puzzle(session, variant, visitor) if answered < puzzles else None,
        )
        for variant, puzzles, answered, right in session.execute(wanted).all()
    ]


def next_puzzle(session: Session, variant: str, visitor: str, but: int | None = None) -> int | None:
    """Give the newest puzzle of a variant that a visitor has not answered."""
    wanted = {"variant_": variant, "visitor_": visitor, "but_": but or 0}
    return connection_of(session).execute(_NEXT, wanted).scalar()


def streak_of(session: Session, visitor: str) -> int:
    """Count the right answers of a visitor to puzzles from matches since the last wrong one."""
    of = StoredPuzzleAnswer
    wanted = select(of.is_right).join(StoredPuzzle, StoredPuzzle.id == of.puzzle_id)
    wanted = wanted.where(of.visitor == visitor, StoredPuzzle.match_id.is_not(None))
    wanted = wanted.order_by(of.at.desc(), of.puzzle_id.desc())
    count = 0
    for is_right in session.scalars(wanted.limit(MAX_STREAK)) if visitor else ():
        if not is_right:
            break
        count += 1
    return count


def _mine(visitor: str | BindParameter[str]) -> ColumnElement[bool]:
    return and_(StoredPuzzleAnswer.puzzle_id == StoredPuzzle.id, StoredPuzzleAnswer.visitor == visitor)


_MATCH = StoredMatch.id == StoredPuzzle.match_id
_PUBLIC = (StoredMatch.status == Status.DONE, visible_matches())
_NEXT = (
    select(StoredPuzzle.id)
    .join(StoredMatch, _MATCH)
    .outerjoin(StoredPuzzleAnswer, _mine(bindparam("visitor_")))
    .where(*_PUBLIC, StoredPuzzle.variant == bindparam("variant_"), StoredPuzzleAnswer.at.is_(None))
    .where(StoredPuzzle.id != bindparam("but_"))
    .order_by(StoredPuzzle.id.desc())
    .limit(1)
)

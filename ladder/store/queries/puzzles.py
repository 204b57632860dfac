"""Reading puzzles, as far as the public may know of their matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sqlalchemy import and_, case, func, select

from ladder.store.models import Status, StoredMatch, visible_matches
from ladder.store.puzzle_models import StoredPuzzle, StoredPuzzleAnswer
from ladder.values.puzzles import PuzzleCount, PuzzleRow, Tried

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

Row = TypeVar("Row", bound=tuple[object, ...])

MAX_STREAK = 1000
"""Answers that are read for a streak."""


class KnownPuzzle(NamedTuple):
    """A puzzle with its match."""

    row: StoredPuzzle
    record_kept: bool


def known_puzzle(session: Session, number: int) -> KnownPuzzle | None:
    """Read a puzzle; None: there is none of that number, or its match is not public."""
    wanted = _public(select(StoredPuzzle, StoredMatch.record_kept)).where(StoredPuzzle.id == number)
    found = session.execute(wanted).one_or_none()
    return None if found is None else KnownPuzzle(found[0], found[1])


def given_answer(session: Session, number: int, visitor: str) -> StoredPuzzleAnswer | None:
    """Read what a visitor has answered."""
    return session.get(StoredPuzzleAnswer, (number, visitor)) if visitor else None


def puzzles_of(session: Session, variant: str, visitor: str, before: int | None, limit: int) -> list[PuzzleRow]:
    """Give puzzles of a variant, the newest first, from those with a number below *before*."""
    of = StoredPuzzle
    wanted = _answered(select(of, StoredPuzzleAnswer.is_right), visitor).where(of.variant == variant)
    if before is not None:
        wanted = wanted.where(of.id < before)
    rows = session.execute(wanted.order_by(of.id.desc()).limit(limit))
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
    wanted = _answered(select(of.variant, func.count(of.id), func.count(answer.at), right), visitor)
    rows = session.execute(wanted.group_by(of.variant).order_by(of.variant)).all()
    return [
        PuzzleCount(
            variant=variant,
            puzzles=puzzles,
            answered=answered,
            right=right,
            next=next_puzzle(session, variant, visitor) if answered < puzzles else None,
        )
        for variant, puzzles, answered, right in rows
    ]


def next_puzzle(session: Session, variant: str, visitor: str, but: int | None = None) -> int | None:
    """Give the newest puzzle of a variant that a visitor has not answered."""
    of = StoredPuzzle
    wanted = _answered(select(of.id), visitor).where(of.variant == variant, StoredPuzzleAnswer.at.is_(None))
    if but is not None:
        wanted = wanted.where(of.id != but)
    return session.scalar(wanted.order_by(of.id.desc()).limit(1))


def streak_of(session: Session, visitor: str) -> int:
    """Count the right answers of a visitor since the last wrong one."""
    of = StoredPuzzleAnswer
    wanted = select(of.is_right).where(of.visitor == visitor).order_by(of.at.desc(), of.puzzle_id.desc())
    count = 0
    for is_right in session.scalars(wanted.limit(MAX_STREAK)) if visitor else ():
        if not is_right:
            break
        count += 1
    return count


def _answered(wanted: Select[Row], visitor: str) -> Select[Row]:
    """With the visitor's answers, where there are any."""
    answer = StoredPuzzleAnswer
    mine = and_(answer.puzzle_id == StoredPuzzle.id, answer.visitor == visitor)
    return _public(wanted).outerjoin(answer, mine)


def _public(wanted: Select[Row]) -> Select[Row]:
    joined = wanted.join(StoredMatch, StoredMatch.id == StoredPuzzle.match_id)
    return joined.where(StoredMatch.status == Status.DONE, visible_matches())

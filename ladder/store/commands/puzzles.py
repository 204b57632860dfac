"""
Writing puzzles: which match is looked at next, what was found in it, and what visitors answer.

Each function needs a transaction that writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import and_, delete, func, select

from ladder.store.computing_models import PuzzleLook, StoredPuzzle, StoredPuzzleAnswer
from ladder.store.models import Status, StoredMatch, Variant, visible_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.values.why import FoundPuzzle

ENOUGH = 50
"""Puzzles of a variant until which it looks often for more."""
OFTEN_SECONDS, SELDOM_SECONDS = 10.0, 900.0
"""Seconds between two looks at matches of a variant."""
KEPT = 500
"""Puzzles of a variant; the oldest ones make room."""
MAX_GUEST_ANSWERS = 100_000
"""Of all guests together; the oldest ones are removed."""
ACCOUNT = "account "
"""The beginning of `StoredPuzzleAnswer.visitor` of an account."""


class MatchToLookAt(NamedTuple):
    """A match whose record may hold puzzles."""

    id: int
    attempt: int
    commitment: str
    variant: str
    ordinal: int


def next_look(session: Session, now: float) -> MatchToLookAt | None:
    """
    Choose the match to look at next; the variant with the fewest puzzles comes first.

    Newer results than those looked at so far come first, then older ones. Matches of events are left out.
    """
    looks = {each.variant: each for each in session.scalars(select(PuzzleLook))}
    for variant, puzzles in _variants(session):
        look = looks.get(variant)
        seconds = OFTEN_SECONDS if puzzles < ENOUGH else SELDOM_SECONDS
        if look is not None and now < look.at + seconds:
            continue
        if (found := _next_of(session, variant, look)) is not None:
            return MatchToLookAt(found.id, found.attempt, found.commitment, variant, found.ordinal or 0)
    return None


def note_look(session: Session, match: MatchToLookAt, now: float) -> None:
    """Note that a match is looked at."""
    look = session.get(PuzzleLook, match.variant)
    if look is None:
        session.add(PuzzleLook(variant=match.variant, newest=match.ordinal, oldest=match.ordinal, at=now))
    else:
        look.newest, look.oldest, look.at = max(look.newest, match.ordinal), min(look.oldest, match.ordinal), now


def keep_puzzles(session: Session, match: int, found: Sequence[FoundPuzzle], now: float) -> None:
    """Store what was found in a match, unless it is not done any more, and let the oldest puzzles make room."""
    row = session.get(StoredMatch, match)
    if row is None or row.status != Status.DONE:
        return
    for each in found:
        add_puzzle(session, each, now, match)
    of = StoredPuzzle
    numbers = select(of.id).where(of.variant == row.variant, of.match_id.is_not(None)).order_by(of.id.desc())
    remove_puzzles(session, session.scalars(numbers.offset(KEPT)).all())


def add_puzzle(session: Session, found: FoundPuzzle, now: float, match: int | None = None) -> int:
    """Store a puzzle of a match, or of a position of a study; gives its number."""
    bots, right = _tried(found)
    made = StoredPuzzle(
        match_id=match,
        variant=found.position.variant,
        found=found.model_dump(mode="json"),
        trick=found.position.trick,
        bots=bots,
        bots_right=right,
        added=now,
    )
    session.add(made)
    session.flush()
    return made.id


def remove_puzzles(session: Session, numbers: Sequence[int]) -> None:
    """Remove puzzles, and the answers to them."""
    if numbers:
        session.execute(delete(StoredPuzzleAnswer).where(StoredPuzzleAnswer.puzzle_id.in_(numbers)))
        session.execute(delete(StoredPuzzle).where(StoredPuzzle.id.in_(numbers)))


def answer_puzzle(session: Session, puzzle: int, visitor: str, choice: str, is_right: bool, now: float) -> None:
    """Store a visitor's answer to a puzzle that is there; the first one counts."""
    row = session.get_one(StoredPuzzle, puzzle, with_for_update=True)
    if session.get(StoredPuzzleAnswer, (puzzle, visitor)) is not None:
        return
    session.add(StoredPuzzleAnswer(puzzle_id=puzzle, visitor=visitor, choice=choice, is_right=is_right, at=now))
    row.people += 1
    row.people_right += is_right


def forget_answers(session: Session, visitor: str) -> None:
    """Remove a visitor's answers; the puzzles still count them."""
    session.execute(delete(StoredPuzzleAnswer).where(StoredPuzzleAnswer.visitor == visitor))


def tidy_answers(session: Session, before: float, max_answers: int = MAX_GUEST_ANSWERS) -> None:
    """Remove answers of guests from before a Unix time, and the oldest ones if there are too many."""
    of = StoredPuzzleAnswer
    of_guests = of.visitor.not_like(f"{ACCOUNT}%")
    newest = select(of.at).where(of_guests).order_by(of.at.desc()).offset(max_answers).limit(1)
    until = max(before, session.scalar(newest) or before)
    session.execute(delete(of).where(of_guests, of.at <= until))


def _variants(session: Session) -> list[tuple[str, int]]:
    """Give all variants, with the number of their puzzles, the fewest first."""
    of = StoredPuzzle
    found = and_(of.variant == Variant.name, of.match_id.is_not(None))
    wanted = select(Variant.name, func.count(of.id)).outerjoin(of, found).group_by(Variant.name)
    return sorted(((name, count) for name, count in session.execute(wanted)), key=lambda each: (each[1], each[0]))


def _next_of(session: Session, variant: str, look: PuzzleLook | None) -> StoredMatch | None:
    of = StoredMatch
    wanted = (
        select(of)
        .where(of.variant == variant, of.ordinal > 0, of.status == Status.DONE, of.record_kept, visible_matches())
        .order_by(of.ordinal.desc())
        .limit(1)
    )
    if look is None:
        return session.scalar(wanted)
    found = session.scalar(wanted.where(of.ordinal > look.newest))
    if found is None and look.oldest:
        found = session.scalar(wanted.where(of.ordinal < look.oldest))
        if found is None:
            look.oldest = 0  # the old ones are not searched again
    return found


def _tried(puzzle: FoundPuzzle) -> tuple[int, int]:
    """Count the bots that have decided it, and those of them that were right."""
    bots = right = 0
    for each in puzzle.why.choices:
        bots += each.bots
        right += each.bots if each.choice in puzzle.right else 0
    return bots, right

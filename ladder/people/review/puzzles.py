"""Puzzles for visitors: which there are, what a seat knew, and what a visitor has answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ladder.errors import LadderError, UserError
from ladder.people.tables.table_opening import guest_hash
from ladder.store.commands import puzzles as commands
from ladder.store.queries import puzzles as queries
from ladder.values.why import FoundPuzzle, PuzzleAnswer, PuzzleList, PuzzleOverview, PuzzlePage

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.store.computing_models import StoredPuzzle
    from ladder.store.database import Session
    from ladder.store.queries.puzzles import KnownPuzzle
    from ladder.values.people import TableVisitor

LISTED = 50
"""Puzzles of a page."""


def puzzle_visitor(who: TableVisitor) -> str:
    """Give that by which a visitor's answers are found; empty: they are not."""
    return guest_hash(who) if who.account is None else f"{commands.ACCOUNT}{who.account}"


def overview(ladder: Ladder, who: TableVisitor) -> PuzzleOverview:
    """Count the puzzles of all variants that have any, and a visitor's answers."""
    visitor = puzzle_visitor(who)
    with ladder.database.read() as session:
        variants = tuple(queries.counts(session, visitor))
        return PuzzleOverview(variants=variants, streak=queries.streak_of(session, visitor))


def newest_puzzle(ladder: Ladder, variant: str, who: TableVisitor) -> int | None:
    """Give the newest puzzle of a variant that a visitor has not answered; None: there is none."""
    with ladder.database.read() as session:
        return queries.next_puzzle(session, variant, puzzle_visitor(who))


def puzzle_list(ladder: Ladder, variant: str, who: TableVisitor, before: int | None = None) -> PuzzleList:
    """
    Read puzzles of a variant, the newest first, some at a time.

    Args:
        ladder: The ladder.
        variant: Its name; of one that has none, none are given.
        who: The visitor.
        before: Only those with a lower number; the value of `PuzzleList.next`.
    """
    visitor = puzzle_visitor(who)
    with ladder.database.read() as session:
        found = queries.puzzles_of(session, variant, visitor, before, LISTED + 1)
        unanswered = queries.next_puzzle(session, variant, visitor)
    following = found[LISTED - 1].number if len(found) > LISTED else None
    return PuzzleList(puzzles=tuple(found[:LISTED]), next=following, unanswered=unanswered)


def puzzle_page(ladder: Ladder, number: int, who: TableVisitor) -> PuzzlePage:
    """
    Read a puzzle; with its answer only for a visitor who has given one.

    Raises:
        LadderError: If there is none of that number, or it is not public.
    """
    visitor = puzzle_visitor(who)
    with ladder.database.read() as session:
        known = _find(session, number)
        following = queries.next_puzzle(session, known.row.variant, visitor, but=number)
        return page_of(session, known, visitor, number, following)


def answer(ladder: Ladder, number: int, card: str, who: TableVisitor) -> None:
    """
    Store what a visitor answers; the first answer counts.

    Raises:
        LadderError: If there is no such puzzle, or it is not public.
        UserError: If the card may not be played there.
    """
    with ladder.database.write() as session:
        take_answer(session, _find(session, number).row, card, puzzle_visitor(who), ladder.clock())


def page_of(session: Session, known: KnownPuzzle, visitor: str, number: int, following: int | None) -> PuzzlePage:
    """
    Give a puzzle; with its answer only for a visitor who has given one.

    Args:
        session: A transaction.
        known: The puzzle.
        visitor: See `puzzle_visitor`.
        number: Its number in addresses.
        following: The number of another one that the visitor has not answered; None: there is none.
    """
    found = FoundPuzzle.model_validate(known.row.found, strict=False)
    return PuzzlePage(
        number=number,
        position=found.position,
        tried=queries.tried(known.row),
        answer=_answer(session, known, found, visitor),
        streak=queries.streak_of(session, visitor),
        next=following,
    )


def take_answer(session: Session, row: StoredPuzzle, card: str, visitor: str, now: float) -> None:
    """
    Store what a visitor answers to a puzzle, in a transaction that writes; the first answer counts.

    Raises:
        UserError: If the card may not be played there.
    """
    found = FoundPuzzle.model_validate(row.found, strict=False)
    if card not in found.position.legal:
        raise UserError(f"{card[:20]!r} cannot be played here; choose one of {' '.join(found.position.legal)}.")
    commands.answer_puzzle(session, row.id, visitor, card, card in found.right, now)


def _find(session: Session, number: int) -> KnownPuzzle:
    known = queries.known_puzzle(session, number)
    if known is None:
        raise LadderError(f"There is no puzzle {number}; the list of all is at /puzzles.")
    return known


def _answer(session: Session, known: KnownPuzzle, found: FoundPuzzle, visitor: str) -> PuzzleAnswer | None:
    given = queries.given_answer(session, known.row.id, visitor)
    if given is None:
        return None
    return PuzzleAnswer(
        choice=given.choice,
        is_right=given.is_right,
        right=found.right,
        why=found.why,
        match=known.row.match_id,
        record_kept=known.record_kept,
    )

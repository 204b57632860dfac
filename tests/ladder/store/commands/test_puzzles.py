"""Puzzles in the database: which match is looked at next, which puzzles are public, what visitors have answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from ladder.store import models
from ladder.store.commands import puzzles as commands
from ladder.store.computing_models import StoredPuzzle, StoredPuzzleAnswer
from ladder.store.queries import puzzles as queries
from ladder.values.why import Level
from tests.ladder import ladders, shown
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.puzzles import RIGHT, WRONG, made_up

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.store.database import Database

__all__ = ["backend"]

ADA, GUEST = "account ada", "0" * 64


def four(session: Session) -> list[int]:
    return [ladders.enter(session, name, "hearts") for name in ("Trotter", "Snout", "Truffle", "Acorn")]


def done(session: Session, count: int) -> list[int]:
    """Matches that are done, with their records."""
    versions = four(session)
    found = [shown.play(session, versions, "hearts", number) for number in range(count)]
    for match in found:
        session.get_one(models.StoredMatch, match).record_kept = True
    return found


def look(session: Session, now: float) -> int | None:
    found = commands.next_look(session, now)
    if found is None:
        return None
    commands.note_look(session, found, now)
    return found.id


def test_the_newest_match_is_looked_at_first_then_newer_ones_then_older_ones(database: Database) -> None:
    with database.write() as session:
        first, second = done(session, 2)
        assert look(session, NOW) == second
        assert look(session, NOW + 1) is None, "not yet"
        third, fourth = shown.play(session, four(session), "hearts", 2), shown.play(session, four(session), "hearts", 3)
        for match in (third, fourth):
            session.get_one(models.StoredMatch, match).record_kept = True
        session.get_one(models.StoredMatch, fourth).sealed = True
        assert look(session, NOW + 1 * commands.OFTEN_SECONDS) == third
        assert look(session, NOW + 2 * commands.OFTEN_SECONDS) == first
        assert look(session, NOW + 3 * commands.OFTEN_SECONDS) is None


def test_with_enough_puzzles_it_is_looked_seldom(database: Database) -> None:
    with database.write() as session:
        first, second = done(session, 2)
        commands.keep_puzzles(session, first, [made_up()] * commands.ENOUGH, NOW)
        assert look(session, NOW) == second
        assert look(session, NOW + commands.OFTEN_SECONDS) is None
        assert look(session, NOW + commands.SELDOM_SECONDS) == first


def test_a_match_that_is_sealed_or_not_done_shows_no_puzzle(database: Database) -> None:
    with database.write() as session:
        match, other = done(session, 2)
        for each in (match, other):
            commands.keep_puzzles(session, each, [made_up()], NOW)
        hidden, shown_one = session.scalars(select(StoredPuzzle.id).order_by(StoredPuzzle.id))
        row = session.get_one(models.StoredMatch, match)
        row.sealed = True
        session.flush()
        assert queries.known_puzzle(session, hidden) is None
        assert [each.number for each in queries.puzzles_of(session, "hearts", ADA, None, 10)] == [shown_one]
        assert [each.puzzles for each in queries.counts(session, ADA)] == [1]
        assert queries.next_puzzle(session, "hearts", ADA, but=shown_one) is None
        row.sealed, row.status = False, models.Status.QUARANTINED
        session.flush()
        assert queries.known_puzzle(session, hidden) is None
        commands.keep_puzzles(session, match, [made_up()], NOW)
        assert session.scalar(select(func.count(StoredPuzzle.id))) == 2, "nothing is found in what is not done"


def test_the_first_answer_counts_and_a_wrong_one_ends_the_streak(database: Database) -> None:
    with database.write() as session:
        (match,) = done(session, 1)
        commands.keep_puzzles(session, match, [made_up()] * 4, NOW)
        one, two, three, four_ = session.scalars(select(StoredPuzzle.id).order_by(StoredPuzzle.id))
        for place, (puzzle, choice) in enumerate([(one, WRONG), (two, RIGHT), (three, RIGHT), (one, RIGHT)]):
            commands.answer_puzzle(session, puzzle, ADA, choice, choice == RIGHT, NOW + place)
        commands.answer_puzzle(session, one, GUEST, RIGHT, True, NOW)
        session.flush()
        assert queries.streak_of(session, ADA) == 2
        assert queries.streak_of(session, "") == 0
        given = queries.given_answer(session, one, ADA)
        assert given is not None
        assert given.choice == WRONG
        tried = queries.tried(session.get_one(StoredPuzzle, one))
        assert (tried.bots, tried.bots_right, tried.people, tried.people_right) == (3, 2, 2, 1)
        assert tried.level is Level.MEDIUM
        assert queries.next_puzzle(session, "hearts", ADA) == four_
        (count,) = queries.counts(session, ADA)
        assert (count.puzzles, count.answered, count.right, count.next) == (4, 3, 2, four_)
        commands.answer_puzzle(session, four_, ADA, WRONG, False, NOW + 9)
        session.flush()
        assert queries.streak_of(session, ADA) == 0
        assert queries.next_puzzle(session, "hearts", ADA) is None
        commands.forget_answers(session, ADA)
        assert queries.given_answer(session, one, ADA) is None
        assert queries.given_answer(session, one, GUEST) is not None


def test_old_puzzles_make_room(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "KEPT", 2)
    with database.write() as session:
        (match,) = done(session, 1)
        commands.keep_puzzles(session, match, [made_up()] * 2, NOW)
        first, second = session.scalars(select(StoredPuzzle.id).order_by(StoredPuzzle.id))
        commands.answer_puzzle(session, first, ADA, RIGHT, True, NOW)
        commands.keep_puzzles(session, match, [made_up()], NOW)
        left = session.scalars(select(StoredPuzzle.id).order_by(StoredPuzzle.id)).all()
        assert (len(left), left[0]) == (2, second)
        assert session.scalar(select(func.count()).select_from(StoredPuzzleAnswer)) == 0


def test_answers_of_guests_are_removed_after_a_while_and_those_of_accounts_stay(database: Database) -> None:
    with database.write() as session:
        (match,) = done(session, 1)
        commands.keep_puzzles(session, match, [made_up()], NOW)
        puzzle = session.scalars(select(StoredPuzzle.id)).one()
        for place, visitor in enumerate((ADA, "a" * 64, "b" * 64, "c" * 64)):
            commands.answer_puzzle(session, puzzle, visitor, RIGHT, True, NOW + place)
        session.flush()
        commands.tidy_answers(session, NOW + 1)
        left = select(StoredPuzzleAnswer.visitor)
        assert set(session.scalars(left)) == {ADA, "b" * 64, "c" * 64}
        commands.tidy_answers(session, NOW, max_answers=1)
        assert set(session.scalars(left)) == {ADA, "c" * 64}

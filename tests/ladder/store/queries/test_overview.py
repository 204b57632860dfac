"""Counts of everything, and the mark that shows a change, in both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from ladder.store import models
from ladder.store.commands import computations
from ladder.store.queries.overview import counts, oldest_computation
from ladder.store.queries.variant_field import revision
from ladder.values.standings import LadderCounts
from tests.ladder import ladders, shown

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.store.database import Database

NOTHING = {"queued": 0, "leased": 0, "done": 0, "quarantined": 0}
NO_TABLES = dict.fromkeys(("waiting", "ready", "playing", "over", "ended"), 0)
NO_SUBMISSIONS = dict.fromkeys(("queued", "leased", "entered", "refused", "failed", "withdrawn"), 0)


def fail(session: Session, match: int, failures: int, status: models.Status) -> None:
    found = session.get_one(models.StoredMatch, match)
    found.failures, found.status = failures, status
    session.flush()


def test_an_empty_ladder_has_nothing(database: Database) -> None:
    with database.read() as session:
        assert counts(session) == LadderCounts(
            matches=NOTHING,
            bots={},
            failures=0,
            decisions=0,
            faults=0,
            submissions=NO_SUBMISSIONS,
            tables=NO_TABLES,
            computations={"queued": 0, "leased": 0},
        )


def test_questions_of_visitors_are_counted_until_they_are_answered(database: Database) -> None:
    def ask(state: str, now: float) -> None:
        for kind in ("first", "second"):
            computations.ask(session, computations.NewQuestion(kind, "short", {}, state, kind), now)

    with database.write() as session:
        ask("before", 100.0)
        assert (counts(session).computations, oldest_computation(session)) == ({"queued": 2, "leased": 0}, 100.0)
        for waiting in (1, 0):
            lease = computations.claim(session, "short", "me", 110.0, 60.0)
            assert lease is not None
            assert counts(session).computations == {"queued": waiting, "leased": 1}
            computations.finish(session, lease, "42", 120.0)
        assert (counts(session).computations, oldest_computation(session)) == ({"queued": 0, "leased": 0}, None)
        ask("after", 500.0)  # about another state of things: each is put again
        assert (counts(session).computations, oldest_computation(session)) == ({"queued": 2, "leased": 0}, 500.0)


def test_matches_are_counted_by_status_and_entries_by_state(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=3)
        shown.suspend(session, versions["Mud"], "too many faults")
        four = [*versions.values()][:4]
        waiting, running, given_up = (ladders.queue(session, four, "gongzhu") for _ in range(3))
        ladders.lease(session, running)
        fail(session, waiting, 2, models.Status.QUEUED)
        fail(session, given_up, 5, models.Status.QUARANTINED)
        found = counts(session)
        kept = session.execute(select(models.Rating.decisions, models.Rating.faults)).all()
    assert found.matches == {"queued": 1, "leased": 1, "done": 3, "quarantined": 1}
    assert found.bots == {"active": 4, "suspended": 1}
    assert found.failures == 2
    assert (found.decisions, found.faults) == tuple(map(sum, zip(*kept, strict=True)))
    assert found.decisions > 3 * 52


def test_the_revision_changes_with_everything_that_a_page_shows(database: Database) -> None:
    with database.write() as session:
        seen = [revision(session)]
        versions = shown.a_ladder(session, matches=2)
        seen.append(revision(session))
        four = [*versions.values()][:4]
        match = ladders.queue(session, four, "gongzhu")
        seen.append(revision(session))
        ladders.lease(session, match)
        seen.append(revision(session))
        shown.play(session, four, "gongzhu", 3)
        seen.append(revision(session))
        shown.suspend(session, versions["Mud"], "too many faults")
        seen.append(revision(session))
        session.add(models.StoredEstimate(variant="gongzhu", ordinal=3, fit=b""))
        seen.append(revision(session))
        ladders.enter(session, "Mud", "gongzhu")
        seen.append(revision(session))
        assert revision(session) == seen[-1]
    assert len(set(seen)) == len(seen)

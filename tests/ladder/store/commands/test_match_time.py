"""A match has the time that its bots' clocks allow, so that nobody can make it void by using up time."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.runner.coordinator import Coordinator
from ladder.store import models
from ladder.store.commands.queue import why_too_short
from ladder.store.leases import GRACE
from ladder.worker.match_tasks import MatchOutcome
from referee.match.formats import longest_match
from referee.records.file import PackedRecord
from tests.ladder.ladders import enter
from tests.ladder.virtual import Time
from tests.referee.scripted_seats import FakeTime, Slow, quick, sleeps
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from ladder.worker.match_tasks import MatchTask

NAMES = ("Trotter", "Snout", "Truffle", "Sty")


@pytest.fixture
def entered(database: Database) -> Database:
    """A ladder with as many bots as a match of hearts needs."""
    with database.write() as session:
        for name in NAMES:
            enter(session, name)
    return database


def coordinator_of(database: Database, settings: Settings, **changed: float) -> Coordinator:
    time = Time()
    return Coordinator(database, settings.model_copy(update=changed), random.Random(7), time, tick=time)


def longest(task: MatchTask) -> float:
    spec = task.spec()
    return longest_match(spec.rules, spec.format, spec.clock)


def test_a_match_has_the_time_that_the_clocks_allow(entered: Database, settings: Settings) -> None:
    (task,) = coordinator_of(entered, settings).take(1)
    assert task.seconds == longest(task)
    with entered.read() as session:
        match = session.get_one(models.StoredMatch, task.match)
        assert match.lease_until == pytest.approx((match.started or 0.0) + longest(task) + GRACE)


def test_more_time_may_be_set_but_not_less(entered: Database, settings: Settings) -> None:
    more, less = 50_000.0, 1800.0
    coordinator = coordinator_of(entered, settings, match_seconds=more)
    (task,) = coordinator.take(1, ahead=1)
    assert task.seconds == more
    (scheduled_before,) = coordinator_of(entered, settings, match_seconds=less).take(1)
    assert scheduled_before.seconds == longest(scheduled_before)


def test_too_little_time_is_refused_with_the_time_that_it_takes(entered: Database, settings: Settings) -> None:
    with entered.read() as session:
        assert why_too_short(session, settings) is None
        assert why_too_short(session, settings.model_copy(update={"match_seconds": 50_000.0})) is None
        little = settings.model_copy(update={"match_seconds": 1800.0})
        reason = why_too_short(session, little, ["hearts"])
        assert reason is not None
        assert "a match of hearts (boards:16, clock 60+0.1, limit 1) can take 5512 s" in reason
        four = little.model_copy(update={"boards": 4})
        assert "(boards:4, clock 60+0.1, limit 1) can take 3520 s" in (why_too_short(session, four, ["hearts"]) or "")
        assert why_too_short(session, little.model_copy(update={"boards": 1}), ["hearts"]) is None
        assert why_too_short(session, little, []) is None


def test_a_match_with_three_who_sleep_is_recorded_and_they_are_at_fault(entered: Database, settings: Settings) -> None:
    coordinator = coordinator_of(entered, settings)
    (task,) = coordinator.take(1)
    time, spec, record = FakeTime(), task.spec(), PackedRecord()
    tables = [
        [Slow(time, sleeps if bot else quick) for bot in range(len(spec.bots))]
        for _ in range(spec.format.tables(spec.rules))
    ]
    asyncio.run(play_tables(spec, tables, record.write, now=time))
    assert time.seconds < task.seconds
    result = coordinator.record(task, MatchOutcome(match=task.match, attempt=task.attempt, record=bytes(record)))
    assert result is not None
    assert result.moves[0].place == 1
    with entered.read() as session:
        failed = select(models.StoredSeat.seat).where(
            models.StoredSeat.match_id == task.match, models.StoredSeat.taken_over.is_(True)
        )
        assert sorted(session.scalars(failed)) == [1, 2, 3]

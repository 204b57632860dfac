"""The table of matches as a queue, and the time that a match has."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from ladder.runner.coordinator import Coordinator
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.queue import (
    MATCHES,
    MachineLoad,
    MatchLease,
    claim,
    count_waiting,
    was_recorded,
    why_too_short,
    withdraw,
)
from ladder.store.leases import GRACE, Lease
from ladder.store.models import State, Status
from ladder.worker.match_tasks import MatchOutcome
from referee.match.formats import longest_match
from referee.records.file import PackedRecord
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, enter_version, queue
from tests.ladder.virtual import Time
from tests.referee.scripted_seats import FakeTime, Slow, quick, sleeps
from tests.referee.tables import play_tables

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

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
        assert "hearts (boards:16, clock 60+0.1, limit 1)" in reason
        assert "5512 s" in reason
        four = little.model_copy(update={"boards": 4})
        assert " 3520 s" in (why_too_short(session, four, ["hearts"]) or "")
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


__all__ = ["backend"]

SECONDS = 1800.0


def seconds(match: int) -> float:
    """Give the seconds that any match may take."""
    return SECONDS


@pytest.fixture
def matches(database: Database) -> list[int]:
    """Three matches of hearts that wait."""
    with database.write() as session:
        versions = enter_four(session)
        return [queue(session, versions, seed=seed) for seed in "123"]


def enter_four(session: Session) -> list[int]:
    return [enter(session, name) for name in ("Trotter", "Snout", "Truffle", "Sty")]


def take(session: Session, count: int = 1, holder: str = "me", now: float = NOW) -> list[MatchLease]:
    return claim(session, holder, now, seconds, count)


def match(database: Database, number: int) -> models.StoredMatch:
    with database.read() as session:
        return session.get_one(models.StoredMatch, number)


def test_the_oldest_matches_are_leased_first(database: Database, matches: list[int]) -> None:
    until = NOW + SECONDS + GRACE
    with database.write() as session:
        assert take(session, 2) == [MatchLease(matches[0], 1), MatchLease(matches[1], 1)]
        assert count_waiting(session) == 1
    leased = match(database, matches[0])
    assert (leased.status, leased.attempt, leased.holder) == (Status.LEASED, 1, "me")
    assert (leased.started, leased.lease_until) == (NOW, until)


@IN_BOTH
def test_only_the_wanted_variants_are_leased(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        assert claim(session, "me", NOW, seconds, 5, ["gongzhu"]) == []
        assert count_waiting(session, ["gongzhu"]) == 0
        assert len(claim(session, "me", NOW, seconds, 5, ["hearts"])) == 3


@IN_BOTH
def test_matches_of_a_version_that_does_not_play_any_more_are_withdrawn(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        others = [enter(session, name) for name in ("Boar", "Gilt", "Farrow", "Shoat")]
        stays = queue(session, others, seed="4")
        begun = take(session)[0].id
        MATCHES.give_back(session, Lease(begun, 1), NOW)
        rating = session.scalars(select(models.Rating).order_by(models.Rating.version_id)).first()
        assert rating is not None
        rating.state = State.SUSPENDED
        session.flush()
        assert withdraw(session) == [number for number in matches if number != begun]
        assert [lease.id for lease in take(session, 5)] == [begun, stays]
        seated = select(models.StoredSeat.match_id).distinct().order_by(models.StoredSeat.match_id)
        assert session.scalars(seated).all() == [begun, stays]


def test_playing_on_in_another_variant_keeps_no_match_of_this_one(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        rating = session.scalars(select(models.Rating).order_by(models.Rating.version_id)).first()
        assert rating is not None
        enter_version(session, rating.version_id, "gongzhu")
        rating.state = State.RETIRED
        session.flush()
        assert withdraw(session) == matches


@IN_BOTH
def test_the_number_of_a_match_that_was_withdrawn_is_not_used_again(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        session.execute(update(models.Rating).values(state=State.RETIRED))
        assert withdraw(session) == matches
        again = [enter(session, name) for name in ("Boar", "Gilt", "Farrow", "Shoat")]
        assert queue(session, again, seed="4") > max(matches)


def test_only_the_recorded_attempt_counts_as_recorded(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        take(session)
        assert not was_recorded(session, matches[0], 1)
        session.get_one(models.StoredMatch, matches[0]).status = Status.DONE
        session.flush()
        assert was_recorded(session, matches[0], 1)
        assert not was_recorded(session, matches[0], 2)


def test_matches_in_which_an_owner_plays_already_wait_if_owners_are_kept_apart(database: Database) -> None:
    with database.write() as session:
        first, second, third = ([enter(session, f"{name}{number}") for name in "abcd"] for number in range(3))
        shared = [first[0], *second[1:]]
        numbers = [
            queue(session, versions, seed=seed) for versions, seed in ((first, "1"), (shared, "2"), (third, "3"))
        ]
        leased = claim(session, "me", NOW, seconds, 3, machines=[MachineLoad("", 3, None)])
        assert [lease.id for lease in leased] == [numbers[0], numbers[2]]
        assert claim(session, "me", NOW, seconds, 3, machines=[MachineLoad("", 3, None)]) == []
        MATCHES.give_back(session, Lease(numbers[0], 1), NOW)
        assert [lease.id for lease in claim(session, "me", NOW, seconds, 1, machines=[MachineLoad("", 1, None)])] == [
            numbers[0]
        ]
        assert [lease.id for lease in claim(session, "me", NOW, seconds, 3)] == [numbers[1]]


@IN_BOTH
def test_on_each_of_several_machines_owners_are_kept_apart_from_those_who_play_there_alone(database: Database) -> None:
    with database.write() as session:
        versions = [enter(session, name) for name in "abcd"]
        first, second, third, fourth = (queue(session, versions, seed=str(number)) for number in range(4))
        assert [
            lease.machine for lease in claim(session, "me", NOW, seconds, 1, machines=[MachineLoad("x", 2, ())])
        ] == ["x"]
        mars, venus = MachineLoad("mars", 5, (first,)), MachineLoad("venus", 2, ())
        leased = claim(session, "me", NOW, seconds, 5, machines=[mars, venus, MachineLoad("full", 0, ())])
        assert [(lease.id, lease.machine) for lease in leased] == [(second, "venus")]
        again = claim(session, "me", NOW, seconds, 5, machines=[MachineLoad("mars", 1, ()), MachineLoad("io", 1, ())])
        assert sorted((lease.id, lease.machine) for lease in again) == [(third, "mars"), (fourth, "io")]


def test_owners_are_kept_apart_where_containers_share_a_kernel() -> None:
    kept = [load_settings(sandbox=sandbox, runtime=runtime).owners_apart
            for sandbox, runtime in (("docker", "runc"), ("docker", "runsc"), ("process", "runc"))]  # fmt: skip
    assert kept == [True, False, False]

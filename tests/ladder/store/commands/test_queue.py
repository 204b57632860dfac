"""The table of matches as a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event, select, update

from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.queue import (
    GRACE,
    MOST_ATTEMPTS,
    MOST_FAILURES,
    Lease,
    MachineLoad,
    claim,
    count_waiting,
    fail,
    give_back,
    requeue_dead,
    requeue_expired,
    was_recorded,
    withdraw,
)
from ladder.store.models import State, Status
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, enter_version, queue

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.store.database import Database

__all__ = ["backend"]

SECONDS = 1800.0


def seconds(match: int) -> float:
    """How long any match may take."""
    return SECONDS


@pytest.fixture
def matches(database: Database) -> list[int]:
    """Three matches of hearts that wait."""
    with database.write() as session:
        versions = enter_four(session)
        return [queue(session, versions, seed=seed) for seed in "123"]


def enter_four(session: Session) -> list[int]:
    return [enter(session, name) for name in ("Trotter", "Snout", "Truffle", "Sty")]


def take(session: Session, count: int = 1, holder: str = "me", now: float = NOW) -> list[Lease]:
    return claim(session, holder, now, seconds, count)


def match(database: Database, number: int) -> models.StoredMatch:
    with database.read() as session:
        return session.get_one(models.StoredMatch, number)


def test_the_oldest_matches_are_leased_first(database: Database, matches: list[int]) -> None:
    until = NOW + SECONDS + GRACE
    with database.write() as session:
        assert take(session, 2) == [Lease(matches[0], 1, until), Lease(matches[1], 1, until)]
        assert count_waiting(session) == 1
    leased = match(database, matches[0])
    assert (leased.status, leased.attempt, leased.holder) == (Status.LEASED, 1, "me")
    assert (leased.started, leased.lease_until) == (NOW, until)


def test_no_match_is_leased_twice(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        assert len(take(session, 5)) == 3
        assert take(session, 5) == []


@IN_BOTH
def test_only_the_wanted_variants_are_leased(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        assert claim(session, "me", NOW, seconds, 5, ["gongzhu"]) == []
        assert count_waiting(session, ["gongzhu"]) == 0
        assert len(claim(session, "me", NOW, seconds, 5, ["hearts"])) == 3


def test_a_match_that_failed_waits_again_with_the_reason(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        take(session)
        assert fail(session, matches[0], 1, "No engine answers.") is Status.QUEUED
    failed = match(database, matches[0])
    assert (failed.failures, failed.reason, failed.holder, failed.lease_until) == (1, "No engine answers.", None, None)


def test_a_match_is_set_aside_after_three_failures(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        became = [fail(session, take(session)[0].match, attempt, "No.") for attempt in range(1, MOST_FAILURES + 1)]
        assert became == [Status.QUEUED, Status.QUEUED, Status.QUARANTINED]
        assert take(session)[0].match == matches[1]


@IN_BOTH
def test_a_failure_of_an_attempt_that_has_lost_its_lease_changes_nothing(
    database: Database, matches: list[int]
) -> None:
    with database.write() as session:
        take(session)
        requeue_expired(session, NOW + SECONDS + GRACE + 1)
        assert fail(session, matches[0], 1, "No.") is None
        take(session)
        assert fail(session, matches[0], 1, "No.") is None
    assert (match(database, matches[0]).status, match(database, matches[0]).failures) == (Status.LEASED, 0)


def test_a_match_that_is_given_back_has_not_failed(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        take(session)
        give_back(session, matches[0], 1)
        assert take(session) == [Lease(matches[0], 2, NOW + SECONDS + GRACE)]
        give_back(session, matches[0], 1)
    assert (match(database, matches[0]).status, match(database, matches[0]).failures) == (Status.LEASED, 0)


def test_only_leases_that_have_run_out_are_taken_back(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        take(session)
        take(session, now=NOW + 100)
        assert requeue_expired(session, NOW + SECONDS + GRACE) == {}
        assert requeue_expired(session, NOW + SECONDS + GRACE + 1) == {matches[0]: Status.QUEUED}
        assert count_waiting(session) == 2


@IN_BOTH
def test_the_leases_of_the_dead_are_taken_back_at_once(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        take(session, holder="dead")
        take(session, holder="living")
        assert requeue_dead(session, lambda holder: holder == "dead") == {matches[0]: Status.QUEUED}
        assert requeue_dead(session, lambda holder: holder == "dead") == {}
    assert match(database, matches[1]).status == Status.LEASED


def test_a_match_whose_workers_never_come_back_is_set_aside(database: Database, matches: list[int]) -> None:
    became: list[Status] = []
    with database.write() as session:
        for _ in range(MOST_ATTEMPTS):
            take(session)
            became += requeue_dead(session, lambda holder: True).values()
    assert became == [Status.QUEUED] * (MOST_ATTEMPTS - 1) + [Status.QUARANTINED]
    assert match(database, matches[0]).reason == "The worker that played it did not come back."


@IN_BOTH
def test_matches_of_a_version_that_does_not_play_any_more_are_withdrawn(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        others = [enter(session, name) for name in ("Boar", "Gilt", "Farrow", "Shoat")]
        stays = queue(session, others, seed="4")
        begun = take(session)[0].match
        give_back(session, begun, 1)
        rating = session.scalars(select(models.Rating).order_by(models.Rating.version_id)).first()
        assert rating is not None
        rating.state = State.SUSPENDED
        session.flush()
        assert withdraw(session) == [number for number in matches if number != begun]
        assert [lease.match for lease in take(session, 5)] == [begun, stays]
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


def test_an_expired_lease_stays_with_a_holder_that_is_still_at_it(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        mine, lost = take(session, 2)
        later = lost.until + 1
        assert requeue_expired(session, later, {(mine.match, mine.attempt)}) == {lost.match: Status.QUEUED}
        assert requeue_expired(session, later) == {mine.match: Status.QUEUED}


def test_only_the_recorded_attempt_counts_as_recorded(database: Database, matches: list[int]) -> None:
    with database.write() as session:
        take(session)
        assert not was_recorded(session, matches[0], 1)
        session.get_one(models.StoredMatch, matches[0]).status = Status.DONE
        session.flush()
        assert was_recorded(session, matches[0], 1)
        assert not was_recorded(session, matches[0], 2)


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_sqlite_finds_what_waits_by_its_index(database: Database, matches: list[int]) -> None:
    said: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *sent: said.append(sent[2]))
    with database.write() as session:
        claim(session, "me", NOW, seconds, 1)
        requeue_expired(session, NOW)
        selects = [sent for sent in said if sent.startswith("SELECT")]
        plans = [
            str(session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {sent}", (1,) * sent.count("?")).all())
            for sent in selects
        ]
    assert ["ix_matches_queued" in plans[0], "ix_matches_leased" in plans[1]] == [True, True]


def test_matches_in_which_an_owner_plays_already_wait_if_owners_are_kept_apart(database: Database) -> None:
    with database.write() as session:
        first, second, third = ([enter(session, f"{name}{number}") for name in "abcd"] for number in range(3))
        shared = [first[0], *second[1:]]
        numbers = [
            queue(session, versions, seed=seed) for versions, seed in ((first, "1"), (shared, "2"), (third, "3"))
        ]
        leased = claim(session, "me", NOW, seconds, 3, machines=[MachineLoad("", 3, None)])
        assert [lease.match for lease in leased] == [numbers[0], numbers[2]]
        assert claim(session, "me", NOW, seconds, 3, machines=[MachineLoad("", 3, None)]) == []
        give_back(session, numbers[0], 1)
        assert [
            lease.match for lease in claim(session, "me", NOW, seconds, 1, machines=[MachineLoad("", 1, None)])
        ] == [numbers[0]]
        assert [lease.match for lease in claim(session, "me", NOW, seconds, 3)] == [numbers[1]]


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
        assert [(lease.match, lease.machine) for lease in leased] == [(second, "venus")]
        again = claim(session, "me", NOW, seconds, 5, machines=[MachineLoad("mars", 1, ()), MachineLoad("io", 1, ())])
        assert sorted((lease.match, lease.machine) for lease in again) == [(third, "mars"), (fourth, "io")]


def test_owners_are_kept_apart_where_containers_share_a_kernel() -> None:
    kept = [load_settings(sandbox=sandbox, runtime=runtime).owners_apart
            for sandbox, runtime in (("docker", "runc"), ("docker", "runsc"), ("process", "runc"))]  # fmt: skip
    assert kept == [True, False, False]

"""Invariants of every queue, in both databases: leased once, never lost, tried again a limited number of times."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event

from ladder.store.commands.computations import FAILED
from ladder.store.leases import MAX_FAILURES, MAX_LOSSES, Lease
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.store.lease_queues import QUEUES, SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.store.database import Database
    from tests.ladder.store.lease_queues import Tried

__all__ = ["backend"]

LATER = NOW + SECONDS + 1
"""Time at which a lease of `NOW` has run out."""


@pytest.fixture(params=QUEUES)
def tried(request: pytest.FixtureRequest) -> Tried:
    """Each queue."""
    return QUEUES[request.param]


def add(database: Database, tried: Tried, *owners: str) -> list[int]:
    with database.write() as session:
        return [tried.add(session, owner) for owner in owners]


def take(database: Database, tried: Tried, holder: str = "me", now: float = NOW) -> Lease:
    """Lease the next one."""
    with database.write() as session:
        (lease,) = tried.claim(session, holder, now, 1)
    return Lease(lease.id, lease.attempt)


def finish(database: Database, tried: Tried, lease: Lease) -> bool:
    with database.write() as session:
        return tried.finish(session, lease)


def expire(database: Database, tried: Tried, now: float, **kept: Any) -> list[int]:
    with database.write() as session:
        return [row.id for row in tried.queue.requeue_expired(session, now, **kept)]


def bury(database: Database, tried: Tried, *dead: str) -> list[int]:
    with database.write() as session:
        return [row.id for row in tried.queue.requeue_dead(session, NOW, dead.__contains__)]


def is_waiting(database: Database, tried: Tried, number: int) -> bool:
    with database.read() as session:
        return number in tried.queue.next_ready(session, None)


def row_of(database: Database, tried: Tried, number: int) -> Any:
    with database.read() as session:
        return session.get_one(tried.queue.row, number)


def fail(database: Database, tried: Tried, lease: Lease) -> None:
    with database.write() as session:
        assert tried.queue.fail(session, lease, NOW, "No engine answers.") is not None


def lose(database: Database, tried: Tried, lease: Lease) -> None:
    with database.write() as session:
        assert tried.queue.lose(session, lease, NOW, "No worker had room.") is not None


def let_expire(database: Database, tried: Tried, lease: Lease) -> None:
    assert expire(database, tried, LATER) == [lease.id]


def kill(database: Database, tried: Tried, lease: Lease) -> None:
    assert bury(database, tried, "me") == [lease.id]


def give_back(database: Database, tried: Tried, lease: Lease) -> None:
    with database.write() as session:
        assert tried.queue.give_back(session, lease, NOW) is not None


@IN_BOTH
def test_a_lease_names_its_holder_its_attempt_and_its_end(database: Database, tried: Tried) -> None:
    (number,) = add(database, tried, "ada")
    assert take(database, tried) == Lease(number, 1)
    row = row_of(database, tried, number)
    assert (row.status, row.holder, row.attempt, row.lease_until) == (tried.queue.leased, "me", 1, NOW + SECONDS)
    with database.write() as session:
        assert tried.claim(session, "you", NOW, 5) == []


@IN_BOTH
def test_several_holders_at_once_lease_each_row_once(database: Database, tried: Tried) -> None:
    numbers = add(database, tried, *(f"owner{number}" for number in range(12)))
    leased: list[tuple[int, int]] = []
    begin = threading.Barrier(4)

    def work(holder: str) -> None:
        begin.wait()
        while True:
            with database.write() as session:
                found = [(lease.id, lease.attempt) for lease in tried.claim(session, holder, NOW, 2)]
            leased.extend(found)
            if not found:
                return

    threads = [threading.Thread(target=work, args=[f"holder {number}"]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(leased) == [(number, 1) for number in numbers]


@pytest.mark.parametrize("again", [give_back, fail, lose, let_expire, kill])
def test_what_is_tried_again_keeps_its_place(
    database: Database, tried: Tried, again: Callable[[Database, Tried, Lease], None]
) -> None:
    first, second = add(database, tried, "ada", "ada")
    lease = take(database, tried)
    assert lease.id == first
    again(database, tried, lease)
    lease = take(database, tried)
    assert lease == Lease(first, 2)
    assert finish(database, tried, lease)
    assert take(database, tried) == Lease(second, 1)


@IN_BOTH
def test_a_result_counts_once_and_only_that_of_the_attempt_that_holds_the_lease(
    database: Database, tried: Tried
) -> None:
    (number,) = add(database, tried, "ada")
    first = take(database, tried, "slow")
    assert expire(database, tried, NOW + SECONDS) == [], "not before its end"
    assert expire(database, tried, LATER) == [number]
    assert not finish(database, tried, first), "even if no other holder has leased it since"
    second = take(database, tried, "another", LATER)
    assert second == Lease(number, 2)
    for late in (first, Lease(number, 3)):
        assert not finish(database, tried, late)
        with database.write() as session:
            assert tried.queue.fail(session, late, NOW, "Late.") is None
            assert tried.queue.lose(session, late, NOW, "Late.") is None
            assert tried.queue.give_back(session, late, NOW) is None
    row = row_of(database, tried, number)
    assert (row.status, row.attempt, row.failures, row.losses) == (tried.queue.leased, 2, 0, 1)
    assert [finish(database, tried, each) for each in (second, second, first)] == [True, False, False]
    row = row_of(database, tried, number)
    assert row.status not in (tried.queue.ready, tried.queue.leased)
    assert (row.holder, row.lease_until, row.attempt) == (None, None, 2)
    assert not is_waiting(database, tried, number)


@IN_BOTH
def test_a_renewed_lease_has_not_run_out(database: Database, tried: Tried) -> None:
    mine, other = add(database, tried, "ada", "ben")
    lease = take(database, tried, "me")
    assert take(database, tried, "another").id == other
    with database.write() as session:
        tried.queue.renew(session, "me", LATER + SECONDS)
    assert expire(database, tried, LATER) == [other]
    assert finish(database, tried, lease)
    assert lease.id == mine


@IN_BOTH
def test_an_expired_lease_stays_with_a_holder_that_is_at_work(database: Database, tried: Tried) -> None:
    kept, living, lost = add(database, tried, "ada", "ben", "cid")
    leases = {take(database, tried, holder).id: holder for holder in ("me", "living", "gone")}
    assert leases == {kept: "me", living: "living", lost: "gone"}
    assert expire(database, tried, LATER, kept={(kept, 1)}, living={"living"}) == [lost]
    assert expire(database, tried, LATER, kept={(kept, 2)}) == [kept, living], "another attempt is not meant"


@IN_BOTH
def test_the_leases_of_holders_that_have_ended_are_lost_at_once(database: Database, tried: Tried) -> None:
    dead, mine = add(database, tried, "ada", "ben")
    take(database, tried, "dead")
    take(database, tried, "me")
    assert bury(database, tried, "dead", "unknown") == [dead]
    assert bury(database, tried, "dead", "unknown") == []
    with database.read() as session:
        assert tried.queue.attempts(session) == tried.queue.attempts(session, "me") == {(mine, 1)}
        assert tried.queue.attempts(session, "dead") == set()
        assert tried.queue.busy_seconds(session, NOW + 1, lambda holder: False) == [SECONDS - 1]
        assert tried.queue.busy_seconds(session, NOW + 1, lambda holder: holder == "me") == []


@IN_BOTH
def test_what_a_holder_has_leased_without_knowing_is_lost(database: Database, tried: Tried) -> None:
    known, unknown, other = add(database, tried, "ada", "ben", "cid")
    for holder in ("me", "me", "another"):
        take(database, tried, holder)
    with database.write() as session:
        rows = tried.queue.requeue_unknown(session, NOW, "me", {(known, 1)})
        assert [row.id for row in rows] == [unknown]
        assert tried.queue.attempts(session) == {(known, 1), (other, 1)}


@pytest.mark.parametrize(
    ("again", "limit"), [(fail, MAX_FAILURES), (lose, MAX_LOSSES), (let_expire, MAX_LOSSES), (kill, MAX_LOSSES)]
)
def test_attempts_without_a_result_are_limited_and_the_last_one_says_so(
    database: Database, tried: Tried, again: Callable[[Database, Tried, Lease], None], limit: int
) -> None:
    first, second = add(database, tried, "ada", "ada")
    for attempt in range(1, limit + 1):
        lease = take(database, tried)
        assert lease == Lease(first, attempt)
        again(database, tried, lease)
    row = row_of(database, tried, first)
    assert (row.status, row.holder, row.lease_until) == (tried.queue.given_up, None, None)
    assert f"not tried again: {limit} attempts" in row.reason or FAILED in row.reason
    assert take(database, tried).id == second


def test_what_is_given_back_counts_as_no_attempt(database: Database, tried: Tried) -> None:
    (number,) = add(database, tried, "ada")
    for _ in range(MAX_LOSSES + 1):
        give_back(database, tried, take(database, tried))
    for _ in range(MAX_LOSSES - 1):
        kill(database, tried, take(database, tried))
    for _ in range(MAX_FAILURES - 1):
        fail(database, tried, take(database, tried))
    give_back(database, tried, take(database, tried))
    row = row_of(database, tried, number)
    assert (row.failures, row.losses) == (MAX_FAILURES - 1, MAX_LOSSES - 1)
    assert is_waiting(database, tried, number)
    assert finish(database, tried, take(database, tried))


def test_what_would_fail_again_ends_at_once(database: Database, tried: Tried) -> None:
    (number,) = add(database, tried, "ada")
    lease = take(database, tried)
    with database.write() as session:
        tried.queue.fail(session, lease, NOW, "Its image is missing.", for_good=True)
    row = row_of(database, tried, number)
    assert (row.status, row.failures, row.reason) == (tried.queue.given_up, 1, "Its image is missing.")


def test_while_it_waits_again_it_keeps_the_reason_of_the_last_failure(database: Database, tried: Tried) -> None:
    (number,) = add(database, tried, "ada")
    fail(database, tried, take(database, tried))
    give_back(database, tried, take(database, tried))
    assert row_of(database, tried, number).reason == "No engine answers."
    kill(database, tried, take(database, tried))
    assert row_of(database, tried, number).reason == tried.queue.lost_reason


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_sqlite_finds_what_waits_and_what_is_leased_by_index(database: Database, tried: Tried) -> None:
    add(database, tried, "ada")
    sent: list[tuple[str, Any]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *about: sent.append((about[2], about[3])))
    with database.write() as session:
        tried.queue.next_ready(session, 1)
        tried.claim(session, "me", NOW, 1)
        tried.queue.renew(session, "me", NOW)
        tried.queue.requeue_expired(session, NOW)
        tried.queue.requeue_dead(session, NOW, lambda holder: False)
        tried.queue.requeue_unknown(session, NOW, "me", {(1, 1)})
        tried.queue.attempts(session, "me")
        tried.queue.busy_seconds(session, NOW, lambda holder: False)
        connection = session.connection()
        plans = [
            " ".join(row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values))
            for text, values in sent
            if text.startswith(("SELECT", "UPDATE"))
        ]
    table = tried.queue.row.__tablename__
    indices = [f"ix_{table}_{name}" for name in ("queued", "leased", "open")]
    scans = [plan for plan in plans if f"SCAN {table}" in plan]
    assert len(scans) >= 8, "of each statement but those that take a row by its number"
    assert not [plan for plan in scans if not any(index in plan for index in indices)]

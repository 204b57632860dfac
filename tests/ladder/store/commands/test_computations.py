"""Visitors' questions, as a queue: equal questions are one, visitors take turns, nothing is answered twice, or lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from ladder.errors import Busy, TooOften
from ladder.store.commands import computations
from ladder.store.commands.computations import (
    COMPUTATIONS,
    FAILED,
    MAX_WAITING,
    ROW_BYTES,
    ComputationLease,
    NewQuestion,
)
from ladder.store.computing_models import Computation
from ladder.store.leases import MAX_FAILURES, MAX_LOSSES
from ladder.store.queries.computations import KnownComputation, known_computation
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW

if TYPE_CHECKING:
    from ladder.store.database import Database

__all__ = ["backend"]

ADA, BEN = "account ada", "address 192.0.2.7"


def ask(
    database: Database,
    key: str,
    visitor: str = ADA,
    state: str = "now",
    lane: str = "short",
    max_waiting: int = MAX_WAITING,
) -> None:
    with database.write() as session:
        computations.ask(session, NewQuestion(key, lane, {"kind": key}, state, visitor), NOW, max_waiting)


def claim(database: Database, holder: str = "me", now: float = NOW, lane: str = "short") -> ComputationLease | None:
    with database.write() as session:
        return computations.claim(session, lane, holder, now, 60.0)


def taken(database: Database, **how: Any) -> ComputationLease:
    lease = claim(database, **how)
    assert lease is not None
    return lease


def finish(database: Database, lease: ComputationLease, answer: str = "42", now: float = NOW) -> bool:
    with database.write() as session:
        return computations.finish(session, lease, answer, now)


def known(database: Database, key: str) -> KnownComputation:
    with database.read() as session:
        found = known_computation(session, key)
    assert found is not None
    return found


def keys(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(select(Computation.key).order_by(Computation.id)))


def bury(database: Database) -> set[int]:
    """Let the holder of all leases have ended; gives the numbers of what it had leased."""
    with database.write() as session:
        return {row.id for row in COMPUTATIONS.requeue_dead(session, NOW, lambda holder: True)}


def test_a_visitor_with_a_hundred_questions_lets_another_ones_first_go_next(database: Database) -> None:
    for number in range(100):
        ask(database, f"a{number}")
    order, now = list[str](), NOW
    for _ in range(2):
        now += 1
        lease = taken(database, now=now)
        order.append(lease.question["kind"])
        finish(database, lease, now=now)
    for number in range(3):
        ask(database, f"b{number}", BEN)
    assert known(database, "b0").place == 1
    for _ in range(6):
        now += 1
        lease = taken(database, now=now)
        order.append(lease.question["kind"])
        finish(database, lease, now=now)
    assert order == ["a0", "a1", "b0", "a2", "b1", "a3", "b2", "a4"]


def test_equal_questions_are_one_and_wait_no_longer_than_the_quicker_of_those_who_ask(database: Database) -> None:
    for key in ("a0", "a1", "both"):
        ask(database, key)
    ask(database, "both", BEN)
    assert keys(database) == ["a0", "a1", "both"]
    assert known(database, "both").visitor == BEN
    ask(database, "both", ADA)
    assert known(database, "both").visitor == BEN, "it is not handed to and fro"
    assert [known(database, key).place for key in ("a0", "both", "a1")] == [1, 2, 3]


def test_an_answer_is_kept_and_not_computed_again_until_things_change(database: Database) -> None:
    ask(database, "inbox", state="monday")
    assert finish(database, taken(database), "of monday")
    ask(database, "inbox", BEN, "monday")
    assert claim(database) is None
    ask(database, "inbox", BEN, "tuesday")
    found = known(database, "inbox")
    assert (found.status, found.answer, found.answered, found.state) == ("queued", "of monday", "monday", "tuesday")
    lease = taken(database)
    ask(database, "inbox", ADA, "wednesday")
    assert finish(database, lease, "of tuesday"), "what is under way is not disturbed"
    assert known(database, "inbox").answered == "tuesday"
    ask(database, "inbox", ADA, "wednesday")
    assert finish(database, taken(database), "of wednesday")


def test_what_a_killed_process_had_is_computed_by_the_next_one(database: Database) -> None:
    ask(database, "a")
    ask(database, "long", lane="long")
    lost = {taken(database, holder="killed").id, taken(database, holder="killed", lane="long").id}
    assert bury(database) == lost
    assert [finish(database, taken(database, lane=lane)) for lane in ("short", "long")] == [True, True]


def test_a_question_in_which_the_platform_fails_ends_some_time_and_may_be_asked_again(database: Database) -> None:
    ask(database, "a")
    for _ in range(MAX_FAILURES):
        assert known(database, "a").reason == "", "it waits for its answer"
        lease = taken(database)
        with database.write() as session:
            COMPUTATIONS.fail(session, lease, NOW, "It was killed.")
    assert claim(database) is None
    assert known(database, "a").reason == FAILED
    ask(database, "a")
    assert claim(database) is None, "not at once"
    with database.write() as session:
        computations.tidy(session, NOW + 3601)
    ask(database, "a")
    assert finish(database, taken(database))


def test_a_refusal_is_kept_for_an_hour(database: Database) -> None:
    ask(database, "a")
    with database.write() as session:
        lease = computations.claim(session, "short", "me", NOW, 60.0)
        assert lease is not None
        computations.refuse(session, lease, "It is too heavy.", NOW)
        computations.tidy(session, NOW + 3599)
    ask(database, "a", BEN)
    assert (known(database, "a").reason, claim(database)) == ("It is too heavy.", None)
    ask(database, "a", BEN, "other rules")
    assert known(database, "a").place == 1


def test_progress_is_that_of_the_attempt_under_way(database: Database) -> None:
    ask(database, "a")
    first = taken(database)
    with database.write() as session:
        computations.note_progress(session, first, 3, 20)
    assert (known(database, "a").place, known(database, "a").done, known(database, "a").steps) == (None, 3, 20)
    bury(database)
    taken(database)
    with database.write() as session:
        computations.note_progress(session, first, 19, 20)
    assert known(database, "a").steps == 0


def test_a_question_that_is_asked_anew_is_as_one_that_was_never_asked_but_for_its_answer(database: Database) -> None:
    ask(database, "a", state="monday")
    for _ in range(MAX_FAILURES - 1):
        lease = taken(database)
        with database.write() as session:
            COMPUTATIONS.fail(session, lease, NOW, "It was killed.")
    for _ in range(MAX_LOSSES - 1):
        taken(database)
        bury(database)
    lease = taken(database)
    with database.write() as session:
        computations.note_progress(session, lease, 3, 20)
    assert finish(database, lease)
    ask(database, "a", state="tuesday")
    ask(database, "b", state="tuesday")
    with database.read() as session:
        again, new = (
            {column.name: getattr(row, column.name) for column in Computation.__table__.columns}
            for row in session.scalars(select(Computation).order_by(Computation.id))
        )
    differ = {name for name in new if again[name] != new[name]}
    assert differ == {"id", "key", "question", "attempt", "answer", "answered", "size"}
    assert (again["done"], again["steps"]) == (0, 0), "no progress before it is taken"


def test_one_visitor_fills_nothing(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computations, "MAX_OF_VISITOR", 4)
    for number in range(4):
        ask(database, f"a{number}")
    with pytest.raises(TooOften) as refused:
        ask(database, "a4")
    assert not isinstance(refused.value, Busy)
    ask(database, "a0")  # it waits already
    ask(database, "b0", BEN, max_waiting=5)
    ask(database, "b1", BEN, max_waiting=5)
    assert keys(database) == ["a0", "a1", "a2", "b0", "b1"], "the visitor with the most loses the newest one"
    ask(database, "c0", "address 198.51.100.8", max_waiting=5)
    assert keys(database) == ["a0", "a1", "b0", "b1", "c0"]
    with pytest.raises(Busy):
        ask(database, "b2", BEN, max_waiting=5)


@pytest.mark.parametrize(("waiting", "gone"), [(4, None), (5, None), (6, 5)])
def test_nor_does_one_with_many_addresses(database: Database, waiting: int, gone: int | None) -> None:
    """At the limit less one, at the limit, and beyond it: the one whose network has the most questions loses one."""
    for number in range(waiting - 1):
        ask(database, f"a{number}", f"address 2001:db8:0:{number}::/64", max_waiting=5)
    ask(database, "b0", BEN, max_waiting=5)
    assert keys(database) == [f"a{number}" for number in range(waiting - 1) if gone is None or number != gone - 1] + [
        "b0"
    ]
    if waiting > 5:
        with pytest.raises(Busy):
            ask(database, "a9", "address 2001:db8:0:9::/64", max_waiting=5)


def test_addresses_near_each_other_share_a_turn(database: Database) -> None:
    for number in range(3):
        ask(database, f"a{number}", f"address 2001:db8:0:{number}::/64")
    ask(database, "b0", BEN)
    ask(database, "b1", BEN)
    taken(database)
    ask(database, "a3", "address 2001:db8:0:3::/64")  # was never served; its neighbours were
    assert [taken(database, now=NOW + turn).question["kind"] for turn in range(1, 6)] == ["b0", "a1", "b1", "a2", "a3"]


def test_the_oldest_answers_make_room_and_visitors_are_forgotten(database: Database) -> None:
    for number in range(4):
        ask(database, f"a{number}")
        finish(database, taken(database), "x" * 100, NOW + number)
    ask(database, "waits")
    with database.write() as session:
        computations.tidy(session, NOW + 10, kept_bytes=2 * (ROW_BYTES + 100))
    assert keys(database) == ["a2", "a3", "waits"]
    with database.write() as session:
        computations.tidy(session, NOW + 3610)
    assert [known(database, key).visitor for key in ("a2", "a3", "waits")] == ["", "", ADA]


def test_a_question_is_not_kept_longer_than_it_is_needed(database: Database) -> None:
    """It may hold a person's hand, or the seed of today's board."""
    ask(database, "a")
    finish(database, taken(database))
    with database.read() as session:
        assert session.scalars(select(Computation.question)).all() == [{}]

"""The table of submissions as a queue: leases, fences, turns, and what is put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.commands.submission_queue import (
    SUBMISSIONS,
    claim,
    folders_of_ended,
    in_the_way,
    note_progress,
    withdraw,
)
from ladder.store.leases import GRACE, MAX_FAILURES, Lease
from ladder.store.queries.submissions import submission_row, submission_rows, usage
from ladder.trials.trial_tasks import TrialProgress
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.store.handed_in import hand_in, stored

if TYPE_CHECKING:
    from collections.abc import Collection

    from ladder.store.database import Database

__all__ = ["backend"]

SECONDS = 1800.0
DAY = 24 * 3600.0


def take(
    database: Database, count: int = 1, holder: str = "me", now: float = NOW, busy: Collection[str] = frozenset()
) -> list[tuple[int, int]]:
    """Lease submissions; gives their numbers and attempts."""
    with database.write() as session:
        return [(row.id, row.attempt) for row in claim(session, holder, now, SECONDS, count, busy)]


def ended(database: Database, number: int, attempt: int, now: float = NOW + 10) -> bool:
    """True if the end of that attempt counted."""
    with database.write() as session:
        row = SUBMISSIONS.held(session, Lease(number, attempt))
        if row is not None:
            SUBMISSIONS.end(session, row, SubmissionStatus.ENTERED, now)
        return row is not None


def failed(database: Database, number: int, attempt: int) -> None:
    with database.write() as session:
        assert SUBMISSIONS.fail(session, Lease(number, attempt), NOW + 10, "No Docker engine answers.")


def places(database: Database) -> dict[int, int | None]:
    with database.read() as session:
        return {row.id: row.place for row in submission_rows(session, None, None, 100) if row.place}


def test_a_lease_is_for_one_holder_and_one_attempt_until_some_time(database: Database) -> None:
    (number,) = hand_in(database)
    assert take(database, holder="me") == [(number, 1)]
    assert take(database, holder="you") == []
    row = stored(database, number)
    assert (row.status, row.phase, row.holder, row.started) == ("leased", "building", "me", NOW)
    assert row.lease_until == NOW + SECONDS + GRACE


@IN_BOTH
def test_an_attempt_that_has_been_given_to_somebody_else_changes_nothing(database: Database) -> None:
    (number,) = hand_in(database)
    take(database)
    with database.write() as session:
        assert SUBMISSIONS.requeue_expired(session, NOW + SECONDS + GRACE + 1)
    assert take(database, holder="you") == [(number, 2)]
    assert not ended(database, number, 1)
    with database.write() as session:
        note_progress(session, TrialProgress(submission=number, attempt=1, phase="trying", done=9, steps=9))
    row = stored(database, number)
    assert (row.status, row.done, row.steps, row.attempt) == ("leased", 0, 0, 2)
    assert ended(database, number, 2)


def test_what_has_ended_ends_once(database: Database) -> None:
    (number,) = hand_in(database)
    take(database)
    assert [ended(database, number, 1, NOW + later) for later in (10, 20)] == [True, False]
    assert (stored(database, number).finished, stored(database, number).trial_seconds) == (NOW + 10, 10)


def test_progress_is_seen_until_the_attempt_ends(database: Database) -> None:
    (number,) = hand_in(database)
    take(database)
    progress = TrialProgress(submission=number, attempt=1, phase="trying", done=3, steps=9)
    with database.write() as session:
        note_progress(session, progress)
    row = stored(database, number)
    assert (row.phase, row.done, row.steps) == ("trying", 3, 9)
    with database.write() as session:  # what was told before may come later
        for late in (
            progress.model_copy(update={"done": 2}),
            progress.model_copy(update={"phase": "building", "done": 4}),
        ):
            note_progress(session, late)
    assert (stored(database, number).phase, stored(database, number).done) == ("trying", 3)
    ended(database, number, 1)
    with database.write() as session:
        note_progress(session, progress.model_copy(update={"done": 4}))
    assert (stored(database, number).phase, stored(database, number).done) == ("ended", 3)


def test_one_owner_s_twenty_submissions_do_not_delay_another_s_first(database: Database) -> None:
    many = hand_in(database, "ada", 20)
    (one,) = hand_in(database, "ben")
    order = []
    for turn in range(4):
        ((number, attempt),) = take(database, now=NOW + turn)
        order.append(number)
        ended(database, number, attempt, NOW + turn + 0.5)
    assert order == [many[0], one, many[1], many[2]]


def test_owners_take_turns_and_the_places_say_so(database: Database) -> None:
    of = {owner: hand_in(database, owner, 3) for owner in ("ada", "ben", "cid")}
    expected = [of[owner][turn] for turn in range(3) for owner in ("ada", "ben", "cid")]
    assert sorted(places(database), key=lambda number: places(database)[number] or 0) == expected
    assert list(places(database).values()) != expected
    order = []
    for turn in range(9):
        ((number, attempt),) = take(database, now=NOW + turn)
        order.append(number)
        ended(database, number, attempt, NOW + turn + 0.5)
    assert order == expected


@IN_BOTH
def test_who_has_been_served_most_recently_waits_for_all_others(database: Database) -> None:
    first, second = hand_in(database, "ada", 2)
    take(database, now=NOW)
    ended(database, first, 1)
    (other,) = hand_in(database, "ben", now=NOW + 20)
    assert places(database) == {other: 1, second: 2}
    assert take(database, now=NOW + 30) == [(other, 1)]


def test_of_each_owner_one_submission_is_tried_at_a_time(database: Database) -> None:
    adas, bens = hand_in(database, "ada", 3), hand_in(database, "ben", 2)
    assert take(database, 4) == [(adas[0], 1), (bens[0], 1)]
    assert take(database, 4) == []


def test_none_of_an_owner_whose_bots_play_is_tried(database: Database) -> None:
    adas, bens = hand_in(database, "ada"), hand_in(database, "ben")
    assert take(database, 4, busy={"ada"}) == [(bens[0], 1)]
    assert take(database, 4) == [(adas[0], 1)]


def test_matches_leave_room_for_who_is_tried_and_for_who_is_next(database: Database) -> None:
    def kept_out() -> set[str]:
        with database.read() as session:
            return in_the_way(session)

    assert kept_out() == set()
    for owner, count in (("ada", 3), ("ben", 1), ("cid", 1)):
        hand_in(database, owner, count)
    assert kept_out() == {"ada"}
    take(database)
    # ada's other submissions have waited longer, but it is ben's turn: his bots' matches must let him in.
    assert kept_out() == {"ada", "ben"}
    take(database)
    assert kept_out() == {"ada", "ben", "cid"}
    take(database)
    assert kept_out() == {"ada", "ben", "cid"}


def test_a_submission_in_which_the_platform_fails_too_often_has_ended(database: Database) -> None:
    (number,) = hand_in(database)
    for attempt in range(1, MAX_FAILURES + 1):
        assert take(database) == [(number, attempt)]
        failed(database, number, attempt)
    row = stored(database, number)
    assert (row.status, row.phase, row.finished, row.trial_seconds) == ("failed", "ended", NOW + 10, 30.0)
    assert row.reason.startswith("No Docker engine answers. It is not tried again")


def test_while_it_waits_again_it_says_why(database: Database) -> None:
    (number,) = hand_in(database)
    take(database)
    failed(database, number, 1)
    with database.read() as session:
        row = submission_row(session, number)
    assert row is not None
    assert (row.status, row.phase, row.place, row.reason) == ("queued", "received", 1, "No Docker engine answers.")


def test_folders_of_what_has_ended_are_known(database: Database) -> None:
    names = ["a" * 32, "b" * 32, "c" * 32]
    for owner, name in zip(("ada", "ben"), names, strict=False):
        hand_in(database, owner, folder=name)
    (number, attempt), *_ = take(database)
    ended(database, number, attempt)
    with database.read() as session:
        assert folders_of_ended(session, names) == ["a" * 32]
        assert folders_of_ended(session, []) == []


@pytest.mark.parametrize("is_tried", [False, True])
def test_what_is_withdrawn_has_ended_whoever_tries_it(database: Database, is_tried: bool) -> None:
    (number,) = hand_in(database, folder="f" * 32)
    if is_tried:
        take(database)
    with database.write() as session:
        assert withdraw(session, number, NOW + 5) == "f" * 32
    assert not ended(database, number, 1)
    row = stored(database, number)
    assert (row.status, row.finished, row.trial_seconds) == ("withdrawn", NOW + 5, 5 if is_tried else 0)
    assert take(database) == []


@IN_BOTH
def test_a_quota_counts_what_came_from_afar_in_a_day_unless_it_was_withdrawn_in_time(database: Database) -> None:
    hand_in(database, "ada", remote=False)
    hand_in(database, "ben")
    old, untried, tried, ended_, waiting = (hand_in(database, "ada", now=NOW - DAY * (n == 0))[0] for n in range(5))
    with database.write() as session:
        withdraw(session, untried, NOW)
        for number in (tried, ended_):
            row = session.get_one(StoredSubmission, number)
            row.attempt, row.trial_seconds = 1, 30.0
        withdraw(session, tried, NOW)
        SUBMISSIONS.end(session, session.get_one(StoredSubmission, ended_), SubmissionStatus.REFUSED, NOW)
        SUBMISSIONS.end(session, session.get_one(StoredSubmission, old), SubmissionStatus.REFUSED, NOW)
        assert stored(database, waiting).status == "queued"
        used = usage(session, "ada", NOW)
    assert (used.waiting, used.today, used.seconds) == (2, 3, 60.0)

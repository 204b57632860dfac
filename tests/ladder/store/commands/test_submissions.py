"""The table of submissions as a queue, and the content of the ladder after them."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from ladder.errors import LadderError
from ladder.ratings.elo import START
from ladder.store import models
from ladder.store.account_models import StoredSubmission, SubmissionStatus
from ladder.store.commands.submission_queue import (
    SUBMISSIONS,
    claim,
    folders_of_ended,
    in_the_way,
    note_progress,
    withdraw,
)
from ladder.store.commands.suspending import set_state
from ladder.store.leases import GRACE, MAX_FAILURES, Lease
from ladder.store.models import State
from ladder.store.queries.submissions import submission_row, submission_rows, usage
from ladder.store.submission_look import look_at
from ladder.trials.trial_tasks import TrialProgress
from ladder.values.submission import Failure
from pigpen.rules import PRESETS
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW
from tests.ladder.store.handed_in import hand_in, stored
from tests.ladder.store.submitted import BETTER, TROTTER, Fit, changes, states, submit

if TYPE_CHECKING:
    from collections.abc import Collection

    from ladder.store.database import Database, Session
    from ladder.values.submission import SubmissionResult
    from pigpen.rules import Rules

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
    assert row.reason.startswith("No Docker engine answers. ")
    assert "not tried again" in row.reason


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
        used = usage(session, ("ada",), NOW)
    assert (used.waiting, used.today, used.seconds) == (2, 3, 60.0)


GONGZHU, HEARTS = PRESETS["gongzhu"], PRESETS["hearts"]


def version_id(session: Session, result: SubmissionResult) -> int:
    """The id of the version that a submission became."""
    bot, _, number = str(result.version).partition("@")
    wanted = select(models.Version.id).join(models.StoredBot, models.StoredBot.id == models.Version.bot_id)
    return session.scalars(wanted.where(models.StoredBot.name == bot, models.Version.number == int(number))).one()


def played(database: Database, result: SubmissionResult, rating: float) -> None:
    """Let a version have played its way to a rating."""
    with database.write() as session:
        entry = session.get_one(models.Rating, {"variant": "gongzhu", "version_id": version_id(session, result)})
        entry.rating, entry.matches = rating, 30


def entry(database: Database, result: SubmissionResult) -> models.Rating:
    with database.read() as session:
        found = session.get_one(models.Rating, {"variant": "gongzhu", "version_id": version_id(session, result)})
        session.expunge(found)
        return found


def test_a_bot_is_entered_with_its_owner_and_its_variants(database: Database) -> None:
    added = submit(database, TROTTER, "gongzhu", "hearts")
    assert (added.version, added.new, added.changed, added.moved_from) == ("Trotter@1", True, True, None)
    assert [(new.variant, new.state, new.elo, new.news) for new in added.variants] == [
        ("gongzhu", State.ACTIVE, START, "entered"),
        ("hearts", State.ACTIVE, START, "entered"),
    ]
    with database.read() as session:
        version = session.get_one(models.Version, version_id(session, added))
        bot = session.get_one(models.StoredBot, version.bot_id)
        assert (bot.name, session.get_one(models.Owner, bot.owner_id).name) == ("Trotter", "ada")
        assert (version.number, version.identity, version.source, version.size) == (1, TROTTER.identity, "mybot", 1000)
        assert session.get_one(models.Variant, "hearts").rules == HEARTS.to_plain()
        look = look_at(session, "Trotter")
        assert look.plays == ["gongzhu", "hearts"]
        assert look.entered == {TROTTER.identity: {"gongzhu", "hearts"}}
        assert look.holders == {TROTTER.identity: ["ada"]}


def test_a_bot_that_failed_in_its_trial_is_not_entered_and_its_result_says_why(database: Database) -> None:
    failure = Failure(variant="gongzhu", where="deal 1", verdict="illegal", why="It played a card twice.", output="")
    with database.write() as session:
        refused = TROTTER.enter(session, [GONGZHU], failures=(failure,))
    assert (refused.accepted, refused.version, refused.variants) == (False, None, ())
    assert (refused.new, refused.changed, refused.moved_from) == (False, False, None)
    assert (refused.bot, refused.owner, refused.reasons) == ("Trotter", "ada", (failure,))
    assert states(database) == {}


def test_the_same_program_again_changes_nothing(database: Database) -> None:
    first = submit(database, TROTTER)
    played(database, first, 1700.0)
    again = submit(database, replace(TROTTER, source="another-word"), now=2.0)
    assert (again.version, again.new, again.changed) == (first.version, False, False)
    assert entry(database, first).rating == 1700.0
    assert changes(database) == []


def test_the_same_program_may_be_entered_in_one_more_variant(database: Database) -> None:
    first = submit(database, TROTTER)
    again = submit(database, TROTTER, "gongzhu", "hearts")
    assert (again.version, again.new) == (first.version, False)
    assert [(new.variant, new.news) for new in again.variants] == [("gongzhu", "there already"), ("hearts", "entered")]


def test_a_new_version_takes_the_place_and_the_rating_of_the_old_one(database: Database) -> None:
    played(database, submit(database, TROTTER), 1700.0)
    added = submit(database, BETTER, now=2.0)
    assert (added.version, added.new) == ("Trotter@2", True)
    assert added.variants[0].retired == ("Trotter@1",)
    found = entry(database, added)
    assert (found.rating, found.matches, found.since) == (1700.0, 0, 2.0)
    assert states(database) == {1: State.RETIRED, 2: State.ACTIVE}
    assert changes(database) == [(State.RETIRED, "owner", "replaced by version 2")]


def test_a_new_version_leaves_the_variants_alone_in_which_it_is_not_entered(database: Database) -> None:
    submit(database, TROTTER, "gongzhu", "hearts")
    submit(database, BETTER, "gongzhu")
    assert states(database, "hearts") == {1: State.ACTIVE}


@IN_BOTH
def test_an_old_version_may_be_kept(database: Database) -> None:
    submit(database, TROTTER)
    assert submit(database, BETTER, keep_old=True).variants[0].retired == ()
    assert states(database) == {1: State.ACTIVE, 2: State.ACTIVE}
    third = submit(database, replace(TROTTER, identity=f"sha256:{'c' * 64}"))
    assert third.variants[0].retired == ("Trotter@1", "Trotter@2")


@pytest.mark.parametrize("keep_old", [False, True])
def test_of_an_image_that_has_moved_it_is_said_what_it_was_and_if_that_still_plays(
    database: Database, keep_old: bool
) -> None:
    before, after = (replace(fit, sandbox="docker", image="ada/trotter:1") for fit in (TROTTER, BETTER))
    assert submit(database, before).moved_from is None
    moved = submit(database, after, keep_old=keep_old)
    assert (moved.moved_from, moved.moved_plays) == (TROTTER.identity, keep_old)
    assert moved.moved_plays == (states(database)[1] == State.ACTIVE)
    again = submit(database, after)
    assert (again.changed, again.moved_from, again.moved_plays) == (False, None, False)


@IN_BOTH
def test_going_back_to_an_old_program_brings_its_version_and_its_rating_back(database: Database) -> None:
    first = submit(database, TROTTER)
    played(database, first, 1700.0)
    played(database, submit(database, BETTER), 1400.0)
    back = submit(database, TROTTER, now=3.0)
    assert (back.version, back.new, back.changed) == (first.version, False, True)
    assert (back.variants[0].news, back.variants[0].retired) == ("back again", ("Trotter@2",))
    found = entry(database, first)
    assert (found.state, found.rating, found.matches, found.since) == (State.ACTIVE, 1700.0, 30, 3.0)
    assert states(database) == {1: State.ACTIVE, 2: State.RETIRED}


def test_leaving_and_coming_back_ends_no_suspension(database: Database) -> None:
    first = submit(database, TROTTER)
    with database.write() as session:
        found = session.get_one(models.Rating, {"variant": "gongzhu", "version_id": version_id(session, first)})
        set_state(session, found, State.SUSPENDED, "ladder", "failed in matches 1, 2, 3: gone", 5.0)
    submit(database, BETTER, now=6.0)
    assert submit(database, TROTTER, now=7.0).variants[0].state == State.SUSPENDED
    found = entry(database, first)
    assert (found.since, found.reason) == (5.0, "failed in matches 1, 2, 3: gone")


def test_a_newcomer_begins_with_1500_as_it_is_shown_wherever_the_others_stand(database: Database) -> None:
    played(database, submit(database, TROTTER), 1700.0)
    snout = submit(database, replace(BETTER, bot="Snout", owner="ben"))
    assert (entry(database, snout).rating, snout.variants[0].elo) == (START, START)
    with database.write() as session:
        session.get_one(models.Variant, "gongzhu").shift = -40.0
    wallow = submit(database, replace(BETTER, bot="Wallow", owner="dora"))
    assert (entry(database, wallow).rating, wallow.variants[0].elo) == (START + 40, START)
    assert submit(database, replace(BETTER, bot="Truffle", owner="ben"), "hearts").variants[0].elo == START


@IN_BOTH
def test_the_image_of_a_version_may_be_pushed_to_a_registry_later(database: Database) -> None:
    image = replace(TROTTER, sandbox="docker", source="ada/trotter:1")
    first = submit(database, image)
    submit(database, replace(image, pinned=f"ada/trotter@sha256:{'f' * 64}"))
    with database.read() as session:
        assert session.get_one(models.Version, version_id(session, first)).pinned == f"ada/trotter@sha256:{'f' * 64}"


@pytest.mark.parametrize(
    ("fit", "sentence"),
    [
        (replace(BETTER, owner="ben"), "The name 'Trotter' belongs to a bot of ada's. Choose another one: --name"),
        (replace(BETTER, bot="trotter"), "The name 'trotter' looks like 'Trotter', .* Write --name Trotter"),
        (replace(BETTER, bot="Snout", owner="Ada"), "The name 'Ada' looks like 'ada', .* Write --owner ada"),
        (replace(BETTER, bot="Tr\u043etter", owner="ben"), "The name 'Tr\u043etter' looks like 'Trotter', which is"),
        (replace(BETTER, bot="Sn\u043eut"), "'Sn\u043eut' cannot be the name of a bot .*: it mixes the scripts"),
        (replace(BETTER, bot="Snout", owner="\u0430da"), "The name '\u0430da' looks like 'ada', which is taken"),
        (replace(BETTER, bot="Snout", sandbox="docker"), "The bots of this ladder run in the process sandbox"),
    ],
)
def test_what_may_not_be_entered_is_refused_and_leaves_nothing(database: Database, fit: Fit, sentence: str) -> None:
    submit(database, TROTTER)
    with pytest.raises(LadderError, match=sentence):
        submit(database, fit, "hearts")
    assert states(database) == {1: State.ACTIVE}
    with database.read() as session:
        assert session.get(models.Variant, "hearts") is None


def test_a_variant_keeps_the_rules_with_which_it_began(database: Database) -> None:
    submit(database, TROTTER)
    other = replace(GONGZHU, title="Not Gong Zhu")
    with database.read() as session, pytest.raises(LadderError, match="'gongzhu' by other rules"):
        BETTER.enter(session, [other], 2.0)
    assert states(database) == {1: State.ACTIVE}


def add_to(database: Database, variants: list[Rules]) -> None:
    with database.write() as session:
        TROTTER.enter(session, variants, 2.0)


def test_a_variant_is_not_named_like_another_one(database: Database) -> None:
    alike = [replace(GONGZHU, name=name) for name in ("h\u0435arts", "mine", "m\u0456ne")]
    with pytest.raises(LadderError, match=r"looks like 'hearts', which"):
        add_to(database, alike[:1])
    with pytest.raises(LadderError, match="'m\u0456ne' looks like 'mine'"):
        add_to(database, alike[1:])


@IN_BOTH
def test_rules_that_were_stored_before_they_had_some_field_are_the_same_rules(database: Database) -> None:
    submit(database, TROTTER)
    with database.write() as session:
        variant = session.get_one(models.Variant, "gongzhu")
        variant.rules = {name: value for name, value in variant.rules.items() if name not in ("partners", "removed")}
    assert submit(database, BETTER).new


@IN_BOTH
def test_two_submissions_of_one_program_at_once_are_one_version(database: Database) -> None:
    found: list[SubmissionResult] = []
    both = threading.Barrier(2)

    def work() -> None:
        both.wait()
        found.append(submit(database, TROTTER))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(added.new for added in found) == [False, True]
    assert {added.version for added in found} == {"Trotter@1"}
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(models.Version)) == 1

"""Suspended bots, with the reason and the time."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, repeat
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.pairing.suspension import FAILINGS, Reporter
from ladder.results.summary import summarise
from ladder.store import models
from ladder.store.commands.results import record_summary
from ladder.store.commands.suspending import lone_reporters, resume_due, resume_entries, suspend_entries, suspend_lost
from referee.records.recorded import BadRecord
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, enter_version, lease, played, queue, summary_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ladder.store.database import Database

__all__ = ["backend"]

HOUR = 3600.0
SINNER = 2


@pytest.fixture
def versions(database: Database) -> list[int]:
    with database.write() as session:
        return [enter(session, name) for name in ("Trotter", "Snout", "Truffle", "Bristle")]


BARN, STY = Reporter("barn", is_alone=False), Reporter("sty", is_alone=False)


def play(
    database: Database,
    versions: list[int],
    results: str,
    now: float = NOW,
    variant: str = "hearts",
    reporters: Iterable[Reporter | None] = repeat(None),
) -> list[int]:
    """
    Play matches, one after the other, and give their ids.

    Truffle fails those marked x, and takes its seat at no table of those marked a.
    """
    ids = []
    for each, reporter in zip(results, reporters, strict=False):
        with database.write() as session:
            match = queue(session, versions, variant)
            attempt = lease(session, match)
            summary = summary_of(variant, sinner=None if each == "." else SINNER)
            bots = [replace(bot, never_came=each == "a" and bot.taken_over) for bot in summary.bots]
            summary = replace(summary, bots=tuple(bots))
            assert record_summary(session, match, attempt, summary, now, reporter=reporter)
        ids.append(match)
    return ids


def truffle(database: Database, versions: list[int], variant: str = "hearts") -> models.Rating:
    with database.read() as session:
        entry = session.get_one(models.Rating, (variant, versions[SINNER]))
        session.expunge(entry)
        return entry


def changes(database: Database) -> list[tuple[str, str, float]]:
    with database.read() as session:
        found = session.scalars(select(models.StateChange).order_by(models.StateChange.id))
        return [(change.state, change.by, change.at) for change in found]


@IN_BOTH
def test_three_failed_matches_in_a_row_suspend_a_bot_and_say_which(database: Database, versions: list[int]) -> None:
    play(database, versions, "x.xx")
    assert truffle(database, versions).state == "active"
    now = play(database, versions, "x", NOW + 9)
    assert now == [5]
    entry = truffle(database, versions)
    assert (entry.state, entry.since, entry.recent, entry.suspensions) == ("suspended", NOW + 9, "", 1)
    assert "3 matches in a row (3, 4, 5), " in entry.reason
    assert f"{FAILINGS['malformed']}; " in entry.reason
    assert entry.reason.endswith("after 1 hour.")
    assert changes(database) == [("suspended", "ladder", NOW + 9)]
    with database.read() as session:
        others = session.scalars(select(models.Rating).where(models.Rating.version_id != versions[SINNER]))
        assert {(other.state, other.recent) for other in others} == {("active", ".....")}


@IN_BOTH
def test_a_suspension_names_no_match_of_an_event(database: Database, versions: list[int]) -> None:
    with database.write() as session:
        match = queue(session, versions)
        lease(session, match)
        session.get_one(models.StoredMatch, match).status = models.Status.DONE  # without a place among the results
        session.get_one(models.StoredSeat, (match, SINNER)).taken_over = True
    ids = play(database, versions, "xxx")
    assert f"({', '.join(map(str, ids))}), mostly by {FAILINGS['malformed']}" in truffle(database, versions).reason


def test_more_than_a_tenth_of_the_last_fifty_suspend_a_bot(database: Database, versions: list[int]) -> None:
    ids = play(database, versions, "x.x.x.x.x.")
    assert truffle(database, versions).state == "active"
    ids += play(database, versions, "x")
    assert f"6 of its last 11 matches ({', '.join(map(str, ids[::2]))}), " in truffle(database, versions).reason


@IN_BOTH
def test_one_match_without_a_start_suspends_a_bot(database: Database, versions: list[int]) -> None:
    play(database, versions, ".a")
    entry = truffle(database, versions)
    assert (entry.state, entry.suspensions) == ("suspended", 1)
    assert "at no table (match 2); " in entry.reason
    assert entry.reason.endswith("after 1 hour.")


@IN_BOTH
def test_of_several_workers_two_must_have_seen_that_it_does_not_start(database: Database, versions: list[int]) -> None:
    play(database, versions, "aaaa", reporters=repeat(BARN))
    assert truffle(database, versions).state == "active"
    play(database, versions, "a", reporters=[STY])
    assert truffle(database, versions).state == "suspended"


@IN_BOTH
def test_one_worker_of_several_suspends_no_bot_by_its_word(database: Database, versions: list[int]) -> None:
    ids = play(database, versions, "x" * 20, reporters=repeat(BARN))
    assert truffle(database, versions).state == "active"
    play(database, versions, ".", reporters=[STY])
    ids += play(database, versions, "x", reporters=[STY])
    assert truffle(database, versions).state == "active", "of the first worker only as many count as of the other"
    with database.read() as session:
        workers = session.scalars(select(models.StoredMatch.worker).where(models.StoredMatch.id.in_([ids[0], ids[-1]])))
        assert set(workers) == {"barn", "sty"}


@IN_BOTH
def test_what_two_workers_report_suspends_a_bot(database: Database, versions: list[int]) -> None:
    play(database, versions, "xxx", reporters=[BARN, STY, BARN])
    assert truffle(database, versions).state == "active", "two of them are believed"
    play(database, versions, "x", reporters=[STY])
    entry = truffle(database, versions)
    assert entry.state == "suspended"
    assert "4 matches in a row (1, 2, 3, 4), " in entry.reason


def test_far_apart_they_do_so_too(database: Database, versions: list[int]) -> None:
    play(database, versions, "x.x.x.x.x.", reporters=cycle([BARN, BARN, STY, STY]))
    assert truffle(database, versions).state == "active"
    play(database, versions, "x.", reporters=repeat(STY))
    assert truffle(database, versions).state == "suspended"
    assert "6 of its last 11 matches" in truffle(database, versions).reason


@pytest.mark.parametrize("reporter", [None, Reporter("barn", is_alone=True)])
def test_the_word_of_the_ladders_own_machine_or_of_the_only_worker_counts(
    database: Database, versions: list[int], reporter: Reporter | None
) -> None:
    play(database, versions, "xxx", reporters=repeat(reporter))
    assert truffle(database, versions).state == "suspended"


def test_a_bot_that_only_one_worker_reports_goes_to_another_one(database: Database, versions: list[int]) -> None:
    def avoided() -> tuple[str, ...]:
        with database.write() as session:
            return lone_reporters(session, queue(session, versions))

    assert avoided() == ()
    play(database, versions, "..x", reporters=repeat(BARN))
    assert avoided() == ("barn",)
    play(database, versions, "x", reporters=[STY])
    assert avoided() == ()
    play(database, versions, "x", reporters=[STY])
    assert avoided() == ("sty",)


def test_losing_suspends_nobody(database: Database, versions: list[int]) -> None:
    play(database, versions, "." * 60)
    with database.read() as session:
        entries = session.scalars(select(models.Rating)).all()
        assert {(entry.state, entry.recent) for entry in entries} == {("active", "." * 50)}
        assert min(entry.rating for entry in entries) < 1400
    assert changes(database) == []


def test_a_match_that_was_void_does_not_count(database: Database, versions: list[int]) -> None:
    play(database, versions, "xx")
    before = truffle(database, versions)
    for _ in range(3):  # it was taken over, then the platform failed: there is no last line
        with database.write() as session:
            attempt = lease(session, match := queue(session, versions))
            with pytest.raises(BadRecord):
                record_summary(session, match, attempt, summarise(played(sinner=SINNER)[:-1]), NOW)
    entry = truffle(database, versions)
    assert (entry.state, entry.recent, entry.takeovers) == ("active", "xx", before.takeovers)


def test_a_bot_comes_back_when_its_time_is_over_and_starts_with_an_empty_window(
    database: Database, versions: list[int]
) -> None:
    play(database, versions, "..xxx")
    with database.write() as session:
        assert resume_due(session, NOW + HOUR - 1) == []
    assert truffle(database, versions).state == "suspended"
    with database.write() as session:
        assert [entry.version_id for entry in resume_due(session, NOW + HOUR)] == [versions[SINNER]]
        assert resume_due(session, NOW + HOUR) == []
    entry = truffle(database, versions)
    assert (entry.state, entry.reason, entry.recent, entry.since) == ("active", "", "", NOW + HOUR)
    assert changes(database)[1:] == [("active", "ladder", NOW + HOUR)]
    play(database, versions, "xx", NOW + HOUR)
    assert truffle(database, versions).state == "active"


def test_each_further_suspension_takes_twice_as_long(database: Database, versions: list[int]) -> None:
    now = NOW
    for hours in (1, 2, 4):
        play(database, versions, "xxx", now)
        with database.write() as session:
            assert resume_due(session, now + hours * HOUR - 1) == []
            now += hours * HOUR
            assert len(resume_due(session, now)) == 1
    assert truffle(database, versions).suspensions == 3
    ids = play(database, versions, "xxx", now)
    reason = truffle(database, versions).reason
    assert f"({', '.join(map(str, ids))})" in reason  # not those from before its return
    assert "8 hours" in reason


@IN_BOTH
def test_a_missing_program_is_tried_again_after_an_hour_after_any_number_of_suspensions(
    database: Database, versions: list[int]
) -> None:
    with database.write() as session:
        session.get_one(models.Rating, ("hearts", versions[SINNER])).suspensions = 8
        identity = session.get_one(models.Version, versions[SINNER]).identity
        assert len(suspend_lost(session, identity, "Its image is gone.", NOW)) == 1
        assert resume_due(session, NOW + HOUR - 1) == []
        assert len(resume_due(session, NOW + HOUR)) == 1
    assert (truffle(database, versions).state, truffle(database, versions).suspensions) == ("active", 8)


def test_fifty_clean_matches_after_the_return_set_the_count_back(database: Database, versions: list[int]) -> None:
    play(database, versions, "xxx")
    with database.write() as session:
        resume_due(session, NOW + HOUR)
    play(database, versions, "." * 49, NOW + HOUR)
    assert truffle(database, versions).suspensions == 1
    play(database, versions, ".", NOW + HOUR)
    assert truffle(database, versions).suspensions == 0


def test_results_that_come_while_it_is_suspended_are_not_held_against_it(
    database: Database, versions: list[int]
) -> None:
    play(database, versions, "xxxxxx")
    entry = truffle(database, versions)
    assert (entry.suspensions, entry.recent, entry.takeovers, entry.matches) == (1, "", 6, 6)
    assert len(changes(database)) == 1


def test_a_bot_that_holds_both_chairs_fails_a_match_once(database: Database) -> None:
    variant = "gongzhu-partners"
    with database.write() as session:
        one, two = (enter(session, name, variant) for name in ("Trotter", "Snout"))
    play(database, [two, one, two, one], "xx", variant=variant)
    with database.read() as session:
        assert session.get_one(models.Rating, (variant, two)).recent == "xx"
        assert session.get_one(models.Rating, (variant, one)).recent == ".."
    ids = play(database, [two, one, two, one], "x", variant=variant)
    with database.read() as session:
        reason = session.get_one(models.Rating, (variant, two)).reason
    assert f"({ids[0] - 2}, {ids[0] - 1}, {ids[0]})" in reason


def test_a_bot_is_suspended_where_it_fails_and_a_new_version_starts_clean(
    database: Database, versions: list[int]
) -> None:
    with database.write() as session:
        for version in versions:
            enter_version(session, version, "gongzhu")
    play(database, versions, "xxx", variant="gongzhu")
    assert truffle(database, versions, "gongzhu").state == "suspended"
    assert truffle(database, versions).state == "active"
    with database.write() as session:
        new = enter(session, "Truffle", "gongzhu")
    play(database, [*versions[:SINNER], new, *versions[SINNER + 1 :]], "xx", variant="gongzhu")
    with database.read() as session:
        entry = session.get_one(models.Rating, ("gongzhu", new))
        assert (entry.state, entry.recent, entry.suspensions) == ("active", "xx", 0)


def version_of(database: Database, versions: list[int]) -> models.Version:
    with database.read() as session:
        version = session.get_one(models.Version, versions[SINNER])
        session.expunge(version)
        return version


@IN_BOTH
def test_whom_the_organiser_suspends_stays_there_until_he_says_so(database: Database, versions: list[int]) -> None:
    version = version_of(database, versions)
    with database.write() as session:
        assert suspend_entries(session, version, None, "It is noisy.", NOW) == ["hearts"]
    entry = truffle(database, versions)
    assert (entry.state, entry.reason, entry.suspensions) == ("suspended", "It is noisy.", 0)
    with database.write() as session:
        assert resume_due(session, NOW + 1000 * HOUR) == []
        assert resume_entries(session, version, "hearts", NOW + 7) == ["hearts"]
    assert truffle(database, versions).state == "active"
    assert changes(database) == [("suspended", "organiser", NOW), ("active", "organiser", NOW + 7)]


@IN_BOTH
def test_the_organiser_may_keep_suspended_whom_the_ladder_suspended_or_let_it_play(
    database: Database, versions: list[int]
) -> None:
    version = version_of(database, versions)
    play(database, versions, "xxx")
    with database.write() as session:
        suspend_entries(session, version, "hearts", "Its owner is to mend it first.", NOW)
        assert resume_due(session, NOW + 1000 * HOUR) == []
        resume_entries(session, version, None, NOW)
    play(database, versions, "xxx")
    entry = truffle(database, versions)
    assert (entry.state, entry.suspensions) == ("suspended", 2)


def test_a_retired_version_does_not_come_back_when_suspensions_end(database: Database, versions: list[int]) -> None:
    play(database, versions, "xxx")
    with database.write() as session:
        session.get_one(models.Rating, ("hearts", versions[SINNER])).state = models.State.RETIRED
    with database.write() as session:
        assert resume_due(session, NOW + 1000 * HOUR) == []


@IN_BOTH
def test_a_clock_that_is_set_back_takes_no_match_out_of_the_reason(database: Database, versions: list[int]) -> None:
    play(database, versions, "xx")
    play(database, versions, "x", NOW - HOUR)
    with database.write() as session:
        assert resume_due(session, NOW + 2 * HOUR)
    play(database, versions, "xxx", NOW)
    reason = truffle(database, versions).reason
    assert "3 matches in a row (4, 5, 6), " in reason

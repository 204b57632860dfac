"""Matches in the order of time: those that two versions have in common, and a bot's rating curve."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, permutations
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, select

from ladder.ratings.means import Mean
from ladder.results import standing
from ladder.results.standing import MAX_POINTS, step_of
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.results import PAIR_SUMS, add_pair_result, record_summary
from ladder.store.lookup import find_stored_bot, find_variant
from ladder.store.queries.matches import common_matches, common_variants, newest_ordinals, pair_sums
from ladder.store.queries.rating_curve import TOP_POINTS, rating_curve, top_curves
from ladder.store.queries.standings import standings
from pigpen.rules import PRESETS
from tests.ladder import ladders, shown
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.store.database import Database
    from ladder.values.standings import RatingCurve

__all__ = ["backend"]


def test_sums_agree_with_the_boards_of_the_matches_in_which_both_sat(database: Database) -> None:
    with database.write() as session:
        versions = [*shown.a_ladder(session, matches=12).values()]
        for one, two in permutations(versions[:3], 2):
            matches = common_matches(session, "gongzhu", one, two, 100)
            sums = pair_sums(session, "gongzhu", one, two)
            by_version = [{seat.version_id: seat for seat in match.seats} for match in matches]
            assert all({one, two} <= set(seats) for seats in by_version)
            differences = [
                own - other
                for seats in by_version
                for own, other in zip(seats[one].board_points or (), seats[two].board_points or (), strict=True)
            ]
            assert (sums.matches, sums.boards) == (len(matches), len(differences))
            assert Mean.of_sums(sums.boards, sums.points, sums.squares) == pytest.approx(Mean.of(differences))
            assert sums.board_score == sum(1 if each > 0 else 0.5 if each == 0 else 0 for each in differences)
            turned = pair_sums(session, "gongzhu", two, one)
            assert turned.score + sums.score == sums.matches


def test_the_newest_come_first_and_no_more_than_wanted(database: Database) -> None:
    with database.write() as session:
        one, two, *_ = shown.a_ladder(session, matches=12).values()
        found = [match.id for match in common_matches(session, "gongzhu", one, two, 100)]
        assert found == sorted(found, reverse=True)
        assert [match.id for match in common_matches(session, "gongzhu", two, one, 2)] == found[:2]


def test_variants_are_those_in_which_they_have_met_and_matches_that_wait_are_none(database: Database) -> None:
    with database.write() as session:
        one, two, *others = shown.a_ladder(session, matches=6).values()
        stranger = ladders.enter(session, "Stranger", "gongzhu")
        ladders.queue(session, [stranger, one, *others[:2]], "gongzhu")
        assert common_variants(session, one, two) == ["gongzhu"]
        assert common_variants(session, one, stranger) == []
        assert common_matches(session, "gongzhu", one, stranger, 10) == []
        assert pair_sums(session, "gongzhu", one, stranger) == (0, 0.0, 0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("variant", ["hearts", "gongzhu-partners"])
def test_what_is_kept_of_pairs_is_what_their_matches_give_after_any_history(database: Database, variant: str) -> None:
    """Matches are recorded in another order than they were queued in; some are void first, some have no result yet."""
    rng = Random(variant)
    sides = [(0, 2), (1, 3)] if PRESETS[variant].partners else [(0,), (1,), (2,), (3,)]
    together: dict[tuple[int, int], list[int]] = defaultdict(list)
    with database.write() as session:
        bots = [ladders.enter(session, f"Pig{number}", variant) for number in range(7)]
        waiting = []
        for number in range(30):
            seated = rng.sample(bots, 2) * 2 if number % 3 == 0 and len(sides) == 2 else rng.sample(bots, 4)
            waiting.append((ladders.queue(session, seated, variant, str(number % 4)), seated, str(number % 4)))
        rng.shuffle(waiting)
        for match, seated, seed in waiting[:-4]:
            attempt = ladders.lease(session, match)
            if rng.random() < 0.3:  # it was void, and is played again; what comes of it late counts no more
                again = ladders.lease(session, match)
                assert record_summary(session, match, attempt, shown.summary_of(variant, seed), ladders.NOW) is None
                attempt = again
            assert record_summary(session, match, attempt, shown.summary_of(variant, seed), ladders.NOW)
            met = {
                frozenset((seated[own], seated[other]))
                for side, opposite in permutations(sides, 2) for own in side for other in opposite
            }  # fmt: skip
            for one, two in map(sorted, met):
                together[one, two].insert(0, match)
        for one, two in combinations(bots, 2):
            for pair in ((one, two), (two, one)):
                assert [each.id for each in common_matches(session, variant, *pair, 40)] == together[one, two]
                assert [each.id for each in common_matches(session, variant, *pair, 2)] == together[one, two][:2]
                assert pair_sums(session, variant, *pair).matches == len(together[one, two])
    assert max(map(len, together.values())) > 2


@pytest.mark.parametrize("last", [120, 99_999_999_999])
def test_forty_matches_of_each_length_are_kept_however_large_their_numbers(database: Database, last: int) -> None:
    with database.write() as session:
        one, two = (ladders.enter(session, name) for name in ("Trotter", "Snout"))
        connection = session.connection()
        for ordinal in range(last - 99, last + 1):
            of_match = {"variant": "hearts", "a": one, "b": two, "boards": ordinal % 2, "newest": f"{ordinal},"}
            row = {**of_match, **dict.fromkeys(PAIR_SUMS, 0)}
            connection.execute(add_pair_result(connection.dialect.name), row)
        kept = newest_ordinals(session, "hearts", two, one)
        assert kept[:80] == [*range(last, last - 80, -1)]
        assert kept == sorted(kept, reverse=True)
        assert {*kept} <= {*range(last - 99, last + 1)}


@pytest.mark.sqlite
def test_the_work_does_not_grow_with_the_matches_that_either_bot_has_without_the_other(database: Database) -> None:
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    def looked() -> int:
        """The instructions of SQLite that it takes."""
        nonlocal steps
        steps = 0
        driver.set_progress_handler(step, 1)
        (match,) = common_matches(session, "hearts", versions[0], versions[1], 40)
        driver.set_progress_handler(None, 1)
        assert {seat.version_id for seat in match.seats} == {*versions[:4]}
        return steps

    with database.write() as session:
        versions = [ladders.enter(session, f"Pig{number}") for number in range(8)]
        shown.play(session, versions[:4], "hearts", 0)
        driver: Any = session.connection().connection.driver_connection
        before = looked()
        for number in range(20):
            shown.play(session, [versions[number % 2], *versions[4:7]], "hearts", number)
        assert 0 < before <= looked() < before + 20


MUD = "Mud"


def curve(session: Session, variant: str = "gongzhu", max_points: int = MAX_POINTS) -> RatingCurve:
    return rating_curve(session, find_stored_bot(session, MUD), find_variant(session, variant), max_points)


def test_a_curve_has_each_match_and_ends_with_the_rating_of_today(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session)
        found = curve(session)
        matches = session.get_one(models.Rating, ("gongzhu", versions[MUD])).matches
        (row,) = (row for row in standings(session, find_variant(session, "gongzhu")).standings if row.bot == MUD)
    assert [point.matches for point in found.points] == list(range(1, matches + 1))
    assert found.points[-1].elo == pytest.approx(row.elo)
    assert [point.finished for point in found.points] == sorted(point.finished for point in found.points)


def test_of_many_matches_some_are_chosen_evenly_and_always_the_last(database: Database) -> None:
    with database.write() as session:
        shown.a_ladder(session)
        whole = curve(session).points
        few = curve(session, max_points=5).points
    step = step_of([len(whole)], 5)
    assert step > 1
    assert few == tuple(sorted({*whole[::step], whole[-1]}, key=whole.index))
    assert 3 <= len(few) <= 6


def test_all_versions_of_a_bot_are_on_one_curve(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=8)
        others = [version for bot, version in versions.items() if bot != MUD][:3]
        newer = ladders.enter(session, MUD, "gongzhu")
        for number in (8, 9):
            shown.play(session, [newer, *others], "gongzhu", number)
        found = curve(session)
    assert [(point.version, point.matches) for point in found.points][-2:] == [(2, 1), (2, 2)]
    assert {point.version for point in found.points} == {1, 2}


@IN_BOTH
def test_other_variants_and_matches_without_a_result_are_left_out(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=8)
        before = curve(session)
        for version in versions.values():
            ladders.enter_version(session, version, "hearts")
        four = [*versions.values()][-4:]
        shown.play(session, four, "hearts", 1)
        ladders.queue(session, four, "gongzhu")
        assert curve(session) == before
        assert len(curve(session, "hearts").points) == 1


def test_partners_of_one_version_are_one_point(database: Database) -> None:
    with database.write() as session:
        shown.a_ladder(session, "gongzhu-partners", matches=10)
        found = curve(session, "gongzhu-partners")
    assert len({point.match for point in found.points}) == len(found.points) > 0


@IN_BOTH
def test_a_bot_without_a_match_has_no_point(database: Database) -> None:
    with database.write() as session:
        ladders.enter(session, MUD, "gongzhu")
        assert curve(session).points == ()


@IN_BOTH
def test_no_more_points_are_kept_than_are_shown_and_those_evenly(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing.step_of, "__defaults__", (4,))
    with database.write() as session:
        versions = shown.a_ladder(session, matches=40)
        kept = session.execute(select(models.RatingPoint.version_id, models.RatingPoint.matches)).all()
        matches = session.get_one(models.Rating, ("gongzhu", versions[MUD])).matches
    step = step_of([matches])
    assert step > 2
    assert sorted(place for version, place in kept if version == versions[MUD]) == list(range(1, matches + 1, step))


@pytest.mark.sqlite
def test_only_the_points_of_the_bot_are_read_of_sqlite(tmp_path: Path) -> None:
    """Although it knows nothing of the sizes of the tables."""
    database = open_ladder(load_settings(data_dir=tmp_path), create=True)
    asked: list[tuple[str, Any]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *found: asked.append((found[2], found[3])))
    with database.write() as session:
        shown.a_ladder(session, matches=10)
        asked.clear()
        curve(session, max_points=2)
        plans = [
            row[3]
            for text, values in tuple(asked)
            if "rating_points" in text or "seats" in text
            for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)
        ]
    database.close()
    assert [plan for plan in plans if "rating_points" in plan]
    assert [plan for plan in plans if "seats" in plan]
    assert not [plan for plan in plans if plan.startswith("SCAN") or "ix_matches_variant" in plan]


def test_the_curves_of_the_best_are_those_of_each_bot(database: Database) -> None:
    with database.write() as session:
        shown.a_ladder(session)
        ladders.enter(session, "Newcomer", "gongzhu", rating=3000.0)
        rows = standings(session, find_variant(session, "gongzhu")).standings
        found = top_curves(session, "gongzhu", 4)
        assert [each.bot for each in found] == [row.bot for row in rows if row.matches][:3], "a newcomer has no curve"
        for each in found:
            bot = find_stored_bot(session, each.bot)
            assert each == rating_curve(session, bot, find_variant(session, "gongzhu"), TOP_POINTS)

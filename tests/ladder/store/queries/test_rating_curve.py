"""Rating curve of a bot, read from real ladders in both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, select

from ladder.results import standing
from ladder.results.standing import MAX_POINTS, step_of
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.opening import open_ladder
from ladder.store.names import find_stored_bot, find_variant
from ladder.store.queries.rating_curve import TOP_POINTS, rating_curve, top_curves
from ladder.store.queries.standings import standings
from tests.ladder import ladders, shown
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.store.database import Database
    from ladder.values.standings import RatingCurve

__all__ = ["backend"]

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

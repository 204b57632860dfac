"""News of bots, and the results of an owner's bots since a visit, read from ladders in both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, select

from ladder.entry.house_bots import HOUSE_BOTS
from ladder.results.standing import MAX_POINTS
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.entries import settle_house_bots
from ladder.store.commands.opening import open_ladder
from ladder.store.queries.whats_new import bot_news, own_news
from ladder.values.value import time_of
from tests.ladder import shown
from tests.ladder.ladders import NOW, enter
from tests.ladder.store.submitted import BETTER, TROTTER, submit

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.store.database import Database

MUD, OWNER = "Mud", shown.OWNERS["Mud"]
DAY = 24 * 3600.0


def results(session: Session, version: int) -> list[Any]:
    """The ordinal of each result of a version, and its rating afterwards."""
    seats, matches = models.StoredSeat, models.StoredMatch
    wanted = (
        select(matches.ordinal, seats.rating_after)
        .join(matches, matches.id == seats.match_id)
        .where(seats.version_id == version)
        .distinct()
        .order_by(matches.ordinal)
    )
    return list(session.execute(wanted))


def test_an_entry_in_one_more_variant_is_news_of_its_day(database: Database) -> None:
    submit(database, TROTTER, "gongzhu", now=DAY)
    submit(database, replace(BETTER, bot="Snout"), "gongzhu", now=20 * DAY)
    submit(database, TROTTER, "hearts", now=40 * DAY)
    with database.read() as session:
        (found,) = bot_news(session, 1, since=39 * DAY)
        assert (found.bot, found.variant, found.state, found.at) == ("Trotter", "hearts", "entered", time_of(40 * DAY))
        assert bot_news(session, 1) == [found]
        assert [(each.bot, each.variant) for each in bot_news(session, 9)] == [
            ("Trotter", "hearts"), ("Snout", "gongzhu"), ("Trotter", "gongzhu"),
        ]  # fmt: skip


def test_a_house_bot_that_plays_in_one_more_variant_is_news_of_that_day(database: Database) -> None:
    with database.write() as session:
        for name in HOUSE_BOTS:
            enter(session, name, "gongzhu", owner=name)
        enter(session, "Trotter", "hearts")
        settle_house_bots(session, True, NOW + 40 * DAY)
        found = [each for each in bot_news(session, 9, since=NOW + 39 * DAY) if each.state == "entered"]
        assert {(each.variant, each.at) for each in found} == {("hearts", time_of(NOW + 40 * DAY))}
        assert {each.bot for each in found} == HOUSE_BOTS.keys()


@pytest.mark.parametrize("variant", ["gongzhu", "gongzhu-partners"])
def test_the_change_of_a_bot_of_many_matches_is_that_since_the_last_result_before_the_visit(
    database: Database, variant: str
) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, variant, matches=20)
        others = [version for bot, version in versions.items() if bot != MUD]
        four = [versions[MUD], others[0]] * 2 if variant.endswith("partners") else [versions[MUD], *others[:3]]
        for number in range(MAX_POINTS):
            shown.play(session, four, variant, number)
        mine = results(session, versions[MUD])
        assert len(mine) > MAX_POINTS
        now = mine[-1].rating_after
        for count in (1, 2, 7, len(mine) - 2, len(mine) - 1):
            (found,) = own_news(session, OWNER, mine[count - 1].ordinal)
            assert found.matches == len(mine) - count
            assert found.change == pytest.approx(now - mine[count - 1].rating_after, abs=1e-9)
        assert own_news(session, OWNER, mine[-1].ordinal) == []
        assert own_news(session, OWNER, mine[0].ordinal - 1) == [], "it had not played yet"


@pytest.mark.sqlite
def test_only_seats_of_the_bot_are_read_of_sqlite(tmp_path: Path) -> None:
    """Although it knows nothing of the sizes of the tables."""
    database = open_ladder(load_settings(data_dir=tmp_path), create=True)
    asked: list[tuple[str, Any]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *found: asked.append((found[2], found[3])))
    with database.write() as session:
        shown.a_ladder(session, matches=10)
        asked.clear()
        assert own_news(session, OWNER, 5)
        plans = [
            row[3]
            for text, values in tuple(asked)
            if "seats" in text
            for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)
        ]
    database.close()
    assert [plan for plan in plans if "ix_seats_version_matches" in plan]
    assert not [plan for plan in plans if plan.startswith("SCAN") or "ix_matches_variant" in plan], plans

"""Counts, news and people, read from real ladders in both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, select

from ladder.app.ladder import Ladder
from ladder.entry.house_bots import HOUSE_BOTS
from ladder.people.tables.table_opening import open_table
from ladder.results.standing import MAX_POINTS
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands import computations
from ladder.store.commands.entries import settle_house_bots
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.people_tables import finish_table
from ladder.store.leases import Lease
from ladder.store.queries.overview import counts, oldest_computation
from ladder.store.queries.people_tables import (
    accounts_at,
    count_people,
    first_of,
    opened_first,
    people_at,
    table_by_name,
)
from ladder.store.queries.variant_field import revision
from ladder.store.queries.whats_new import bot_news, own_news
from ladder.values.people import TableOrder, TablePurpose, TableStatus, TableVisitor
from ladder.values.standings import LadderCounts
from ladder.values.value import time_of
from pigpen.rules import seed_from
from pigpen.rules.shuffle import commitment
from tests.ladder import ladders, shown
from tests.ladder.ladders import NOW, enter
from tests.ladder.store.submitted import BETTER, TROTTER, submit

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.store.database import Database

NOTHING = {"queued": 0, "leased": 0, "done": 0, "quarantined": 0}
NO_TABLES = dict.fromkeys(("waiting", "ready", "playing", "paused", "over", "ended"), 0)
NO_SUBMISSIONS = dict.fromkeys(("queued", "leased", "entered", "refused", "failed", "withdrawn"), 0)


def fail(session: Session, match: int, failures: int, status: models.Status) -> None:
    found = session.get_one(models.StoredMatch, match)
    found.failures, found.status = failures, status
    session.flush()


def test_an_empty_ladder_has_nothing(database: Database) -> None:
    with database.read() as session:
        assert counts(session) == LadderCounts(
            matches=NOTHING,
            bots={},
            failures=0,
            decisions=0,
            faults=0,
            submissions=NO_SUBMISSIONS,
            tables=NO_TABLES,
            computations={"queued": 0, "leased": 0},
        )


def test_questions_of_visitors_are_counted_until_they_are_answered(database: Database) -> None:
    def ask(state: str, now: float) -> None:
        for kind in ("first", "second"):
            computations.ask(session, computations.NewQuestion(kind, "short", {}, state, kind), now)

    with database.write() as session:
        ask("before", 100.0)
        assert (counts(session).computations, oldest_computation(session)) == ({"queued": 2, "leased": 0}, 100.0)
        for waiting in (1, 0):
            lease = computations.claim(session, "short", "me", 110.0, 60.0)
            assert lease is not None
            assert counts(session).computations == {"queued": waiting, "leased": 1}
            computations.finish(session, lease, "42", 120.0)
        assert (counts(session).computations, oldest_computation(session)) == ({"queued": 0, "leased": 0}, None)
        ask("after", 500.0)  # about another state of things: each is put again
        assert (counts(session).computations, oldest_computation(session)) == ({"queued": 2, "leased": 0}, 500.0)


def test_matches_are_counted_by_status_and_entries_by_state(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=3)
        shown.suspend(session, versions["Mud"], "too many faults")
        four = [*versions.values()][:4]
        waiting, running, given_up = (ladders.queue(session, four, "gongzhu") for _ in range(3))
        ladders.lease(session, running)
        fail(session, waiting, 2, models.Status.QUEUED)
        fail(session, given_up, 5, models.Status.QUARANTINED)
        found = counts(session)
        kept = session.execute(select(models.Rating.decisions, models.Rating.faults)).all()
    assert found.matches == {"queued": 1, "leased": 1, "done": 3, "quarantined": 1}
    assert found.bots == {"active": 4, "suspended": 1}
    assert found.failures == 2
    assert (found.decisions, found.faults) == tuple(map(sum, zip(*kept, strict=True)))
    assert found.decisions > 3 * 52


def test_the_revision_changes_with_everything_that_a_page_shows(database: Database) -> None:
    with database.write() as session:
        seen = [revision(session)]
        versions = shown.a_ladder(session, matches=2)
        seen.append(revision(session))
        four = [*versions.values()][:4]
        match = ladders.queue(session, four, "gongzhu")
        seen.append(revision(session))
        ladders.lease(session, match)
        seen.append(revision(session))
        shown.play(session, four, "gongzhu", 3)
        seen.append(revision(session))
        shown.suspend(session, versions["Mud"], "too many faults")
        seen.append(revision(session))
        session.add(models.StoredEstimate(variant="gongzhu", ordinal=3, fit=b""))
        seen.append(revision(session))
        ladders.enter(session, "Mud", "gongzhu")
        seen.append(revision(session))
        assert revision(session) == seen[-1]
    assert len(set(seen)) == len(seen)


def test_only_tables_that_are_over_and_have_these_cards_count(settings: Settings, database: Database) -> None:
    ladder, seed = Ladder(settings, database), seed_from("board")
    wanted = commitment(seed)
    for number, (board, cards, ends) in enumerate(
        [("17/3/1/2", seed, True), ("17/3/0/2", seed, True), ("17/3/1/0", seed, True), ("17/30/1/2", seed, True),
         ("17/3/1/2", seed_from("other"), True), ("17/3/1/2", seed, False)]
    ):  # fmt: skip
        who = TableVisitor(guest=str(number), shown=f"P{number}")
        order = TableOrder(variant="hearts", format="board:3:1", purpose=TablePurpose.BOARD, board=board)
        name = open_table(ladder, order, who, cards).name
        with database.write() as session:
            row = table_by_name(session, name)
            assert row is not None
            if ends:
                row.status, row.attempt = TableStatus.PLAYING, 1
                assert finish_table(session, Lease(row.id, 1), [number, 0, 0, 0], [1, 1, 1, 1], 1.0)
    with database.read() as session:
        found = people_at(session, "17/3/%/2", wanted, 10)
        assert [(chair.name, chair.points, table.board) for table, chair in found] == [
            ("P0", 0, "17/3/1/2"), ("P1", 1, "17/3/0/2")
        ]  # fmt: skip
        assert len(people_at(session, "17/3/%/2", wanted, 1)) == 1
        assert count_people(session, "17/3/1/2", wanted) == 1


def test_people_come_in_the_order_in_which_they_finished_and_the_latest_accounts_first(
    settings: Settings, database: Database
) -> None:
    ladder, seed = Ladder(settings, database), seed_from("board")
    for name, ended in (("ada", 3.0), ("ben", 1.0), ("cora", 2.0)):
        order = TableOrder(variant="hearts", format="board:3:1", purpose=TablePurpose.BOARD, board="17/3/1/2")
        opened = open_table(ladder, order, TableVisitor(account=name), seed)
        with database.write() as session:
            row = table_by_name(session, opened.name)
            assert row is not None
            row.status, row.attempt = TableStatus.PLAYING, 1
            assert finish_table(session, Lease(row.id, 1), [0, 0, 0, 0], [1, 1, 1, 1], ended)
    with database.read() as session:
        found = people_at(session, "17/3/1/2", commitment(seed), 10)
        assert [chair.name for _, chair in found] == ["ben", "cora", "ada"]
        assert accounts_at(session, "17/3/1/2", commitment(seed), 2) == ["ada", "cora"]


def test_people_are_counted_and_not_their_tables(settings: Settings, database: Database) -> None:
    ladder, seed = Ladder(settings, database), seed_from("board")
    wanted, numbers = commitment(seed), []
    visitors = [TableVisitor("ada"), TableVisitor(guest="1", shown="Bo"), TableVisitor()]
    for who in (*visitors, *visitors):
        order = TableOrder(variant="hearts", format="board:3:1", purpose=TablePurpose.BOARD, board="17/3/1/2")
        name = open_table(ladder, order, who, seed).name
        with database.write() as session:
            row = table_by_name(session, name)
            assert row is not None
            numbers.append(row.id)
            row.status, row.attempt = TableStatus.PLAYING, 1
            assert finish_table(session, Lease(row.id, 1), [0, 0, 0, 0], [1, 1, 1, 1], 9.0 - len(numbers))
    with database.read() as session:
        assert count_people(session, "17/3/1/2", wanted) == 4, "on the ladder's machine nobody is known"
        assert opened_first(session, "17/3/0/1", wanted) == {*numbers[:3], numbers[5]}
        assert opened_first(session, "17/3/1/2", commitment(seed_from("other"))) == set()
        found = [first_of(session, "17/3/1/0", wanted, owner, "") for owner in ("ada", "ben", None)]
        assert [each and each.id for each in found] == [numbers[0], None, None]


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

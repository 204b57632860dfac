"""Pages of bots and matches, read from real ladders in both databases."""

from __future__ import annotations

import itertools
import random
import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import event, select

from ladder.ratings.batch import fit, pair_weight
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.commands.estimates import refresh
from ladder.store.commands.opening import open_ladder
from ladder.store.commands.results import record_summary
from ladder.store.lookup import find_match, find_variant, find_version
from ladder.store.queries.bot_page import EXAMPLES, bot_page, bots, faults_of
from ladder.store.queries.head_to_head import head_to_head
from ladder.store.queries.matches import explain, match_row, results, sides_of, unfinished
from ladder.store.queries.standings import neighbours, standings
from tests.ladder import ladders, shown
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.orm import Session

    from ladder.ratings.batch import Estimate
    from ladder.store.database import Database

__all__ = ["backend"]


def estimate(session: Session, variant: str) -> Estimate:
    """Fit what is there, as the runner does now and then, and keep it."""
    pairs = session.scalars(select(models.PairStats).where(models.PairStats.variant == variant)).all()
    versions = session.scalars(select(models.Rating.version_id).where(models.Rating.variant == variant)).all()
    a, b = (np.array([getattr(pair, name) for pair in pairs]) for name in ("a", "b"))
    score, n = (np.array([getattr(pair, name) for pair in pairs], dtype=float) for name in ("score", "n"))
    found = fit(versions, a, b, score, n, pair_weight(4))
    session.add(models.StoredEstimate(variant=variant, ordinal=1, fit=found.to_bytes()))
    session.flush()
    return found


def test_the_likelihood_of_superiority_is_that_of_the_batch_fit(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=20)
        assert {one.los for one in head_to_head(session, "gongzhu", versions["Mud"], 10)} == {None}
        fitted = estimate(session, "gongzhu")
        for mine in versions.values():
            found = {one.bot: one.los for one in head_to_head(session, "gongzhu", mine, 10)}
            wanted = {bot: fitted.los(mine, other) for bot, other in versions.items() if other != mine}
            assert found == pytest.approx(wanted, abs=1e-4)


@IN_BOTH
def test_a_newcomer_since_the_last_fit_has_no_likelihood_yet(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=6)
        estimate(session, "gongzhu")
        late = ladders.enter(session, "Late", "gongzhu")
        shown.play(session, [late, *[*versions.values()][:3]], "gongzhu", 0)
        assert {one.los for one in head_to_head(session, "gongzhu", late, 10)} == {None}


def test_scores_of_two_opponents_add_up_to_their_matches(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=20)
        tables = {bot: head_to_head(session, "gongzhu", version, 10) for bot, version in versions.items()}
        for bot, opponents in tables.items():
            assert len(opponents) == 4
            for one in opponents:
                (back,) = [other for other in tables[one.bot] if other.bot == bot]
                assert (one.score + back.score, one.matches) == (one.matches, back.matches)


@pytest.mark.sqlite
def test_no_page_goes_through_all_pairs_or_seats_of_sqlite(tmp_path: Path) -> None:
    """Although it knows nothing of the sizes of the tables."""
    database = open_ladder(load_settings(data_dir=tmp_path), create=True)
    asked: list[tuple[str, Any]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *found: asked.append((found[2], found[3])))
    with database.write() as session:
        versions = shown.a_ladder(session, matches=2)
    asked.clear()
    with database.read() as session:
        bot_page(session, find_version(session, "Mud"), 10)
        results(session, 5, "gongzhu", [versions["Mud"]])
        results(session, 5, None, [versions["Mud"]], before=2)
        unfinished(session, models.Status.QUEUED, 5, "gongzhu")
        head_to_head(session, "gongzhu", versions["Mud"], 10)
        questions = [(text, values) for text, values in asked if text.startswith("SELECT")]
        plans = [row[3] for text, values in questions
                 for row in session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)]  # fmt: skip
    large = [
        plan for plan in plans if any(name in plan.split() for name in ("pair_stats", "seats", "faults", "matches"))
    ]
    pairs = [plan for plan in large if "pair_stats" in plan]
    assert pairs
    assert not [plan for plan in pairs if "(variant=? AND a=? AND b=?)" not in plan]
    assert not [plan for plan in large if plan.startswith("SCAN")]


@pytest.mark.sqlite
def test_the_newest_results_of_many_versions_fit_in_the_parameters_of_a_statement(tmp_path: Path) -> None:
    """A database limits their number, and each version may have that number of results in each variant."""
    database = open_ladder(load_settings(data_dir=tmp_path), create=True)
    with database.write() as session:
        both = [shown.a_ladder(session, variant, matches=6) for variant in ("gongzhu", "hearts")]
        versions = [version for each in both for version in each.values()]
        connection = session.connection().connection.driver_connection
        assert isinstance(connection, sqlite3.Connection)
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 11)
        assert [row.id for row in results(session, 6, None, versions)] == [12, 11, 10, 9, 8, 7]
    database.close()


def test_active_opponents_nearest_in_rating_come_first(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=20)
        shown.suspend(session, versions["Mud"], "too many faults")
        found = head_to_head(session, "gongzhu", versions["Trotter"], 10)
        assert (found[-1].bot, found[-1].state) == ("Mud", "suspended")
        rating = {bot: session.get_one(models.Rating, ("gongzhu", version)).rating for bot, version in versions.items()}
        apart = [abs(rating[one.bot] - rating["Trotter"]) for one in found[:-1]]
        assert apart == sorted(apart)
        for limit in (1, 2, 10):
            assert head_to_head(session, "gongzhu", versions["Trotter"], limit, at_once=1) == found[:limit]


@pytest.mark.parametrize("variant", ["gongzhu", "gongzhu-partners"])
@IN_BOTH
def test_older_results_of_a_bot_are_those_before_an_ordinal(database: Database, variant: str) -> None:
    with database.write() as session:
        mine = shown.a_ladder(session, variant, matches=12)["Mud"]
        every = [row.id for row in results(session, 20, None, [mine])]
        assert len(every) > 3
        for before in range(1, 14):
            older = [row.id for row in results(session, 3, None, [mine], before=before)]
            assert older == [number for number in every if number < before][:3]


@IN_BOTH
def test_how_sure_a_part_of_the_order_is_says_what_the_whole_says(database: Database) -> None:
    with database.write() as session:
        shown.a_ladder(session, matches=12)
    refresh(database, "gongzhu")
    with database.read() as session:
        whole = standings(session, find_variant(session, "gongzhu")).standings
        every = neighbours(session, "gongzhu")
        assert list(every) == [(row.bot, row.version) for row in whole[:-1]]
        for skipped in range(5):
            there = {(row.bot, row.version) for row in whole[skipped : skipped + 2]}
            found = neighbours(session, "gongzhu", 2, skipped)
            assert found == {bot: likely for bot, likely in every.items() if bot in there}


@IN_BOTH
def test_a_bot_s_page_tells_of_versions_variants_faults_and_changes(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session)
        ladders.enter_version(session, versions["Mud"], "hearts")
        shown.suspend(session, versions["Mud"], "too many faults")
        page = bot_page(session, find_version(session, "Mud"), 3)
        sinner = session.scalars(select(models.StoredSeat).where(models.StoredSeat.taken_over.is_(True))).one()
        match, guilty = sinner.match_id, bot_page(session, session.get_one(models.Version, sinner.version_id), 3)
    assert [there.variant for there in page.variants] == ["gongzhu", "hearts"]
    assert [entry.state for entry in page.versions[0].entries] == ["suspended", "active"]
    assert [(change.state, change.reason) for change in page.changes] == [("suspended", "too many faults")]
    assert (page.variants[0].active, page.variants[1].active) == (4, 1)
    assert sum(page.variants[0].think_times["lead"]) == 12 * page.variants[0].standing.matches
    assert page.variants[1].think_times == {}
    (kind,) = guilty.faults
    assert (kind.verdict, kind.count, len(kind.newest)) == ("malformed", 12, EXAMPLES)
    assert {fault.match for fault in kind.newest} == {match}


@IN_BOTH
def test_a_bot_s_page_can_tell_of_an_older_version_and_of_one_variant(database: Database) -> None:
    with database.write() as session:
        ladders.enter(session, "Trotter", "hearts", state=models.State.RETIRED)
        newer = ladders.enter(session, "Trotter", "hearts")
        ladders.enter_version(session, newer, "gongzhu")
        old = bot_page(session, find_version(session, "Trotter@1"), 3)
        new = bot_page(session, find_version(session, "Trotter"), 3, "gongzhu")
    assert [version.number for version in old.versions] == [2, 1]
    assert (old.version, old.variants[0].standing.state, old.variants[0].standing.rank) == (1, "retired", None)
    assert [(there.variant, there.standing.rank) for there in new.variants] == [("gongzhu", 1)]


@IN_BOTH
def test_every_bot_is_listed_with_where_it_plays_and_why_it_does_not(database: Database) -> None:
    with database.write() as session:
        ladders.enter(session, "Trotter", "hearts", owner="ada", state=models.State.RETIRED)
        newer = ladders.enter(session, "Trotter", "hearts", owner="ada")
        ladders.enter_version(session, newer, "gongzhu", state=models.State.SUSPENDED)
        ladders.enter(session, "acorn", "hearts", state=models.State.RETIRED)
        found = bots(session)
    assert [(bot.bot, bot.owner, bot.newest) for bot in found] == [
        ("acorn", "owner of acorn", 1),
        ("Trotter", "ada", 2),
    ]
    assert [(entry.variant, entry.version, entry.state) for entry in found[1].entries] == [
        ("gongzhu", 2, "suspended"),
        ("hearts", 2, "active"),
    ]
    assert [(entry.version, entry.state) for entry in found[0].entries] == [(1, "retired")]


@IN_BOTH
def test_an_owner_s_bots_are_those_of_the_whole_list_that_are_the_owner_s(database: Database) -> None:
    with database.write() as session:
        for name, owner in (("Trotter", "ada"), ("Snout", "ben"), ("acorn", "ada"), ("Oink", "adam")):
            ladders.enter(session, name, "hearts", owner=owner)
        every = bots(session)
        owned = {owner: bots(session, owner=owner) for owner in ("ada", "adam", "ben", "eve")}
        assert bots(session, after="Oink", owner="ada") == [each for each in owned["ada"] if each.bot == "Trotter"]
    assert {owner: [each.bot for each in found] for owner, found in owned.items()} == {
        "ada": ["acorn", "Trotter"],
        "adam": ["Oink"],
        "ben": ["Snout"],
        "eve": [],
    }
    assert all(found == [each for each in every if each.owner == owner] for owner, found in owned.items())


@IN_BOTH
def test_results_come_newest_first_and_can_be_chosen(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=8)
        for number in range(3):
            ladders.enter_version(session, [*versions.values()][number], "hearts")
        ladders.enter_version(session, versions["Acorn"], "hearts")
        hearts = shown.play(session, [*versions.values()][:4], "hearts", 1)
        assert [match.id for match in results(session, 3)] == [hearts, hearts - 1, hearts - 2]
        assert [match.id for match in results(session, 9, "hearts")] == [hearts]
        mine = results(session, 99, "gongzhu", [versions["Mud"]])
        assert mine == [match for match in results(session, 99, "gongzhu")
                        if versions["Mud"] in [seat.version_id for seat in match.seats]]  # fmt: skip
        assert len(mine) in range(1, 9)


@IN_BOTH
def test_the_seed_of_a_match_is_shown_only_when_it_is_done(database: Database) -> None:
    with database.write() as session:
        versions = [*shown.a_ladder(session, matches=1).values()][:4]
        for status in (models.Status.QUEUED, models.Status.LEASED, models.Status.QUARANTINED):
            match = session.get_one(models.StoredMatch, ladders.queue(session, versions, "gongzhu", str(status)))
            match.status = status
            session.flush()
            (row,) = unfinished(session, status, 5)
            assert (row.id, row.seed, row.commitment) == (match.id, None, match.commitment)
            assert match_row(session, match).seed is None
            assert match.seed not in repr(row)
        (done,) = results(session, 5)
        assert done.seed == session.get_one(models.StoredMatch, done.id).seed


@IN_BOTH
def test_the_faults_of_a_match_stand_by_seat_rotation_and_decision(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=3)
        assert faults_of(session, 1) == []
        found = faults_of(session, 3)
        assert [(fault.seat, fault.rotation, fault.decision) for fault in found] == [
            (2, rotation, decision) for rotation in (1, 2, 3, 4) for decision in (1, 2, 3)
        ]
        assert len(versions) == 5


@pytest.mark.parametrize("variant", ["gongzhu", "gongzhu-partners", "gongzhu-five"])
def test_moves_that_are_explained_are_those_that_were_stored(database: Database, variant: str) -> None:
    with database.write() as session:
        shown.a_ladder(session, variant, matches=1)
        versions = {bot.name: bot.id for bot in session.scalars(select(models.StoredBot))}
        rng = random.Random(2)
        made = [random_match(session, versions, variant, rng) for _ in range(15)]
        for number in made:
            row = match_row(session, find_match(session, number))
            found = explain(row, find_variant(session, variant))
            assert all(one.agrees for one in found)
            assert {one.move.version for one in found} == {seat.version_id for seat in row.seats}
            for one in found:
                assert sum(other.change for other in one.move.against) == pytest.approx(one.seat.move, abs=1e-9)


def random_match(session: Session, versions: dict[str, int], variant: str, rng: random.Random) -> int:
    """Play and record one; its places and the points of two boards are then drawn by lot, ties among them."""
    summary = shown.summary_of(variant, "1")
    places = [rng.randint(1, len(summary.teams)) for _ in summary.teams]
    bots = list(summary.bots)
    for team, place in zip(summary.teams, places, strict=True):
        points = (float(rng.randint(1, 3)), float(rng.randint(1, 3)))
        for bot in team:
            bots[bot] = replace(bots[bot], place=place, board_points=points)
    match = ladders.queue(session, shown.seats_of(versions, variant, rng), variant, "1")
    assert record_summary(
        session, match, ladders.lease(session, match), replace(summary, bots=tuple(bots)), ladders.NOW
    )
    return match


@IN_BOTH
def test_a_rating_that_was_tampered_with_does_not_agree(database: Database) -> None:
    with database.write() as session:
        shown.a_ladder(session, matches=2)
        session.get_one(models.StoredSeat, (2, 0)).rating_after = 1600.0
        session.flush()
        row = match_row(session, find_match(session, 2))
        found = explain(row, find_variant(session, "gongzhu"))
    assert {one.seat.seat for one in found if not one.agrees} == {0}


def test_a_match_without_a_result_has_no_sides_yet(database: Database) -> None:
    with database.write() as session:
        versions = [*shown.a_ladder(session, matches=1).values()][:4]
        row = match_row(session, find_match(session, ladders.queue(session, versions, "gongzhu")))
        with pytest.raises(ValueError, match="Seat 0 has no result"):
            sides_of(row, find_variant(session, "gongzhu"))


@IN_BOTH
def test_the_newest_results_of_a_bot_are_those_that_it_has_everywhere(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=12)
        four = [*versions.values()][:4]
        for version in four:
            ladders.enter_version(session, version, "hearts")
        for number in range(5):
            shown.play(session, four, "hearts", number)
        newer = ladders.enter(session, "Mud", "gongzhu")
        for number in range(3):
            shown.play(session, [newer, *four[:3]], "gongzhu", number)
        everything = results(session, 100)
        seats = session.execute(select(models.StoredSeat.match_id, models.StoredSeat.version_id)).all()
        others = [version for version in versions.values() if version not in four]
        for mine in (four[:1], others, [versions["Mud"], newer]):
            played = {match for match, version in seats if version in mine}
            for variant in (None, "gongzhu", "hearts"):
                theirs = [row for row in everything if row.id in played and variant in (None, row.variant)]
                for limit, before in itertools.product((1, 7, 100), (None, 1, 2, 9, 18, 1000)):
                    wanted = [row for row in theirs if before is None or (row.ordinal or 0) < before]
                    found = results(session, limit, variant, mine, before)
                    assert found == wanted[:limit], (mine, variant, limit, before)

"""The standings, read from real ladders in both databases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event, select

from ladder.app import bots
from ladder.app.ladder import Ladder
from ladder.ratings.elo import START
from ladder.settings.settings import load_settings
from ladder.store import models
from ladder.store.lookup import find_variant
from ladder.store.queries.standings import shares, standings, standings_of, standings_of_owner
from tests.ladder import ladders, shown
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

    from ladder.store.database import Database
    from ladder.values.standings import Standings

__all__ = ["backend"]


def read(database: Database, variant: str = "gongzhu", everyone: bool = False, first: int | None = None) -> Standings:
    with database.read() as session:
        return standings(session, find_variant(session, variant), everyone, first)


def fill(database: Database, variant: str = "gongzhu", matches: int = 12) -> dict[str, int]:
    with database.write() as session:
        return shown.a_ladder(session, variant, matches)


def test_the_active_ones_are_ranked_by_their_elo(database: Database) -> None:
    fill(database)
    found = read(database)
    elos = [one.elo for one in found.standings]
    assert elos == sorted(elos, reverse=True)
    assert [one.rank for one in found.standings] == [1, 2, 3, 4, 5]
    assert min(elos) < START < max(elos)
    assert {one.bot: one.owner for one in found.standings} == shown.OWNERS


def test_figures_add_up_to_the_matches(database: Database) -> None:
    fill(database)
    found = read(database)
    assert found.matches == 12
    assert sum(one.matches for one in found.standings) == 4 * 12
    for one in found.standings:
        assert one.deals == 4 * one.matches
        assert len(one.shares) == 4
        assert math.isclose(sum(one.shares), 1)
        assert math.isclose(one.history[-1], one.elo)
    assert sum(one.takeovers for one in found.standings) == 1
    assert sum(one.fault_rate or 0 for one in found.standings) > 0


def test_equal_ratings_share_a_rank_and_bots_without_a_match_have_no_figures(database: Database) -> None:
    with database.write() as session:
        for bot in ("Snout", "Trotter"):
            ladders.enter(session, bot)
        ladders.enter(session, "Truffle", rating=1400.0)
    found = read(database, "hearts").standings
    assert [(one.bot, one.rank) for one in found] == [("Snout", 1), ("Trotter", 1), ("Truffle", 3)]
    assert (found[0].points_per_deal, found[0].shares, found[0].fault_rate, found[0].change) == (None, (), None, None)
    assert found[0].provisional


@IN_BOTH
def test_nineteen_matches_are_provisional_and_twenty_are_not(database: Database) -> None:
    with database.write() as session:
        version = ladders.enter(session, "Trotter")
        session.get_one(models.Rating, ("hearts", version)).matches = 19
    assert read(database, "hearts").standings[0].provisional
    with database.write() as session:
        session.get_one(models.Rating, ("hearts", version)).matches = 20
    assert not read(database, "hearts").standings[0].provisional


@IN_BOTH
def test_suspended_and_retired_ones_stand_behind_without_a_rank_and_nobodys_elo_depends_on_them(
    database: Database,
) -> None:
    with database.write() as session:
        ladders.enter(session, "Trotter", rating=1300.0)
        ladders.enter(session, "Snout", rating=1900.0, state=models.State.RETIRED)
        ladders.enter(session, "Truffle", rating=1700.0, state=models.State.SUSPENDED)
    assert [(one.bot, one.elo) for one in read(database, "hearts").standings] == [("Trotter", 1300.0)]
    everyone = read(database, "hearts", everyone=True).standings
    assert [(one.bot, one.rank, one.elo) for one in everyone] == [
        ("Trotter", 1, 1300.0),
        ("Truffle", None, 1700.0),
        ("Snout", None, 1900.0),
    ]


@IN_BOTH
def test_the_first_ones_have_the_ranks_of_all(database: Database) -> None:
    fill(database)
    assert read(database, first=2).standings == read(database).standings[:2]


def test_one_version_stands_as_in_the_table(database: Database) -> None:
    versions = fill(database)
    table = {one.bot: one for one in read(database).standings}
    with database.read() as session:
        for bot, version in versions.items():
            assert [row for _, row in standings_of(session, version)] == [table[bot]]
        other = ladders.enter(session, "Snout", "hearts")
        assert [field.variant for field, _ in standings_of(session, other)] == ["hearts"]


def test_an_owners_bots_stand_as_in_the_tables(database: Database) -> None:
    with database.write() as session:
        versions = shown.a_ladder(session, matches=6)
        shown.suspend(session, versions["Mud"], "too many faults")
        ladders.enter(session, "Mud", "hearts", owner="eve")
        ladders.enter(session, "Boar", "gongzhu", owner="eve")
    tables = {name: read(database, name, everyone=True).standings for name in ("gongzhu", "hearts")}
    wanted = [(name, row) for name, rows in tables.items() for row in rows if row.owner == "eve"]
    assert len(wanted) == 3
    with database.read() as session:
        assert [(field.variant, row) for field, row in standings_of_owner(session, "eve")] == wanted
        assert standings_of_owner(session, "nobody") == []


@pytest.mark.sqlite
def test_what_an_owners_page_reads_does_not_grow_with_the_bots_of_others(tmp_path: Path) -> None:
    """By the driver's rows: an owner's page once read the standings of everybody."""
    rows: list[Sequence[object]] = []

    def counted(_: object, row: Sequence[object]) -> Sequence[object]:
        rows.append(row)
        return row

    def watch(connection: sqlite3.Connection, *_: object) -> None:
        connection.row_factory = counted

    def rows_of_page(ladder: Ladder) -> int:
        for _ in range(2):  # the first look reads the field of the variant, which is kept until it changes
            rows.clear()
            assert [row.bot for _, row in bots.standings_of_owner(ladder, "ada")] == ["Trotter"]
            assert [row.bot for row in bots.bots(ladder, "ada")] == ["Trotter"]
        return len(rows)

    with Ladder.open(load_settings(data_dir=tmp_path), create=True) as ladder:
        event.listen(ladder.database.engine, "checkout", watch)
        with ladder.database.write() as session:
            ladders.enter(session, "Trotter", owner="ada")
            ladders.enter(session, "Snout", owner="ben")
        few = rows_of_page(ladder)
        with ladder.database.write() as session:
            for number in range(30):
                ladders.enter(session, f"Other {number}")
        assert few
        assert rows_of_page(ladder) == few


@pytest.mark.parametrize(("variant", "sides"), [("gongzhu-partners", 2), ("gongzhu-five", 5)])
def test_there_are_as_many_shares_as_sides(database: Database, variant: str, sides: int) -> None:
    fill(database, variant, matches=5)
    found = read(database, variant)
    assert (found.sides, found.matches) == (sides, 5)
    assert {len(one.shares) for one in found.standings if one.matches} == {sides}
    for one in found.standings:
        assert sum(one.shares) == pytest.approx(1 if one.matches else 0)


def test_places_that_nobody_ever_had_count_as_none() -> None:
    assert shares([], 4) == ()
    assert shares([3, 1], 4) == (0.75, 0.25, 0, 0)
    assert shares([1, 0, 0, 0, 1], 5) == (0.5, 0, 0, 0, 0.5)


def test_a_ladder_of_a_variant_that_nobody_plays_is_empty(database: Database) -> None:
    with database.write() as session:
        ladders.add_variant(session, "hearts")
    found = read(database, "hearts")
    assert (found.standings, found.matches, found.low_is_better) == ((), 0, True)
    with database.read() as session:
        assert session.scalars(select(models.Rating)).all() == []

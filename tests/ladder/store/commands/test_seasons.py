"""The end of a season, and the beginning of the next one."""

from __future__ import annotations

from dataclasses import asdict, replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from ladder.ratings.elo import START
from ladder.results.files import MatchFiles
from ladder.store import models
from ladder.store.commands.estimates import intervals, refresh, stale
from ladder.store.commands.rerating import differences
from ladder.store.commands.results import record_summary
from ladder.store.commands.scheduling import fill_queue, why_no_match
from ladder.store.commands.seasons import AT_THE_START, NewSeason, begin_season, change_clock
from ladder.store.commands.suspending import suspend_for_voids
from ladder.store.queries.checking import findings
from ladder.store.queries.matches import common_matches, pair_sums, results
from ladder.store.queries.rating_curve import rating_curves
from ladder.store.queries.standings import season_standings, seasons, standings
from ladder.values.order import Order
from referee.match.formats import DEFAULT_CLOCK
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, lease, played, queue, summary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.store.database import Database
    from referee.records.lines import AnyLine

__all__ = ["backend"]

OTHER = replace(DEFAULT_CLOCK, bank=10.0)


def four(database: Database) -> list[int]:
    with database.write() as session:
        return [enter(session, f"bot {number}") for number in range(4)]


def play(database: Database, versions: list[int], seed: str) -> int:
    with database.write() as session:
        match = queue(session, versions, seed=seed)
        assert record_summary(session, match, lease(session, match), summary_of(seed=seed), NOW)
    return match


def end(database: Database, name: str | None = None) -> list[int]:
    with database.write() as session:
        variant = session.get_one(models.Variant, "hearts")
        frozen = standings(session, variant, everyone=True).model_dump(mode="json")
        return begin_season(session, variant, NewSeason(DEFAULT_CLOCK, name), frozen, NOW + 1)


@IN_BOTH
def test_the_standings_stay_as_they_were_and_all_bots_start_anew(database: Database) -> None:
    versions = four(database)
    for seed in "123":
        play(database, versions, seed)
    refresh(database, "hearts")
    with database.write() as session:
        session.get_one(models.StoredEstimate, "hearts").circles = [[[each, 70, 30] for each in versions[:3]]]
    with database.read() as session:
        before = standings(session, session.get_one(models.Variant, "hearts"))
    assert len(before.circles) == 1
    end(database, "autumn")
    play(database, versions, "4")
    with database.read() as session:
        assert season_standings(session, "1", None, False, None, Order.ELO) == [before]
        (now,) = season_standings(session, "autumn", "hearts", False, None, Order.ELO)
        assert (now.matches, {row.matches for row in now.standings}, now.circles) == (1, {1}, ())
        assert {row.history[0] for row in now.standings} == {START}
        assert [(row.name, row.matches, row.ended is None) for row in seasons(session, _variant(session))] == [
            ("1", 3, False), ("autumn", 1, True),
        ]  # fmt: skip


@IN_BOTH
def test_a_season_without_a_name_gets_a_number_that_no_other_has_had(database: Database) -> None:
    versions = four(database)
    end(database, "2")  # there is no result yet: it is the name of the first season
    for seed in "123":
        play(database, versions, seed)
        end(database)
    with database.read() as session:
        assert [(row.number, row.name) for row in seasons(session, _variant(session))] == [
            (1, "2"), (2, "3"), (3, "4"), (4, "5"),
        ]  # fmt: skip


def test_older_results_of_a_bot_are_those_of_the_season_too(database: Database) -> None:
    versions = four(database)
    for seed in "12":
        play(database, versions, seed)
    end(database)
    first, *_ = (play(database, versions, seed) for seed in ("3", "4", "5"))
    with database.read() as session:
        ordinal = session.get_one(models.StoredMatch, first).ordinal
        assert ordinal is not None
        assert [row.id for row in results(session, 1, "hearts", versions, before=ordinal + 1)] == [first]


def test_a_match_that_fails_after_its_season_suspends_no_bot(database: Database) -> None:
    versions = four(database)
    play(database, versions, "1")
    with database.write() as session:
        match = queue(session, versions, seed="2")
        lease(session, match)
    assert end(database) == [match]
    with database.write() as session:
        assert suspend_for_voids(session, match, versions[0], NOW + 2) == []


def _variant(session: Session) -> models.Variant:
    return session.get_one(models.Variant, "hearts")


def test_every_column_that_a_match_changes_starts_anew(database: Database) -> None:
    versions = four(database)
    with database.read() as session:
        fresh = _columns(session.get_one(models.Rating, ("hearts", versions[0])))
    play(database, versions, "1")
    refresh(database, "hearts")
    end(database)
    with database.read() as session:
        assert _columns(session.get_one(models.Rating, ("hearts", versions[0]))) == fresh
    assert AT_THE_START.keys() <= fresh.keys()


def _columns(row: models.Rating) -> dict[str, object]:
    return {column.key: getattr(row, column.key) for column in models.Rating.__table__.columns}


@IN_BOTH
def test_matches_pairs_and_curves_count_the_season_that_is_played(database: Database) -> None:
    versions = four(database)
    play(database, versions, "1")
    play(database, versions, "2")
    end(database)
    with database.read() as session:
        assert results(session, 10, "hearts", versions) == []
        assert pair_sums(session, "hearts", *versions[:2]).matches == 0
        assert len(results(session, 10)) == 2  # the ladder's list has all of them
    third = play(database, versions, "3")
    with database.read() as session:
        assert [row.id for row in results(session, 10, "hearts", versions)] == [third]
        assert [row.id for row in common_matches(session, "hearts", versions[0], versions[1], 10)] == [third]
        bot = session.get_one(models.Version, versions[0]).bot_id
        (curve,) = rating_curves(session, bot, "bot 0").values()
        assert [point.match for point in curve.points] == [third]


@IN_BOTH
def test_a_match_that_is_played_when_the_season_ends_is_withdrawn_and_its_result_comes_too_late(
    database: Database,
) -> None:
    versions = four(database)
    play(database, versions, "1")
    with database.write() as session:
        running, waiting = queue(session, versions, seed="2"), queue(session, versions, seed="3")
        attempt = lease(session, running)
        session.add(models.VoidAttempt(match_id=running, variant="hearts", at=NOW))
    assert sorted(end(database)) == [running, waiting]
    with database.write() as session:
        assert record_summary(session, running, attempt, summary_of(seed="2"), NOW) is None
        assert session.scalar(select(func.count()).select_from(models.StoredMatch)) == 1
        assert session.scalar(select(func.sum(models.Rating.matches))) == 0


@IN_BOTH
def test_the_checks_know_seasons(database: Database, files: MatchFiles) -> None:
    versions, lines = four(database), dict[int, "Sequence[AnyLine]"]()
    with database.write() as session:
        session.get_one(models.Variant, "hearts").shift = 40.0
    for number, seed in enumerate("1234"):
        match = play(database, versions, seed)
        lines[match] = played(seed=seed)
        if number == 1:
            end(database)
    assert [each for each in findings(database, files) if "record of match" not in each] == []
    with database.read() as session:
        assert list(differences(session, lambda match, _: lines[match])) == []
    with database.write() as session:
        frozen = session.get_one(models.FinishedSeason, ("hearts", 1))
        rows = [{**row, "elo": row["elo"] + 1} for row in frozen.standings["standings"]]
        frozen.standings = {**frozen.standings, "standings": rows}
    with database.read() as session:
        found = list(differences(session, lambda match, _: lines[match]))
        assert len(found) == 4
        assert found[0].startswith("Season 1 of hearts")


@pytest.fixture
def files(settings: Settings) -> MatchFiles:
    return MatchFiles(settings.data_dir)


def test_an_estimate_of_the_season_before_is_not_written(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = four(database)
    play(database, versions, "1")

    def meanwhile(*arguments: Any) -> Any:
        end(database)
        return intervals(*arguments)

    monkeypatch.setattr("ladder.store.commands.estimates.intervals", meanwhile)
    refresh(database, "hearts")
    with database.read() as session:
        assert session.get(models.StoredEstimate, "hearts") is None
        assert set(session.scalars(select(models.Rating.error))) == {None}
        assert stale(session) == ["hearts"]


def test_pairing_works_from_the_first_match_of_a_new_season(database: Database, settings: Settings) -> None:
    versions = four(database)
    play(database, versions, "1")
    refresh(database, "hearts")
    end(database)
    with database.write() as session:
        assert len(fill_queue(session, settings, Random(1), NOW, 3)) == 3
    refresh(database, "hearts")
    assert stale_now(database) == []


def stale_now(database: Database) -> list[str]:
    with database.read() as session:
        return stale(session)


def test_a_season_with_a_match_that_has_begun_keeps_its_clock(database: Database, settings: Settings) -> None:
    versions = four(database)
    with database.write() as session:
        assert fill_queue(session, settings, Random(1), NOW, 2)
        assert change_clock(session, "hearts", OTHER) is None  # nothing has begun: what waits is withdrawn
        assert session.scalar(select(func.count()).select_from(models.StoredMatch)) == 0
        assert fill_queue(session, settings, Random(1), NOW, 2) == []  # a run that still has the old settings
        reason = why_no_match(session, clock=settings.clock_setting)
        assert reason is not None
        assert "pigpen ladder season new --variant hearts" in reason
        lease(session, queue(session, versions, clock=OTHER))
        assert change_clock(session, "hearts", OTHER) is None
        refused = change_clock(session, "hearts", DEFAULT_CLOCK)
        assert refused is not None
        assert change_clock(session, "hearts", replace(OTHER, start_up=99.0)) is None
        assert "clock 10+0.1, limit 1, " in refused
    assert "clock 60+0.1, limit 1" in refused


def test_a_run_with_the_old_settings_schedules_nothing_in_a_new_season(database: Database, settings: Settings) -> None:
    play(database, four(database), "1")
    with database.write() as session:
        variant = session.get_one(models.Variant, "hearts")
        frozen = standings(session, variant).model_dump(mode="json")
        begin_season(session, variant, NewSeason(OTHER), frozen, NOW)
        assert variant.clock == asdict(OTHER)
        assert fill_queue(session, settings, Random(1), NOW, 2) == []

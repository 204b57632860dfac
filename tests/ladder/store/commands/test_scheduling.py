"""From the store to the scheduler, and from the scheduler to the queue."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event, select

from ladder.store import models
from ladder.store.commands import queue as queue_module
from ladder.store.commands.estimates import refresh
from ladder.store.commands.knowledge import Neighbours, by_cost, fields_of, knowledge_of
from ladder.store.commands.results import record_summary
from ladder.store.commands.scheduling import fill_queue, why_no_match
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, enter_version, lease, queue, summary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.settings.settings import Settings
    from ladder.store.database import Database

__all__ = ["backend"]


def enter_all(database: Database, count: int, variant: str = "hearts") -> list[int]:
    with database.write() as session:
        return [enter(session, f"bot {number}", variant) for number in range(count)]


def fill(
    database: Database, settings: Settings, wanted: int, variants: Sequence[str] | None = None, seed: int = 1
) -> list[int]:
    with database.write() as session:
        return fill_queue(session, settings, Random(seed), NOW, wanted, variants)


def tables(session: Session) -> dict[int, tuple[str, tuple[int, ...]]]:
    """By match: its variant, and the versions by number of the bot."""
    found: dict[int, tuple[str, tuple[int, ...]]] = {}
    rows = session.execute(
        select(models.StoredMatch.id, models.StoredMatch.variant, models.StoredSeat.version_id)
        .join(models.StoredSeat, models.StoredSeat.match_id == models.StoredMatch.id)
        .order_by(models.StoredMatch.id, models.StoredSeat.seat)
    )
    for match, variant, version in rows:
        found[match] = (variant, (*found.get(match, (variant, ()))[1], version))
    return found


def test_a_match_stands_in_the_queue_with_its_seats_and_a_seed_of_its_own(
    database: Database, settings: Settings
) -> None:
    versions = enter_all(database, 6)
    ids = fill(database, settings, 3)
    with database.read() as session:
        matches = [session.get_one(models.StoredMatch, match) for match in ids]
        for match in matches:
            assert (match.status, match.attempt, match.variant, match.added) == ("queued", 0, "hearts", NOW)
            assert (match.format, match.boards) == ("boards:4", 4)
            assert match.clock["bank"] == settings.clock_setting.bank
            assert match.commitment == hashlib.sha256(bytes.fromhex(match.seed)).hexdigest()
        assert len({match.seed for match in matches}) == 3
        seated = tables(session)
        assert list(seated) == ids
        assert all(len(set(table)) == 4 and set(table) <= set(versions) for _, table in seated.values())


def play_with_times(database: Database, starting: float | None, playing: float | None, count: int = 3) -> None:
    """Record matches of one board each, with those times."""
    with database.write() as session:
        versions = session.scalars(select(models.Rating.version_id).where(models.Rating.variant == "hearts")).all()
        for _ in range(count):
            match = queue(session, versions[:4])
            attempt = lease(session, match)
            assert record_summary(session, match, attempt, summary_of(), NOW, starting, playing)


@IN_BOTH
def test_a_bot_that_costs_much_machine_time_plays_fewer_matches(database: Database, settings: Settings) -> None:
    """Machine time of matches is read for each bot that may play; other seasons and variants do not count."""
    versions = enter_all(database, 12)
    with database.write() as session:
        for version in versions:
            enter_version(session, version, "gongzhu")
        for turn in range(36):
            table = [versions[(turn * step + turn // 12) % 12] for step in (1, 5, 7, 11)]
            table = table if len(set(table)) == 4 else versions[turn % 8 : turn % 8 + 4]
            for variant in ("hearts", "gongzhu"):
                match = queue(session, table, variant)
                seconds = 100.0 if variant == "hearts" and versions[3] in table else 5.0
                attempt = lease(session, match)
                assert record_summary(session, match, attempt, summary_of(variant), NOW, 5.0, seconds)

    def given(variant: str) -> dict[int, float]:
        with database.read() as session:
            entrants = by_cost(session, variant, fields_of(session)[variant]).entrants
            return {entrant.version: entrant.share for entrant in entrants}

    found = given("hearts")
    assert found.pop(versions[3]) < 0.4 < 0.7 < min(found.values())
    assert set(given("gongzhu").values()) == {1.0}
    with database.read() as session:
        before = Counter(version for _, table in tables(session).values() for version in table)
    fill(database, settings, 60, ["hearts"])
    with database.read() as session:
        after = Counter(version for _, table in tables(session).values() for version in table)
    more = after - before
    assert 2 * more[versions[3]] < min(more[version] for version in versions if version != versions[3])
    with database.write() as session:
        session.get_one(models.Variant, "hearts").season_start = 10_000
    assert set(given("hearts").values()) == {1.0}


def lengths(database: Database, ids: list[int]) -> set[tuple[str, int]]:
    with database.read() as session:
        matches = [session.get_one(models.StoredMatch, match) for match in ids]
        return {(match.format, match.boards) for match in matches}


@pytest.mark.parametrize(("starting", "playing", "boards"), [(1.0, 100.0, 1), (1.0, 1.0, 8), (9.0, 1.0, 16)])
def test_matches_are_as_long_as_starts_and_bots_of_the_variant_want(
    database: Database, settings: Settings, starting: float, playing: float, boards: int
) -> None:
    enter_all(database, 5)
    enter_all(database, 5, "gongzhu")
    play_with_times(database, starting, playing)
    assert lengths(database, fill(database, settings, 4, ["hearts"])) == {(f"boards:{boards}", boards)}
    assert lengths(database, fill(database, settings, 4, ["gongzhu"])) == {("boards:4", 4)}


def test_a_length_that_is_set_is_kept_whatever_the_times(database: Database, settings: Settings) -> None:
    enter_all(database, 5)
    play_with_times(database, 9.0, 1.0)
    assert lengths(database, fill(database, settings.model_copy(update={"boards": 2}), 4)) == {("boards:2", 2)}


def test_matches_without_times_tell_nothing(database: Database, settings: Settings) -> None:
    enter_all(database, 5)
    play_with_times(database, None, None)
    assert lengths(database, fill(database, settings, 2)) == {("boards:4", 4)}


@IN_BOTH
def test_the_same_ladder_and_the_same_chance_give_the_same_pairings_but_other_cards(
    database: Database, settings: Settings
) -> None:
    enter_all(database, 9)
    first = fill(database, settings, 5, seed=7)
    with database.write() as session:
        one = list(tables(session).values())
        seeds = {match.seed for match in session.scalars(select(models.StoredMatch))}
        session.query(models.StoredSeat).delete()
        session.query(models.StoredMatch).delete()
    fill(database, settings, 5, seed=7)
    with database.read() as session:
        assert list(tables(session).values()) == one
        assert not seeds & {match.seed for match in session.scalars(select(models.StoredMatch))}
    assert len(first) == 5


def test_matches_that_are_still_to_be_played_count(database: Database, settings: Settings) -> None:
    versions = enter_all(database, 8)
    with database.write() as session:
        lease(session, queue(session, versions[:4]))
        queue(session, versions[2:6])
    with database.read() as session:
        field = fields_of(session)["hearts"]
    assert [entrant.matches for entrant in field.entrants] == [1, 1, 2, 2, 1, 1, 0, 0]
    assert field.entrants[2].seats == (1, 0, 1, 0)
    assert field.entrants[7].seats == (0, 0, 0, 0)
    for _ in range(4):  # one at a time, as a runner does
        fill(database, settings, 1)
    with database.read() as session:
        counts = [entrant.matches for entrant in fields_of(session)["hearts"].entrants]
    assert sum(counts) == 8 + 4 * 4
    assert counts[6:] != [0, 0]  # who had played least had its turn


@IN_BOTH
def test_recorded_matches_count_with_their_seats_and_neighbours(database: Database, settings: Settings) -> None:
    one, two, three, four = enter_all(database, 4)
    with database.write() as session:
        match = queue(session, (two, one, four, three))
        assert record_summary(session, match, lease(session, match), summary_of(), NOW)
        queue(session, (one, four, two, three))
    with database.read() as session:
        field = fields_of(session)["hearts"]
        assert [entrant.matches for entrant in field.entrants] == [2, 2, 2, 2]
        assert field.entrants[0].seats == (1, 1, 0, 0)
        neighbours = Neighbours(session, "hearts", field.pending.values())
        assert neighbours[one, four] == 2
        assert (neighbours[two, one], neighbours[four, two], neighbours[one, two]) == (1, 1, 0)
        assert neighbours.get((one, 99), 0) == 0
        expected = {(two, one), (one, four), (four, three), (three, two), (four, two), (two, three), (three, one)}
        assert {pair for pair in neighbours if neighbours[pair]} == expected
        assert len(neighbours) == 12


def test_two_chairs_of_one_bot_are_one_match_of_it(database: Database, settings: Settings) -> None:
    enter_all(database, 3, "gongzhu-partners")
    ids = fill(database, settings, 3)
    with database.read() as session:
        assert all(table[:2] == table[2:] for _, table in tables(session).values())
        field = fields_of(session)["gongzhu-partners"]
        assert sum(entrant.matches for entrant in field.entrants) == 2 * len(ids)
        assert sum(sum(entrant.seats) for entrant in field.entrants) == 4 * len(ids)


def test_suspended_and_retired_bots_are_not_scheduled(database: Database, settings: Settings) -> None:
    versions = enter_all(database, 7)
    with database.write() as session:
        session.get_one(models.Rating, ("hearts", versions[0])).state = models.State.SUSPENDED
        session.get_one(models.Rating, ("hearts", versions[1])).state = models.State.RETIRED
    fill(database, settings, 30)
    with database.read() as session:
        assert {version for _, table in tables(session).values() for version in table} == set(versions[2:])


def test_no_two_bots_of_one_owner_meet(database: Database, settings: Settings) -> None:
    with database.write() as session:
        owner_of = {enter(session, f"bot {n}", owner=f"owner {n % 5}"): n % 5 for n in range(10)}
    fill(database, settings, 30)
    with database.read() as session:
        for _, table in tables(session).values():
            assert len({owner_of[version] for version in table}) == 4


def test_five_sit_where_five_play(database: Database, settings: Settings) -> None:
    enter_all(database, 6, "gongzhu-five")
    fill(database, settings, 2)
    with database.read() as session:
        assert {len(set(table)) for _, table in tables(session).values()} == {5}


def settle(database: Database, variant: str, matches: int) -> None:
    """Let everybody in a variant have played."""
    with database.write() as session:
        for entry in session.scalars(select(models.Rating).where(models.Rating.variant == variant)):
            entry.matches = matches


def variants_of(database: Database, ids: list[int]) -> Counter[str]:
    with database.read() as session:
        return Counter(variant for match, (variant, _) in tables(session).items() if match in ids)


def test_a_new_variant_goes_first_until_its_ratings_are_known_and_then_both_take_turns(
    database: Database, settings: Settings
) -> None:
    versions = enter_all(database, 4)
    settle(database, "hearts", 30_000)
    with database.write() as session:
        for version in versions:
            enter_version(session, version, "gongzhu")
    assert variants_of(database, fill(database, settings, 15)) == {"gongzhu": 15}
    turns = variants_of(database, fill(database, settings, 100))
    assert min(turns["gongzhu"], turns["hearts"]) > 25


@IN_BOTH
def test_a_newcomer_of_an_old_variant_goes_first(database: Database, settings: Settings) -> None:
    enter_all(database, 6, "gongzhu")
    enter_all(database, 6)
    settle(database, "gongzhu", 500)
    settle(database, "hearts", 20_000)
    with database.write() as session:
        new = enter(session, "newcomer")
    ids = fill(database, settings, 4)
    with database.read() as session:
        assert {variant for variant, _ in tables(session).values()} == {"hearts"}
        assert all(new in table for _, table in tables(session).values())
    assert len(ids) == 4


def test_how_well_newcomers_are_to_be_known_is_a_setting(database: Database, settings: Settings) -> None:
    versions = enter_all(database, 4)
    settle(database, "hearts", 30_000)
    with database.write() as session:
        for version in versions:
            enter_version(session, version, "gongzhu")
    easy = settings.model_copy(update={"newcomer_ci": 250.0})
    assert variants_of(database, fill(database, easy, 15))["hearts"] > 0


def seated(database: Database, ids: list[int]) -> list[set[int]]:
    with database.read() as session:
        return [set(table) for match, (_, table) in tables(session).items() if match in ids]


@IN_BOTH
def test_opponents_are_chosen_by_the_last_estimate(database: Database, settings: Settings) -> None:
    """Five bots that beat the other five: known so, each is among its like where chance does not draw the table."""
    settings = settings.model_copy(update={"boundary": 0})
    versions = enter_all(database, 10)
    with database.write() as session:
        for a, b in itertools.combinations(versions, 2):
            better = (a in versions[:5]) - (b in versions[:5])
            pair = {"variant": "hearts", "a": a, "b": b, "boards": 4, "a_then_b": 0, "b_then_a": 0}
            session.add(models.PairStats(**pair, n=400, score=200 + 190 * better))
    settle(database, "hearts", 1200)
    strangers = seated(database, fill(database, settings, 60))
    with database.write() as session:
        queue_module.withdraw(session)
    refresh(database, "hearts")
    like = seated(database, fill(database, settings, 60))
    groups = set(versions[:5]), set(versions[5:])
    by_estimate, before = (sum(any(table <= group for group in groups) for table in each) for each in (like, strangers))
    assert by_estimate >= 10 > before


@IN_BOTH
def test_bots_of_one_identity_sit_at_one_table_only_where_it_cannot_be_filled_without(
    database: Database, settings: Settings
) -> None:
    """Five of eight bots are copies, of five owners: each table has the three others and one of them."""
    versions = enter_all(database, 8)
    copies = versions[:5]
    with database.write() as session:
        for version in copies:
            session.get_one(models.Version, version).identity = "sha256:" + "c" * 64
    tables = seated(database, fill(database, settings, 30))
    assert all(len(table.intersection(copies)) == 1 for table in tables)


@IN_BOTH
def test_results_that_the_estimate_does_not_know_and_matches_that_wait_count_as_known(
    database: Database, settings: Settings
) -> None:
    versions = enter_all(database, 6)
    refresh(database, "hearts")

    def errors() -> dict[int, float]:
        with database.read() as session:
            known = knowledge_of(session, "hearts", fields_of(session)["hearts"], 4)
            return dict(zip(known.versions, known.errors.tolist(), strict=True))

    first = errors()
    with database.write() as session:
        match = queue(session, versions[:4])
        assert record_summary(session, match, lease(session, match), summary_of(), NOW)
    played = errors()
    with database.write() as session:
        queue(session, (versions[0], *versions[3:]))
    waiting = errors()
    assert played[versions[1]] < 0.99 * first[versions[1]]
    assert played[versions[5]] == pytest.approx(first[versions[5]])
    assert waiting[versions[5]] < 0.99 * first[versions[5]]
    refresh(database, "hearts")
    assert errors()[versions[1]] == pytest.approx(waiting[versions[1]], rel=0.05)


def test_only_the_wanted_variants_are_scheduled(database: Database, settings: Settings) -> None:
    for version in enter_all(database, 4):
        with database.write() as session:
            enter_version(session, version, "gongzhu")
    assert variants_of(database, fill(database, settings, 9, ["hearts"])) == {"hearts": 9}
    assert fill(database, settings, 9, ["chinese-hearts"]) == []


def test_a_variant_where_nobody_can_play_does_not_hold_up_the_others(database: Database, settings: Settings) -> None:
    enter_all(database, 4)
    enter_all(database, 3, "gongzhu")
    assert variants_of(database, fill(database, settings, 9)) == {"hearts": 9}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_bots_are_no_error_and_a_sentence_says_so(database: Database, settings: Settings, count: int) -> None:
    enter_all(database, count)
    assert fill(database, settings, 5) == []
    with database.read() as session:
        why = why_no_match(session)
    assert why is not None
    assert (". hearts: " if count else "No bot is") in why
    assert "pigpen submit" in why


def test_why_nobody_tells_of_the_suspended_and_is_silent_where_somebody_can_play(
    database: Database, settings: Settings
) -> None:
    versions = enter_all(database, 4)
    with database.write() as session:
        assert why_no_match(session) is None
        session.get_one(models.Rating, ("hearts", versions[0])).state = models.State.SUSPENDED
        assert "Suspended: 1;" in (why_no_match(session) or "")
        assert (why_no_match(session, ["gongzhu"]) or "").startswith("No bot is entered yet.")


@pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
def test_sqlite_reads_no_table_of_all_matches_or_seats_to_schedule_one(database: Database, settings: Settings) -> None:
    """Else a match would cost more with every match that was ever played."""
    enter_all(database, 6)
    refresh(database, "hearts")
    fill(database, settings, 3)
    sent: list[tuple[str, Any]] = []
    event.listen(database.engine, "before_cursor_execute", lambda *about: sent.append((about[2], about[3])))
    fill(database, settings, 2)
    queries = [(text, values) for text, values in sent if text.startswith("SELECT")]
    with database.read() as session:
        connection = session.connection()
        steps = [
            row[3]
            for text, values in queries
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)
        ]
    assert any("SEARCH seats" in step for step in steps)
    scans = [step for step in steps if step.startswith(("SCAN seats", "SCAN matches", "SCAN pair_stats"))]
    assert [step for step in scans if "ix_matches_queued" not in step and "ix_matches_leased" not in step] == []

"""Ratings computed again from the records."""

from __future__ import annotations

from dataclasses import fields
from random import Random
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from ladder.results.standing import RatedBy, VersionStanding
from ladder.results.summary import summarise
from ladder.store import models
from ladder.store.commands import results
from ladder.store.commands.rerating import differences, replay
from ladder.store.commands.results import record_summary, standing_of
from ladder.store.queries.matches import explain, match_row
from pigpen.rules import PRESETS
from referee.records.framing import RecordError
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, lease, played, queue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.store.database import Database
    from referee.records.lines import AnyLine

__all__ = ["backend"]

MATCHES = 16
VARIANTS = ("hearts", "gongzhu-five")
Records = dict[tuple[int, int], "Sequence[AnyLine]"]


@pytest.fixture
def records(database: Database) -> Records:
    """The records of random matches in two variants, recorded in another order than they were queued in."""
    rng = Random(5)
    with database.write() as session:
        bots = {variant: [enter(session, f"{variant} {i}", variant) for i in range(7)] for variant in VARIANTS}
        waiting = []
        for _ in range(MATCHES):
            variant, seed = rng.choice(VARIANTS), rng.choice("1234")
            players = PRESETS[variant].players
            lines = played(variant, seed, rng.choice([None, None, rng.randrange(players)]))
            match = queue(session, rng.sample(bots[variant], players), variant, seed)
            waiting.append((match, lease(session, match), lines))
    rng.shuffle(waiting)
    for match, attempt, lines in waiting:
        with database.write() as session:
            assert record_summary(session, match, attempt, summarise(lines), NOW)
    return {(match, attempt): lines for match, attempt, lines in waiting}


def found(session: Session, records: Records) -> list[str]:
    return list(differences(session, lambda match, attempt: records[match, attempt]))


def test_a_replay_of_the_records_leads_to_the_stored_ratings(database: Database, records: Records) -> None:
    with database.read() as session:
        again = replay(session, lambda match, attempt: records[match, attempt])
        stored = {(row.variant, row.version_id): row for row in session.scalars(select(models.Rating))}
        assert {key: standing_of(stored[key]) for key in again.standings} == again.standings
        assert sum(standing.matches for standing in again.standings.values()) > 4 * MATCHES
        assert {variant for variant, _ in again.standings} == set(VARIANTS)
        assert again.has_all
        assert found(session, records) == []


@IN_BOTH
def test_a_rating_that_was_changed_is_named(database: Database, records: Records) -> None:
    with database.write() as session:
        entry = session.scalars(select(models.Rating).where(models.Rating.matches > 3)).first()
        assert entry is not None
        entry.rating += 1e-9
        entry.faults += 1
        name = f"{session.get_one(models.StoredBot, session.get_one(models.Version, entry.version_id).bot_id).name}@1"
        variant, faults = entry.variant, entry.faults
    with database.read() as session:
        rating, counter = found(session, records)
    assert rating.startswith(f"{name} in {variant}: rating is ")
    assert counter.startswith(f"{name} in {variant}: faults is {faults}, ")
    assert counter.endswith(f" {faults - 1}.")


@pytest.mark.parametrize("name", [each.name for each in fields(VersionStanding)])
@pytest.mark.parametrize("has_all", [True, False])
def test_every_figure_of_a_standing_that_was_changed_is_named(
    database: Database, records: Records, name: str, has_all: bool
) -> None:
    """Decisions are compared only if there is every record."""
    with database.write() as session:
        entry = session.scalars(select(models.Rating).where(models.Rating.matches > 3)).first()
        assert entry is not None
        kept = getattr(entry, name)
        setattr(entry, name, [*kept, *kept[:1]] if isinstance(kept, list) else kept + 1)
        if not has_all:
            session.get_one(models.StoredMatch, 1).record_kept = False
    with database.read() as session:
        differ = found(session, records)
    assert len(differ) == (has_all or name != "decisions")
    assert all(f": {name} is " in each for each in differ)


@IN_BOTH
def test_a_seat_that_was_changed_is_named(database: Database, records: Records) -> None:
    with database.write() as session:
        seat = session.get_one(models.StoredSeat, (1, 2))
        assert seat.faults is not None
        seat.faults += 1
        fault_count = seat.faults
    with database.read() as session:
        (difference,) = found(session, records)
        assert difference.startswith(f"match 1, seat 2: faults is {fault_count}, ")
        assert difference.endswith(f" {fault_count - 1}.")


@IN_BOTH
def test_a_pair_that_was_changed_is_named(database: Database, records: Records) -> None:
    with database.write() as session:
        pair = session.scalars(select(models.PairStats)).first()
        assert pair is not None
        session.delete(pair)
    with database.read() as session:
        [sentence] = found(session, records)
    assert "store keeps nothing, " in sentence


@IN_BOTH
@pytest.mark.parametrize("name", ["boards_played", "board_score", "ties", "points", "squares"])
def test_a_sum_of_a_pair_that_was_changed_is_named(database: Database, records: Records, name: str) -> None:
    with database.write() as session:
        pair = session.scalars(select(models.PairStats).where(models.PairStats.squares > 0)).first()
        assert pair is not None
        kept = getattr(pair, name)
        setattr(pair, name, kept + 1)
    with database.read() as session:
        [sentence] = found(session, records)
    assert f"{name} {kept + 1}" in sentence
    assert f"{name} {kept}" in sentence.partition("their matches give")[2]


@IN_BOTH
def test_points_on_a_board_that_were_changed_are_named(database: Database, records: Records) -> None:
    with database.write() as session:
        seat = session.get_one(models.StoredSeat, (1, 0))
        kept = seat.board_points
        seat.board_points = [1000.0]
    with database.read() as session:
        (difference,) = found(session, records)
        assert difference.startswith("match 1, seat 0: board_points is [1000.0], ")
        assert difference.endswith(f" {kept}.")


def test_a_match_keeps_how_it_was_rated_when_new_ones_are_rated_otherwise(
    database: Database, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "RATED_BY", RatedBy.MATCH)
    with database.write() as session:
        bots = session.scalars(select(models.Rating.version_id).where(models.Rating.variant == "hearts")).all()
        match = queue(session, bots[:4])
        attempt, lines = lease(session, match), played(form="boards:2")
        assert record_summary(session, match, attempt, summarise(lines), NOW)
        row = match_row(session, session.get_one(models.StoredMatch, match))
        explained = explain(row, session.get_one(models.Variant, "hearts"))
        first = match_row(session, session.get_one(models.StoredMatch, 1))
    assert (first.rated_by, row.rated_by) == ("boards", "match")
    assert all(one.agrees for one in explained)
    assert {part.score for one in explained for part in one.move.against} <= {0.0, 0.5, 1.0}
    with database.read() as session:
        assert found(session, records | {(match, attempt): lines}) == []


@IN_BOTH
def test_a_match_whose_record_is_not_kept_is_taken_from_its_seats(database: Database, records: Records) -> None:
    with database.write() as session:
        for number in range(1, 11):
            session.get_one(models.StoredMatch, number).record_kept = False
    kept = {key: lines for key, lines in records.items() if key[0] > 10}
    with database.read() as session:
        assert found(session, kept) == []
        assert not replay(session, lambda match, attempt: kept[match, attempt]).has_all


def test_a_record_that_cannot_be_read_is_named_and_so_is_one_of_another_match(
    database: Database, records: Records
) -> None:
    def read(match: int, attempt: int) -> Sequence[AnyLine]:
        if match == 3:
            raise RecordError("'3.jsonl.gz' cannot be read: No such file or directory.")
        return records[match, attempt] if match != 4 else played("hearts", "other")

    with database.read() as session:
        missing, other = sorted(differences(session, read))
        assert missing.startswith("match 3: '3.jsonl.gz' ")
        assert other.startswith("match 4: ")
        assert "another match" in other

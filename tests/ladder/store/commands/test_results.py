"""A result and all that follows from it, in one transaction."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from ladder.ratings.elo import START, Side, SideMember, moves
from ladder.results.summary import summarise, teams_of
from ladder.store import models
from ladder.store.commands.results import WrongRecord, record_summary
from pigpen.rules import PRESETS
from referee.records.lines import DealLine, ResultLine
from referee.records.recorded import BadRecord
from referee.replay.rerun import asked
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, enter_version, lease, played, queue, summary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from ladder.results.summary import MatchSummary
    from ladder.store.database import Database
    from referee.records.lines import AnyLine, BotResult, Step

__all__ = ["backend"]

NAMES = ("Trotter", "Snout", "Truffle", "Bristle", "Wallow")


def entered(database: Database, variant: str = "hearts", count: int = 4) -> list[int]:
    with database.write() as session:
        return [enter(session, name, variant) for name in NAMES[:count]]


def play(
    database: Database,
    versions: Sequence[int],
    variant: str = "hearts",
    seed: str = "1",
    sinner: int | None = None,
    now: float = NOW,
) -> int:
    """Queue a match, lease it, and record its result."""
    with database.write() as session:
        match = queue(session, versions, variant, seed)
        attempt = lease(session, match)
    with database.write() as session:
        assert record_summary(session, match, attempt, summary_of(variant, seed, sinner), now)
    return match


def results_of(lines: Sequence[AnyLine]) -> tuple[BotResult, ...]:
    last = lines[-1]
    assert isinstance(last, ResultLine)
    return last.results


def entry(session: Session, version: int, variant: str = "hearts") -> models.Rating:
    return session.get_one(models.Rating, (variant, version))


def ratings(database: Database, variant: str = "hearts") -> dict[int, float]:
    with database.read() as session:
        rating = models.Rating
        found = session.execute(select(rating.version_id, rating.rating).where(rating.variant == variant))
        return {row.version_id: row.rating for row in found}


def everything(database: Database) -> dict[str, list[Any]]:
    """All rows of all tables."""
    with database.read() as session:
        return {
            table.name: sorted(map(str, session.execute(select(table)).all()))
            for table in models.Base.metadata.sorted_tables
        }


def test_a_result_moves_ratings_by_places_as_elo_says(database: Database) -> None:
    versions = entered(database)
    play(database, versions)
    sides = [
        Side((SideMember(version, START, 0),), result.place)
        for version, result in zip(versions, results_of(played()), strict=True)
    ]
    assert ratings(database) == {move.version: move.after for move in moves(sides)}
    assert math.fsum(ratings(database).values()) == pytest.approx(4 * START)


@IN_BOTH
def test_the_seats_keep_how_it_went_and_the_ratings_before_and_after(database: Database) -> None:
    versions = entered(database)
    play(database, versions)
    match = play(database, versions[::-1], seed="2")
    with database.read() as session:
        seats = session.scalars(
            select(models.StoredSeat).where(models.StoredSeat.match_id == match).order_by(models.StoredSeat.seat)
        )
        for seat, result in zip(seats.all(), results_of(played(seed="2")), strict=True):
            assert (seat.place, seat.points_per_deal) == (result.place, result.points_per_deal)
            assert (seat.faults, seat.taken_over, seat.timed) == (0, False, "wall")
            assert (seat.median_ms, seat.worst_ms) == (result.think_ms["median"], result.think_ms["worst"])
            now = entry(session, seat.version_id)
            assert (seat.matches_before, seat.boards_before, seat.rating_after) == (1, 4, now.rating)
            assert now.history == [START, seat.rating_before, seat.rating_after]


def own_steps(seed: str, bot: int) -> list[Step]:
    """List the steps for which a bot was asked in a match."""
    return [step for line in played(seed=seed) if isinstance(line, DealLine) for step in asked(line, bot)]


def test_an_entry_adds_up_its_matches(database: Database) -> None:
    versions = entered(database)
    seeds = ("1", "2", "3")
    for seed in seeds:
        play(database, versions, seed=seed)
    with database.read() as session:
        for bot, version in enumerate(versions):
            results = [results_of(played(seed=seed))[bot] for seed in seeds]
            now = entry(session, version)
            assert (now.matches, now.deals, now.points) == (3, 12, sum(each.total for each in results))
            assert now.places == [sum(each.place == place for each in results) for place in (1, 2, 3, 4)]
            assert now.seats == [3 * (seat == bot) for seat in range(4)]
            assert now.decisions == sum(len(own_steps(seed, bot)) for seed in seeds) < 3 * 4 * 14
            assert (now.faults, now.takeovers, now.recent) == (0, 0, "...")


def test_the_history_goes_twenty_matches_back(database: Database) -> None:
    versions = entered(database)
    for number in range(22):
        play(database, versions, seed=str(number % 3))
    with database.read() as session:
        assert len(entry(session, versions[0]).history) == 20


def test_pairs_count_their_matches_scores_and_neighbours(database: Database) -> None:
    one, two, three, four = entered(database)
    play(database, (three, one, four, two))
    place = dict(zip((three, one, four, two), (each.place for each in results_of(played())), strict=True))
    with database.read() as session:
        pairs = {(pair.a, pair.b): pair for pair in session.scalars(select(models.PairStats))}
        assert set(pairs) == {(one, two), (one, three), (one, four), (two, three), (two, four), (three, four)}
        for (a, b), pair in pairs.items():
            assert (pair.n, pair.score) == (1, float(place[a] < place[b]))
        sat = {key: (pair.a_then_b, pair.b_then_a) for key, pair in pairs.items()}
    assert sat == {
        (one, three): (0, 1), (one, four): (1, 0), (two, four): (0, 1), (two, three): (1, 0),
        (one, two): (0, 0), (three, four): (0, 0),
    }  # fmt: skip
    play(database, (one, three, two, four))
    with database.read() as session:
        pair = session.get_one(models.PairStats, ("hearts", one, three, 4))
        assert (pair.n, pair.a_then_b, pair.b_then_a) == (2, 1, 1)


def with_points(summary: MatchSummary, points: Sequence[float], places: Sequence[int]) -> MatchSummary:
    """The match, with other points on its only board, and other places."""
    bots = zip(summary.bots, points, places, strict=True)
    return replace(summary, bots=tuple(replace(bot, board_points=(each,), place=place) for bot, each, place in bots))


def test_equal_places_are_half_a_win_for_each(database: Database) -> None:
    one, two, three, four = versions = entered(database)
    summary = with_points(summarise(played()), (-6.5, -1.0, -6.5, -12.0), (2, 1, 2, 4))
    with database.write() as session:
        attempt = lease(session, match := queue(session, versions))
        assert record_summary(session, match, attempt, summary, NOW)
    now = ratings(database)
    assert now[one] == now[three] == START
    assert (now[two] - START, START - now[four]) == (60, 60)
    with database.read() as session:
        pair = session.get_one(models.PairStats, ("hearts", one, three, 4))
        assert (pair.score, pair.board_score, pair.ties, pair.points, pair.squares) == (0.5, 0.5, 1, 0, 0)
        pair = session.get_one(models.PairStats, ("hearts", one, two, 4))
        assert (pair.score, pair.board_score, pair.ties, pair.points, pair.squares) == (0, 0, 0, -5.5, 30.25)
        assert entry(session, three).places == [0, 1, 0, 0]


@pytest.mark.parametrize("variant", ["hearts", "gongzhu-five", "gongzhu-partners"])
def test_pairs_add_up_the_points_of_their_boards(database: Database, variant: str) -> None:
    """From the points of the record alone, deal by deal."""
    sides = len(teams_of(PRESETS[variant]))
    versions = entered(database, variant, sides)
    seated = versions * 2 if PRESETS[variant].partners else versions
    leads: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for seed in ("1", "2"):
        with database.write() as session:
            lines = played(variant, seed, form="boards:2")
            match = queue(session, seated, variant, seed, form="boards:2")
            assert record_summary(session, match, lease(session, match), summarise(lines), NOW)
        for board in (0, 1):
            deals = [line for line in lines if isinstance(line, DealLine) and line.deal == board]
            sign = -1 if PRESETS[variant].low_is_better else 1
            points = {
                version: sign * sum(line.scores[(line.seats or ()).index(bot)] for line in deals) / len(deals)
                for bot, version in enumerate(versions)
            }
            for a, b in combinations(sorted(versions), 2):
                leads[a, b].append(points[a] - points[b])
    with database.read() as session:
        pairs = {(pair.a, pair.b): pair for pair in session.scalars(select(models.PairStats))}
    assert pairs.keys() == leads.keys()
    for key, pair in pairs.items():
        assert (pair.n, pair.boards_played) == (2, 4)
        assert pair.board_score == sum((lead > 0) + (lead == 0) / 2 for lead in leads[key])
        assert pair.ties == sum(lead == 0 for lead in leads[key])
        assert pair.points == pytest.approx(sum(leads[key]))
        assert pair.squares == pytest.approx(sum(lead**2 for lead in leads[key]))


def test_five_seats_are_rated_on_the_same_scale(database: Database) -> None:
    versions = entered(database, "gongzhu-five", 5)
    play(database, versions, "gongzhu-five")
    places = [result.place for result in results_of(played("gongzhu-five"))]
    now = ratings(database, "gongzhu-five")
    assert [now[version] for version in versions] == [START + 60 - 30 * (place - 1) for place in places]
    with database.read() as session:
        assert len(entry(session, versions[0], "gongzhu-five").places) == 5
        assert len(session.scalars(select(models.PairStats)).all()) == 10


@IN_BOTH
def test_partners_are_one_bot_in_two_chairs_and_play_one_match(database: Database) -> None:
    one, two = entered(database, "gongzhu-partners", 2)
    play(database, (one, two, one, two), "gongzhu-partners")
    results = results_of(played("gongzhu-partners"))
    won = results[0].place == 1
    with database.read() as session:
        now = entry(session, one, "gongzhu-partners")
        assert (now.matches, now.deals, now.points) == (1, 4, results[0].total)
        assert (now.places, now.seats) == ([int(won), int(not won)], [1, 0, 1, 0])
        assert now.rating == START + 60 * (1 if won else -1)
        pair = session.get_one(models.PairStats, ("gongzhu-partners", one, two, 4))
        assert (pair.n, pair.score, pair.a_then_b, pair.b_then_a) == (1, float(won), 2, 2)
        seats = session.scalars(select(models.StoredSeat).where(models.StoredSeat.version_id == one)).all()
        assert {(seat.rating_before, seat.rating_after, seat.matches_before) for seat in seats} == {
            (START, now.rating, 0)
        }


def test_two_partners_that_differ_are_rated_as_a_team(database: Database) -> None:
    one, two, three, four = versions = entered(database, "gongzhu-partners")
    play(database, versions, "gongzhu-partners")
    now = ratings(database, "gongzhu-partners")
    assert now[one] == now[three] != START
    assert now[two] == now[four] == 2 * START - now[one]
    with database.read() as session:
        met = {(pair.a, pair.b) for pair in session.scalars(select(models.PairStats))}
    assert met == {(one, two), (one, four), (two, three), (three, four)}


@IN_BOTH
def test_an_offender_is_last_and_the_others_are_rated_among_themselves(database: Database) -> None:
    versions = entered(database)
    match = play(database, versions, sinner=2)
    places = [result.place for result in results_of(played(sinner=2))]
    assert places[2] == 4
    now = ratings(database)
    assert [now[version] for version in versions] == pytest.approx([START + 60 - 40 * (each - 1) for each in places])
    with database.read() as session:
        sinner = entry(session, versions[2])
        assert (sinner.faults, sinner.takeovers, sinner.recent, sinner.decisions) == (12, 1, "x", 12)
        faults = session.scalars(select(models.StoredFault).order_by(models.StoredFault.id)).all()
        assert len(faults) == 12
        assert {(fault.match_id, fault.seat, fault.version_id, fault.verdict) for fault in faults} == {
            (match, 2, versions[2], "malformed")
        }
        assert [fault.decision for fault in faults if fault.rotation == 1] == [1, 2, 3]
        assert faults[0].why == "it cannot be read"
        assert [entry(session, each).recent for each in versions] == [".", ".", "x", "."]


def test_think_times_add_up_by_phase(database: Database) -> None:
    versions = entered(database)
    play(database, versions)
    play(database, versions, seed="2")
    with database.read() as session:
        stored_counts = session.get_one(models.ThinkTimes, ("hearts", versions[0])).histogram
    counted = {phase: sum(counts) for phase, counts in stored_counts.items()}
    assert counted["pass"] == 2 * 4
    cards = [step.play for seed in ("1", "2") for step in own_steps(seed, 0) if step.play]
    assert counted["lead"] + counted["follow"] == len(cards) < 2 * 4 * 13
    assert set(counted) == {"pass", "lead", "follow"}


def test_the_match_is_done_and_numbered_in_order_of_results(database: Database) -> None:
    versions = entered(database)
    with database.write() as session:
        first, second = queue(session, versions), queue(session, versions, seed="2")
        lease(session, first)
        lease(session, second)
    for match, seed in ((second, "2"), (first, "1")):
        with database.write() as session:
            assert record_summary(session, match, 1, summary_of(seed=seed), NOW + 5)
    with database.read() as session:
        matches = [session.get_one(models.StoredMatch, match) for match in (second, first)]
        assert [match.ordinal for match in matches] == [1, 2]
        assert {(match.status, match.finished, match.deals, match.record_kept) for match in matches} == {
            (models.Status.DONE, NOW + 5, 4, True)
        }
        assert {(match.holder, match.lease_until) for match in matches} == {(None, None)}


@IN_BOTH
def test_a_result_that_comes_too_late_changes_nothing(database: Database) -> None:
    versions = entered(database)
    with database.write() as session:
        match = queue(session, versions)
    before = everything(database)
    with database.write() as session:  # nobody has leased it
        assert not record_summary(session, match, 0, summary_of(), NOW)
    assert everything(database) == before
    with database.write() as session:
        old = lease(session, match)
        new = lease(session, match)  # as after an expired lease
    before = everything(database)
    with database.write() as session:
        assert not record_summary(session, match, old, summary_of(), NOW)
    assert everything(database) == before
    with database.write() as session:
        assert record_summary(session, match, new, summary_of(), NOW)
    before = everything(database)
    for attempt in (old, new):  # once is enough
        with database.write() as session:
            assert not record_summary(session, match, attempt, summary_of(), NOW)
    assert everything(database) == before


STEPS = ("_write_seats", "_write_faults", "_write_pair_results", "_write_think_times", "_write_ratings")


@pytest.mark.parametrize("step", STEPS)
def test_a_failure_in_the_middle_leaves_nothing(database: Database, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = entered(database)
    with database.write() as session:
        attempt = lease(session, match := queue(session, versions))
    before = everything(database)

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(f"ladder.store.commands.results.{step}", fail)
    with pytest.raises(MemoryError), database.write() as session:
        record_summary(session, match, attempt, summary_of(sinner=0), NOW)
    assert everything(database) == before


@IN_BOTH
def test_the_record_of_another_match_is_refused(database: Database) -> None:
    versions = entered(database)
    with database.write() as session:
        attempt = lease(session, match := queue(session, versions, seed="1"))
    before = everything(database)
    with pytest.raises(WrongRecord, match=f"match {match}, attempt 1"), database.write() as session:
        record_summary(session, match, attempt, summary_of(seed="2"), NOW)
    with pytest.raises(BadRecord, match="not finished"), database.write() as session:
        record_summary(session, match, attempt, summarise(played(seed="1")[:-1]), NOW)
    assert everything(database) == before


def test_equal_results_give_equal_ratings_on_both_databases(database: Database) -> None:
    versions = entered(database)
    for number, seed in enumerate(("1", "2", "3", "2")):
        turned = versions[number:] + versions[:number]
        play(database, turned, seed=seed, sinner=1 if seed == "3" else None)
    now = ratings(database)
    expected = dict.fromkeys(versions, START)
    played_before = dict.fromkeys(versions, 0)
    for number, seed in enumerate(("1", "2", "3", "2")):
        turned = versions[number:] + versions[:number]
        lines = played(seed=seed, sinner=1 if seed == "3" else None)
        sides = [
            Side((SideMember(version, expected[version], 4 * played_before[version]),), result.place)
            for version, result in zip(turned, results_of(lines), strict=True)
        ]
        expected |= {move.version: move.after for move in moves(sides)}
        played_before = dict.fromkeys(versions, number + 1)
    assert now == expected  # to the last bit


def test_results_of_those_who_do_not_play_any_more_still_count(database: Database) -> None:
    versions = entered(database)
    with database.write() as session:
        attempt = lease(session, match := queue(session, versions))
        entry(session, versions[0]).state = models.State.RETIRED
        entry(session, versions[1]).state = models.State.SUSPENDED
    with database.write() as session:
        assert record_summary(session, match, attempt, summary_of(), NOW)
    with database.read() as session:
        assert [entry(session, version).matches for version in versions] == [1, 1, 1, 1]
        assert [entry(session, version).state for version in versions[:3]] == ["retired", "suspended", "active"]
        assert [entry(session, version).recent for version in versions] == ["", "", ".", "."]


def test_a_new_version_goes_on_from_where_it_was_put(database: Database) -> None:
    versions = entered(database)
    play(database, versions)
    with database.write() as session:
        predecessor = entry(session, versions[0]).rating
        new = enter(session, NAMES[0], rating=predecessor)
    match = play(database, (new, *versions[1:]), seed="2")
    with database.read() as session:
        seat = session.get_one(models.StoredSeat, (match, 0))
        assert (seat.rating_before, seat.matches_before) == (predecessor, 0)
        assert entry(session, versions[0]).rating == predecessor


def test_variants_are_rated_apart(database: Database) -> None:
    versions = entered(database)
    with database.write() as session:
        for version in versions:
            enter_version(session, version, "gongzhu")
    play(database, versions, "gongzhu")
    assert set(ratings(database).values()) == {START}
    assert len(set(ratings(database, "gongzhu").values())) == 4
    with database.read() as session:
        assert session.get(models.PairStats, ("hearts", *versions[:2], 4)) is None

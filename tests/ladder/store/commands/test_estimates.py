"""The batch estimate beside the ratings, kept up to date."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import select

from ladder.ratings.batch import Estimate, fit, pair_weight
from ladder.ratings.points import PairSums, fit_points
from ladder.store import models
from ladder.store.commands import estimates
from ladder.store.commands.estimates import (
    NOT_FROM_RESULTS,
    RefreshRate,
    estimate_findings,
    follow_states,
    intervals,
    refresh,
    stale,
)
from ladder.store.commands.results import record_summary
from ladder.store.last_estimate import estimate_of, los, margins_of
from ladder.store.lookup import find_variant
from ladder.store.queries.standings import standings
from tests.ladder.databases import IN_BOTH
from tests.ladder.databases import later_backend as backend
from tests.ladder.ladders import NOW, enter, lease, queue, summary_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from ladder.store.database import Database

__all__ = ["backend"]

NAMES = ("Trotter", "Snout", "Truffle", "Bristle", "Wallow", "Hoof")


@pytest.fixture
def versions(database: Database) -> list[int]:
    with database.write() as session:
        return [enter(session, name) for name in NAMES]


def play(database: Database, versions: list[int], count: int, variant: str = "hearts", seats: int = 4) -> None:
    rng = Random(3)
    for number in range(count):
        with database.write() as session:
            seed = "123"[number % 3]
            match = queue(session, rng.sample(versions, seats), variant, seed)
            assert record_summary(session, match, lease(session, match), summary_of(variant, seed), NOW)


def entry(database: Database, version: int) -> models.Rating:
    with database.read() as session:
        found = session.get_one(models.Rating, ("hearts", version))
        session.expunge(found)
        return found


def test_the_standings_get_the_errors_and_rank_intervals_of_a_fit_of_all_pairs(
    database: Database, versions: list[int]
) -> None:
    play(database, versions, 20)
    assert refresh(database, "hearts") is not None
    with database.read() as session:
        pairs = session.scalars(select(models.PairStats)).all()
    a, b = (np.array([getattr(pair, name) for pair in pairs], dtype=np.int64) for name in ("a", "b"))
    score, n = (np.array([float(getattr(pair, name)) for pair in pairs]) for name in ("score", "n"))
    expected = fit(versions, a, b, score, n, pair_weight(4))
    for version in versions:
        now = entry(database, version)
        assert now.error == pytest.approx(expected.error(version))
        assert (now.rank_low, now.rank_high) == expected.ranks(version)
    with database.read() as session:
        kept = estimate_of(session, "hearts")
        assert kept is not None
        assert kept.versions.tolist() == versions
        one, other = versions[:2]
        assert los(session, "hearts", one, other) == pytest.approx(expected.los(one, other), abs=1e-5)
        assert los(session, "hearts", other, one) == pytest.approx(1 - expected.los(one, other), abs=1e-5)


def test_the_standings_get_the_margins_of_a_fit_of_all_points(database: Database, versions: list[int]) -> None:
    play(database, versions, 20)
    refresh(database, "hearts")
    with database.read() as session:
        pairs = session.scalars(select(models.PairStats)).all()
        kept = margins_of(session, "hearts")
    names = ("a", "b", "boards_played", "points", "squares")
    columns = [np.array([getattr(pair, name) for pair in pairs]) for name in names]
    expected = fit_points(versions, PairSums(*columns), 4)
    assert expected is not None
    assert kept is not None
    assert (kept.mean, kept.versions.tolist()) == (0, versions)
    assert np.ptp(expected.ratings) > 0
    for version in versions:
        now = entry(database, version)
        assert now.margin == pytest.approx(expected.value(version))
        assert now.margin_error == pytest.approx(expected.error(version))
        assert (now.margin_rank_low, now.margin_rank_high) == expected.ranks(version)
        assert now.outplaced_by is None


def test_a_ladder_without_boards_has_no_margins(database: Database, versions: list[int]) -> None:
    refresh(database, "hearts")
    assert entry(database, versions[0]).error is not None
    assert entry(database, versions[0]).margin is None
    with database.read() as session:
        assert margins_of(session, "hearts") is None


def test_who_surely_wins_more_points_and_surely_fewer_places_is_named(database: Database, versions: list[int]) -> None:
    """The steady one has a small lead on nearly all boards, the other a large one on the rest."""
    steady, bold = versions[:2]
    with database.write() as session:
        session.add(
            models.PairStats(
                variant="hearts", a=steady, b=bold, boards=4, score=240.0, n=250, a_then_b=0, b_then_a=0,
                boards_played=1000, board_score=800.0, points=-1000.0 * 2, squares=1000.0 * 25,
            )
        )  # fmt: skip
    refresh(database, "hearts")
    assert (entry(database, bold).outplaced_by, entry(database, steady).outplaced_by) == (steady, None)
    with database.read() as session:
        rows = standings(session, find_variant(session, "hearts")).standings
    assert {row.bot: row.outplaced_by for row in rows if row.outplaced_by} == {NAMES[1]: NAMES[0]}
    with database.write() as session:
        session.get_one(models.Rating, ("hearts", steady)).state = models.State.RETIRED
        follow_states(session, "hearts")
    assert entry(database, bold).outplaced_by is None
    assert entry(database, bold).margin == pytest.approx(1.0, abs=0.2)  # no margin moves without a match
    assert entry(database, steady).margin_rank_low is None


def beat(database: Database, winner: int, loser: int, share: float = 0.75, boards: int = 200) -> None:
    """Let a bot be ahead of another on a share of their boards."""
    score = (share if winner < loser else 1 - share) * boards
    with database.write() as session:
        session.add(
            models.PairStats(
                variant="hearts", a=min(winner, loser), b=max(winner, loser), boards=4, score=score / 4, n=boards // 4,
                a_then_b=0, b_then_a=0, boards_played=boards, board_score=score, points=0.0, squares=25.0 * boards,
            )
        )  # fmt: skip


def beat_in_a_circle(database: Database, one: int, two: int, three: int) -> None:
    for winner, loser in ((one, two), (two, three), (three, one)):
        beat(database, winner, loser)


def circles_shown(database: Database) -> list[list[tuple[str, int, int]]]:
    with database.read() as session:
        found = standings(session, find_variant(session, "hearts")).circles
    return [[(step.bot, step.ahead, step.behind) for step in circle.steps] for circle in found]


@IN_BOTH
def test_bots_that_beat_each_other_in_a_circle_are_named_while_all_three_play(
    database: Database, versions: list[int]
) -> None:
    one, two, three, *_ = versions
    beat_in_a_circle(database, one, two, three)
    assert circles_shown(database) == []
    refresh(database, "hearts")
    named = [[(name, 150, 50) for name in NAMES[:3]]]
    assert circles_shown(database) == named
    for state, shown in ((models.State.RETIRED, []), (models.State.SUSPENDED, []), (models.State.ACTIVE, named)):
        with database.write() as session:
            session.get_one(models.Rating, ("hearts", two)).state = state
            follow_states(session, "hearts")
        assert circles_shown(database) == shown
        refresh(database, "hearts")
        assert circles_shown(database) == shown


def test_of_circles_that_share_a_bot_the_surer_one_is_named_and_of_all_a_few(
    database: Database, versions: list[int]
) -> None:
    one, two, three, four, *_ = versions
    beat_in_a_circle(database, one, two, three)
    for winner, loser in ((three, four), (four, two)):
        beat(database, winner, loser, 0.65)

    def named() -> tuple[int, list[set[str]]]:
        refresh(database, "hearts")
        with database.read() as session:
            kept = len(session.get_one(models.StoredEstimate, "hearts").circles)
        return kept, [{bot for bot, *_ in circle} for circle in circles_shown(database)]

    assert named() == (2, [set(NAMES[:3])])
    with database.write() as session:
        more = [enter(session, f"Bot {number}") for number in range(9)]
    for first in (0, 3, 6):
        beat_in_a_circle(database, *more[first : first + 3])
    kept, shown = named()
    assert (kept, len(shown), len(set.union(*shown))) == (5, 3, 9)


@IN_BOTH
def test_the_check_fits_again_and_names_what_does_not_follow_from_the_results(
    database: Database, versions: list[int]
) -> None:
    assert list(estimate_findings(database)) == []
    play(database, versions, 20)
    refresh(database, "hearts")
    assert list(estimate_findings(database)) == []
    with database.write() as session:
        stored = session.get_one(models.StoredEstimate, "hearts")
        estimate, margins = Estimate.from_bytes(stored.fit), Estimate.from_bytes(stored.margins or b"", 0.0)
        stored.fit = replace(estimate, ratings=1.0001 * estimate.ratings).to_bytes()
        stored.margins = replace(margins, covariance=1.01 * margins.rows(np.arange(len(versions)))).to_bytes()
        stored.circles = [[[version, 9, 1] for version in versions[:3]]]
    names = ("ratings", "margins", "circles")
    assert list(estimate_findings(database)) == [NOT_FROM_RESULTS.format(what=what, variant="hearts") for what in names]
    play(database, versions, 1)  # the estimate is behind, which is no fault
    assert list(estimate_findings(database)) == []
    refresh(database, "hearts")
    with database.write() as session:
        session.get_one(models.Rating, ("hearts", versions[0])).state = models.State.RETIRED
        follow_states(session, "hearts")
        enter(session, "Late")
    assert list(estimate_findings(database)) == []


def test_a_bot_that_leaves_during_a_fit_has_no_rank_and_others_are_ranked_without_it(
    database: Database, versions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(database, versions, 20)

    def late(*fitted: Any) -> list[dict[str, Any]]:
        monkeypatch.setattr(estimates, "intervals", intervals)
        with database.write() as session:
            session.get_one(models.Rating, ("hearts", versions[0])).state = models.State.RETIRED
            follow_states(session, "hearts")
        return intervals(*fitted)

    monkeypatch.setattr(estimates, "intervals", late)
    estimate = refresh(database, "hearts")
    assert estimate is not None
    assert entry(database, versions[0]).rank_low is None
    among = estimate.among(versions[1:])
    for version in versions[1:]:
        now = entry(database, version)
        assert (now.rank_low, now.rank_high) == among.ranks(version)


def test_more_matches_make_the_error_smaller(database: Database, versions: list[int]) -> None:
    refresh(database, "hearts")
    before = entry(database, versions[0]).error
    play(database, versions, 12)
    refresh(database, "hearts")
    after = entry(database, versions[0]).error
    assert before is not None
    assert after is not None
    assert after < 0.8 * before


def test_partners_are_two_sides(database: Database) -> None:
    variant = "gongzhu-partners"
    with database.write() as session:
        one, two = (enter(session, name, variant) for name in NAMES[:2])
        match = queue(session, (one, two, one, two), variant)
        assert record_summary(session, match, lease(session, match), summary_of(variant), NOW)
    estimate = refresh(database, variant)
    assert estimate is not None
    with database.read() as session:
        pair = session.get_one(models.PairStats, (variant, one, two, 4))
    expected = fit([one, two], np.array([one]), np.array([two]), np.array([pair.score]), np.array([1.0]), 1.0)
    assert estimate.ratings == pytest.approx(expected.ratings)


def test_those_who_do_not_play_take_no_rank_but_their_matches_still_tell(
    database: Database, versions: list[int]
) -> None:
    play(database, versions, 20)
    with database.write() as session:
        for version, state in ((versions[0], models.State.RETIRED), (versions[1], models.State.SUSPENDED)):
            session.get_one(models.Rating, ("hearts", version)).state = state
    estimate = refresh(database, "hearts")
    assert estimate is not None
    assert estimate.versions.tolist() == versions
    assert entry(database, versions[0]).error is None
    among = estimate.among(versions[2:])
    for version in versions[2:]:
        now = entry(database, version)
        assert now.error == pytest.approx(among.error(version))
        assert now.rank_high is not None
        assert now.rank_high <= 4
    with database.read() as session:
        assert los(session, "hearts", versions[0], versions[5]) is not None


@IN_BOTH
def test_of_the_retired_only_the_newest_stay_in_the_estimate(database: Database, versions: list[int]) -> None:
    play(database, versions, 10)
    with database.write() as session:
        for version in versions[:3]:
            session.get_one(models.Rating, ("hearts", version)).state = models.State.RETIRED
    estimate = refresh(database, "hearts", max_versions=4)
    assert estimate is not None
    assert estimate.versions.tolist() == versions[2:]
    estimate = refresh(database, "hearts", max_versions=1)  # who plays is never left out
    assert estimate is not None
    assert estimate.versions.tolist() == versions[3:]


def test_an_estimate_is_stale_after_a_result_or_a_new_bot(database: Database, versions: list[int]) -> None:
    with database.read() as session:
        assert stale(session) == ["hearts"]
    refresh(database, "hearts")
    with database.read() as session:
        assert stale(session) == []
    play(database, versions, 1)
    with database.write() as session:
        assert stale(session) == ["hearts"]
        enter(session, "Trotter", "gongzhu")
        assert stale(session) == ["gongzhu", "hearts"]
        assert stale(session, ["hearts"]) == ["hearts"]
    refresh(database, "hearts")
    refresh(database, "gongzhu")
    with database.write() as session:
        assert stale(session) == []
        enter(session, "Trotter")
        assert stale(session) == ["hearts"]


def test_a_variant_where_nobody_plays_can_be_estimated(database: Database, versions: list[int]) -> None:
    with database.write() as session:
        for version in versions:
            session.get_one(models.Rating, ("hearts", version)).state = models.State.RETIRED
    assert refresh(database, "hearts") is not None
    assert refresh(database, "gongzhu") is None
    with database.read() as session:
        assert stale(session) == []


def test_before_the_first_estimate_and_for_others_there_is_no_likelihood(
    database: Database, versions: list[int]
) -> None:
    with database.read() as session:
        assert estimate_of(session, "hearts") is None
        assert los(session, "hearts", *versions[:2]) is None
    refresh(database, "hearts")
    with database.read() as session:
        assert los(session, "hearts", versions[0], 999) is None
        assert los(session, "hearts", versions[0], versions[1]) == pytest.approx(0.5)


def test_results_that_come_during_the_fit_are_left_to_the_next(
    database: Database, versions: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(database, versions, 2)
    fitted = estimates._fitted

    def slow(session: Session, variant: str, among: list[int]) -> estimates.Fits | None:
        found = fitted(session, variant, among)
        monkeypatch.setattr(estimates, "_fitted", fitted)
        play(database, versions, 1)  # nobody has to wait for the fit
        return found

    monkeypatch.setattr(estimates, "_fitted", slow)
    refresh(database, "hearts")
    with database.read() as session:
        assert session.get_one(models.StoredEstimate, "hearts").ordinal == 2
        assert stale(session) == ["hearts"]


def test_estimates_take_two_hundredths_of_the_time() -> None:
    pace = RefreshRate()
    assert pace.is_due(0.0)
    now = spent = 0.0
    while now < 1000:
        if pace.is_due(now):
            pace.took(now, now + 0.7)
            spent += 0.7
            now += 0.7
        now += 0.1
    assert 0.019 < spent / now < 0.0205

"""What a match does to those who played it, without a store."""

from __future__ import annotations

from ladder.ratings.elo import START, moves
from ladder.results.standing import TREND, PairResult, VersionStanding, outcome, sides_of
from tests.ladder.ladders import summary_of

NEW = VersionStanding(START)
BOARDS = 4


def test_everybody_moves_by_the_ratings_before_the_match() -> None:
    summary = summary_of()
    before = {1: NEW, 2: VersionStanding(1700.0, matches=9, boards=36), 3: NEW, 4: NEW}
    new = outcome(summary, (3, 1, 4, 2), before, BOARDS)
    assert new.moves == moves(sides_of(summary, (3, 1, 4, 2), before), BOARDS)
    assert {version: standing.rating for version, standing in new.standings.items()} == {
        move.version: move.after for move in new.moves
    }
    assert (new.standings[2].matches, new.standings[2].boards) == (10, 40)
    assert before[1] == NEW


def test_a_bot_in_both_chairs_of_a_team_has_played_one_match_and_met_the_other_once() -> None:
    summary = summary_of("gongzhu-partners")
    new = outcome(summary, (8, 5, 8, 5), {8: NEW, 5: NEW}, BOARDS)
    standing = new.standings[8]
    assert (standing.matches, standing.deals, standing.points) == (1, summary.deals, summary.bots[0].points)
    assert standing.decisions == summary.bots[0].decisions + summary.bots[2].decisions
    assert (sum(standing.places), standing.seats) == (1, (1, 0, 1, 0))
    score = float(summary.bots[1].place < summary.bots[0].place)
    assert new.pair_results == (PairResult(5, 8, score, a_then_b=2, b_then_a=2),)


def test_a_team_that_was_taken_over_in_one_chair_has_failed_once_and_is_last() -> None:
    summary = summary_of("gongzhu-partners", sinner=3)
    new = outcome(summary, (8, 5, 8, 5), {8: NEW, 5: NEW}, BOARDS)
    assert (new.standings[5].takeovers, new.standings[5].faults, new.standings[5].places) == (1, 12, (0, 1))
    assert new.standings[5].rating == START - 60


def test_counts_grow_and_the_history_goes_no_further_back_than_the_trend() -> None:
    summary = summary_of()
    standings = dict.fromkeys((1, 2, 3, 4), NEW)
    ratings = []
    for _ in range(TREND + 3):
        standings = dict(outcome(summary, (1, 2, 3, 4), standings, BOARDS).standings)
        ratings.append(standings[1].rating)
    assert standings[1].history == tuple(ratings[-TREND:])
    assert (standings[1].matches, sum(standings[1].places), standings[1].seats) == (23, 23, (23, 0, 0, 0))


def test_a_match_is_rated_by_its_boards_and_adds_them_to_those_before() -> None:
    summary = summary_of()
    before = dict.fromkeys((1, 2, 3, 4), VersionStanding(START, matches=5, boards=20))
    short, long = (outcome(summary, (1, 2, 3, 4), before, boards) for boards in (1, 16))
    assert {standing.boards for standing in short.standings.values()} == {21}
    assert {standing.boards for standing in long.standings.values()} == {36}
    assert [abs(move.after - START) for move in long.moves] > [abs(move.after - START) for move in short.moves]

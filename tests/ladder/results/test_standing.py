"""Effect of a match on those who played it, without a store."""

from __future__ import annotations

from ladder.ratings.elo import START, Side, SideMember, moves
from ladder.results.standing import (
    TREND,
    PairResult,
    RatedBy,
    VersionStanding,
    outcome,
    places_on_boards,
    sides_of,
)
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
    ours, theirs = (summary.bots[bot].board_points[0] for bot in (0, 1))
    assert new.pair_results == (
        PairResult(5, 8, score, 2, 2, 1, score, 0, points=theirs - ours, squares=(theirs - ours) ** 2),
    )


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


def test_elo_follows_from_the_places_on_each_board_or_in_the_match() -> None:
    summary, before = summary_of(form="boards:4"), dict.fromkeys((1, 2, 3, 4), NEW)
    by_boards, by_match = (outcome(summary, (1, 2, 3, 4), before, BOARDS, rated_by) for rated_by in RatedBy)
    points = [bot.board_points for bot in summary.bots]
    expected = [
        Side((SideMember(bot + 1, START, 0),), summary.bots[bot].place, places)
        for bot, places in enumerate(places_on_boards(points, [False] * 4))
    ]
    assert by_boards.moves == moves(expected, BOARDS)
    assert by_match.moves == moves([Side(side.members, side.place) for side in expected], BOARDS)
    assert by_boards.moves != by_match.moves
    assert by_boards.pair_results == by_match.pair_results
    assert {version: standing.places for version, standing in by_boards.standings.items()} == {
        version: standing.places for version, standing in by_match.standings.items()
    }


def test_places_on_a_board_are_those_of_its_points_and_an_offender_is_last_on_all() -> None:
    points = [(9.0, 1.0, 5.0), (7.0, 2.0, 5.0), (8.0, 2.0, 5.0), (1.0, 9.0, 4.0)]
    assert places_on_boards(points, [False] * 4) == [(1, 4, 1), (3, 2, 1), (2, 2, 1), (4, 1, 4)]
    assert places_on_boards(points, [True, False, False, False]) == [(4, 4, 4), (2, 2, 1), (1, 2, 1), (3, 1, 3)]
    assert places_on_boards([(), ()], [False, True]) == [(), ()]


def test_who_was_taken_over_at_the_end_of_a_match_scores_nothing_on_any_board() -> None:
    summary, before = summary_of(sinner=1, form="boards:2"), dict.fromkeys((1, 2, 3, 4), NEW)
    offender = outcome(summary, (1, 2, 3, 4), before, BOARDS).moves[1]
    assert [part.score for part in offender.against] == [0, 0, 0]

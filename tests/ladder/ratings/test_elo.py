from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.elo import (
    START,
    Move,
    Side,
    SideMember,
    expected,
    is_provisional,
    k_factor,
    moves,
    pair_scores,
    steepness,
)
from tests.rules.players import some

RATINGS = st.floats(0.0, 3000.0)
PLACES = st.integers(1, 5)


def bot(version: int, place: int, rating: float = START, matches: int = 100) -> Side:
    return Side((SideMember(version, rating, 4 * matches),), place)


def sides_of(team: int, matches: st.SearchStrategy[int]) -> st.SearchStrategy[list[Side]]:
    """Matches of two to five sides with *team* members each."""
    member = st.tuples(RATINGS, matches)
    side = st.tuples(st.lists(member, min_size=team, max_size=team), PLACES)

    def build(drawn: list[tuple[list[tuple[float, int]], int]]) -> list[Side]:
        return [
            Side(tuple(SideMember(10 * number + place, *one) for place, one in enumerate(members)), standing)
            for number, (members, standing) in enumerate(drawn)
        ]

    return st.lists(side, min_size=2, max_size=5).map(build)


ANY_SIDES = st.integers(1, 2).flatmap(lambda team: sides_of(team, st.integers(0, 2000)))


def change(move: Move) -> float:
    return move.after - move.before


def changes(sides: list[Side]) -> list[float]:
    return [change(move) for move in moves(sides)]


def test_two_seats_move_as_chess_players_do() -> None:
    winner, loser = moves([bot(1, 1, 1400, 65), bot(2, 2, 1600, 65)])
    assert winner.k == 10
    assert change(winner) == pytest.approx(10 * (1 - 1 / (1 + 10**0.5)))
    assert change(loser) == pytest.approx(-change(winner))


def test_a_difference_of_400_is_ten_wins_to_one() -> None:
    assert expected(1900, 1500) == pytest.approx(10 / 11)
    assert expected(1500, 1500) == 0.5


def test_k_starts_at_120_and_falls_as_an_average_does() -> None:
    assert [k_factor(4 * matches) for matches in (0, 1, 2, 30, 695)] == [120, 700 / 6, 100, 20, 1]


def test_a_difference_counts_twice_in_a_match_of_four_times_the_boards() -> None:
    assert expected(1700, 1500, 16) == pytest.approx(expected(1900, 1500, 4)) == pytest.approx(10 / 11)
    assert expected(1900, 1500, 1) == pytest.approx(expected(1700, 1500, 4))


@pytest.mark.parametrize(("boards", "matches"), [(1, 64), (2, 32), (8, 8), (16, 4)])
def test_a_rating_is_as_settled_after_as_many_boards_whatever_the_matches(boards: int, matches: int) -> None:
    """The step of a match, per standard deviation of a match's result, depends on all boards alone."""
    weight = [k_factor(before * boards, boards) / steepness(boards) for before in range(matches)]
    assert weight[-1] == pytest.approx(min(120.0 / steepness(boards), 700 / (16 + 4)))


def test_a_long_match_moves_a_settled_rating_more_and_a_newcomer_by_no_more_than_120() -> None:
    assert [round(k_factor(1000, boards), 2) for boards in (1, 4, 16)] == [1.38, 2.75, 5.43]
    assert [k_factor(0, boards) for boards in (4, 8, 16)] == [120, 120, 120]


def test_a_rating_is_provisional_as_long_as_a_match_may_move_it_by_more_than_28() -> None:
    assert [is_provisional(matches) for matches in (0, 19, 20, 500)] == [True, True, False, False]
    assert k_factor(4 * 20) == 28


@some
@given(st.integers(1, 2).flatmap(lambda team: sides_of(team, st.just(50))))
def test_with_equal_k_no_elo_is_made_or_lost(sides: list[Side]) -> None:
    assert math.fsum(changes(sides)) == pytest.approx(0.0, abs=1e-9)


def test_with_unequal_k_a_settled_bot_moves_less_than_the_newcomer_it_beat() -> None:
    settled, newcomer = changes([bot(1, 1, matches=695), bot(2, 2, matches=0)])
    assert [settled, newcomer] == [0.5, -60]


@some
@given(ANY_SIDES, st.randoms(use_true_random=False))
def test_the_order_of_the_sides_does_not_matter(sides: list[Side], rng: Random) -> None:
    shuffled = sides[:]
    rng.shuffle(shuffled)
    after = {move.version: move.after for move in moves(sides)}
    assert {move.version: move.after for move in moves(shuffled)} == after


@some
@given(ANY_SIDES)
def test_everybody_is_rated_by_the_ratings_before_the_match(sides: list[Side]) -> None:
    before = {side.versions: side.rating for side in sides}
    for move in moves(sides):
        assert all(part.rating == before[part.versions] for part in move.against)


@some
@given(ANY_SIDES)
def test_a_match_moves_no_rating_by_more_than_its_k(sides: list[Side]) -> None:
    assert all(abs(change(move)) <= move.k + 1e-9 for move in moves(sides))


@some
@given(ANY_SIDES)
def test_a_move_is_the_sum_of_what_its_opponents_brought(sides: list[Side]) -> None:
    for move in moves(sides):
        assert len(move.against) == len(sides) - 1
        assert change(move) == pytest.approx(math.fsum(part.change for part in move.against), abs=1e-9)
        for part in move.against:
            assert part.change == pytest.approx(move.k / (len(sides) - 1) * (part.score - part.expected))


def test_a_tie_is_half_a_win_and_pulls_ratings_together() -> None:
    assert changes([bot(1, 1), bot(2, 1)]) == [0, 0]
    strong, weak = changes([bot(1, 1, 1700), bot(2, 1, 1300)])
    assert strong == pytest.approx(k_factor(4 * 100) * (0.5 - 10 / 11))
    assert weak == -strong


def test_four_equal_bots_move_by_whole_and_third_parts_of_half_their_k() -> None:
    half = k_factor(4 * 100) / 2
    assert changes([bot(seat, seat + 1) for seat in range(4)]) == pytest.approx([half, half / 3, -half / 3, -half])


def test_five_seats_with_a_tie_in_the_middle() -> None:
    half = k_factor(4 * 100) / 2
    sides = [bot(version, place) for version, place in enumerate((1, 2, 2, 4, 5))]
    assert changes(sides) == pytest.approx([half, half / 4, half / 4, -half / 2, -half])


def test_two_four_and_five_seats_are_on_one_scale() -> None:
    firsts = [changes([bot(seat, 1 if seat == 0 else 2) for seat in range(seats)])[0] for seats in (2, 4, 5)]
    assert firsts == pytest.approx([k_factor(4 * 100) / 2] * 3)


def test_a_team_is_rated_by_the_mean_of_its_members_and_each_moves_by_its_own_k() -> None:
    ours = Side((SideMember(1, 1400, 0), SideMember(2, 1600, 2780)), place=1)
    theirs = Side((SideMember(3, 1500, 0), SideMember(4, 1500, 2780)), place=2)
    assert changes([ours, theirs]) == [60, 0.5, -60, -0.5]
    assert [part.versions for part in moves([ours, theirs])[0].against] == [(3, 4)]


def test_a_bot_in_both_chairs_of_a_team_is_one_member() -> None:
    assert [move.version for move in moves([bot(1, 1), bot(2, 2)])] == [1, 2]
    with pytest.raises(ValueError, match=r"each version once.*\[1, 1, 2\]"):
        moves([Side((SideMember(1, START, 0),) * 2, 1), bot(2, 2)])


def test_one_side_alone_is_no_match() -> None:
    with pytest.raises(ValueError, match="two sides or more"):
        moves([bot(1, 1)])


def test_who_was_taken_over_loses_to_all_and_the_others_are_rated_as_usual() -> None:
    """The referee's result has put the offender last, below bots with fewer points."""
    sides = [bot(1, 1, 1600), bot(2, 2, 1500), bot(3, 3, 1400), bot(4, 4, 1700)]
    *others, offender = moves(sides)
    assert all(part.score == 0 for part in offender.against)
    assert change(offender) < 0
    among_themselves = moves(sides[:3])
    for move, without in zip(others, among_themselves, strict=True):
        assert [part.score for part in move.against] == [*(part.score for part in without.against), 1]
        assert [part.expected for part in move.against[:2]] == [part.expected for part in without.against]


def test_pairs_are_written_from_the_lower_version() -> None:
    sides = [bot(7, 1), bot(3, 2), bot(5, 2)]
    assert sorted(pair_scores(sides)) == [(3, 5, 0.5), (3, 7, 0.0), (5, 7, 0.0)]


def test_members_of_a_team_meet_each_opponent_and_not_each_other() -> None:
    ours = Side((SideMember(1, START, 0), SideMember(4, START, 0)), place=2)
    theirs = Side((SideMember(2, START, 0), SideMember(3, START, 0)), place=1)
    assert sorted(pair_scores([ours, theirs])) == [(1, 2, 0.0), (1, 3, 0.0), (2, 4, 1.0), (3, 4, 1.0)]


@some
@given(ANY_SIDES)
def test_pairs_say_what_the_moves_say(sides: list[Side]) -> None:
    scores = {}
    for move in moves(sides):
        for part in move.against:
            scores.update({(move.version, other): part.score for other in part.versions if move.version < other})
    assert {(a, b): score for a, b, score in pair_scores(sides)} == scores


def test_a_shift_of_all_ratings_changes_no_move() -> None:
    sides = [bot(1, 1, 1600), bot(2, 2, 1450), bot(3, 2, 1500, 3)]
    moved = [Side((replace(side.members[0], rating=side.rating - 123),), side.place) for side in sides]
    assert changes(moved) == pytest.approx(changes(sides))


def on_boards(version: int, places: tuple[int, ...], rating: float = START, matches: int = 100) -> Side:
    return Side((SideMember(version, rating, 4 * matches),), 1, places)


def test_a_score_on_boards_is_their_mean_and_what_is_expected_is_that_of_one_board() -> None:
    one, other = moves([on_boards(1, (1, 2, 1, 1), 1700), on_boards(2, (2, 1, 1, 2))])
    (against,) = one.against
    assert against.score == (1 + 0 + 0.5 + 1) / 4
    assert against.expected == expected(1700, START, boards=1)
    assert change(one) == pytest.approx(k_factor(400) * 2 * (0.625 - against.expected))
    assert change(other) == pytest.approx(-change(one))


def test_one_board_moves_ratings_as_a_match_of_one_does() -> None:
    sides = [bot(seat, seat + 1, 1400 + 50 * seat) for seat in range(4)]
    by_board = [Side(side.members, 1, (side.place,)) for side in sides]
    assert [move.after for move in moves(by_board, 1)] == [move.after for move in moves(sides, 1)]


@pytest.mark.parametrize("boards", [1, 4, 16])
def test_boards_move_ratings_by_as_much_as_the_match_would(boards: int) -> None:
    """The variance of a move, between two equal bots, over results by chance."""
    by_match = k_factor(400, boards) ** 2 / 4
    by_boards = []
    for wins in range(boards + 1):
        places = tuple(1 if board < wins else 2 for board in range(boards))
        move, _ = moves([on_boards(1, places), on_boards(2, tuple(3 - place for place in places))], boards)
        by_boards.append(math.comb(boards, wins) / 2**boards * change(move) ** 2)
    assert math.fsum(by_boards) == pytest.approx(by_match)


def test_all_sides_have_the_same_boards() -> None:
    with pytest.raises(ValueError, match="have the same boards"):
        moves([on_boards(1, (1, 1)), on_boards(2, (2,))])

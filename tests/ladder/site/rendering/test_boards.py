"""The boards of a match side by side."""

from __future__ import annotations

from ladder.site.rendering.boards import SHADES, board_rows, decisive, shades
from ladder.values.matches import DealScores, MatchScores

BOTS = ("A", "B", "C", "D")


def scores(*boards: tuple[tuple[int, ...], ...], low_is_better: bool = False) -> MatchScores:
    """Make the scores of boards: for each of them those of its rotations."""
    deals = tuple(
        DealScores(board=board, rotation=rotation, name=f"board {board}", scores=each, faults=(rotation, 0, 0, 0))
        for board, rotations in enumerate(boards, 1)
        for rotation, each in enumerate(rotations, 1)
    )
    return MatchScores(match=1, bots=BOTS, low_is_better=low_is_better, deals=deals)


SMALL = ((1, 0, -1, 0), (1, 2, 1, 0))
LARGE = ((100, -100, 0, 0), (60, -60, 0, 0))


def test_a_board_is_one_row_of_the_means_of_its_rotations() -> None:
    [row] = board_rows(scores(SMALL))
    assert row.points == (1, 1, 0, 0)
    assert row.ahead == (0.5, 0.5, -0.5, -0.5)
    assert row.faults == (3, 0, 0, 0)
    assert [deal.rotation for deal in row.deals] == [1, 2]


def test_boards_are_sorted_by_swing_and_deals_without_rotations_are_not() -> None:
    assert [row.board for row in board_rows(scores(SMALL, LARGE, SMALL))] == [2, 1, 3]
    assert [row.board for row in board_rows(scores(SMALL[:1], LARGE[:1]))] == [1, 2]


def test_where_fewer_points_are_better_the_lowest_is_ahead() -> None:
    [row] = board_rows(scores(LARGE, low_is_better=True))
    assert row.ahead == (-80, 80, 0, 0)


def test_the_greatest_difference_of_the_match_has_the_strongest_shade() -> None:
    found = shades(board_rows(scores(SMALL, LARGE)))
    assert found == {1: (0, 0, 0, 0), 2: (SHADES, -SHADES, 0, 0)}
    assert shades(board_rows(scores(((5, 5, 5, 5),)))) == {1: (0, 0, 0, 0)}


def test_the_boards_without_which_the_second_would_not_be_behind_have_decided() -> None:
    even = ((0, 10, 0, 0), (0, 10, 0, 0))
    given = scores(even, LARGE, even, even)
    found = decisive(given, board_rows(given))
    assert found is not None
    assert (found.boards, found.first, found.second) == ((2,), "A", "C")


def test_no_few_boards_decide_where_all_bring_the_same_or_two_bots_are_equal() -> None:
    same = scores(*[((10, 5, 0, 0),)] * 9)
    assert decisive(same, board_rows(same)) is None
    level = scores(*[((5, 5, 0, 0),)] * 9)
    assert decisive(level, board_rows(level)) is None

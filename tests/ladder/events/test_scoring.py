from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.events.entrants import Lots, TableResult
from ladder.events.scoring import (
    Sums,
    board_points,
    criteria_of,
    figure,
    oriented,
    performance,
    place_points,
    ranked,
    tied_groups,
)
from pigpen.rules import PRESETS

LOTS = Lots(bytes(32))
CRITERIA = criteria_of(
    "board places", ("board points", "head to head", "boards won", "opponents", "card points", "lot")
)


def table(*boards: tuple[int, ...], who: tuple[int, ...] = (1, 2, 3, 4)) -> TableResult:
    return TableResult(who, boards, 4 * len(boards))


def sums(*results: TableResult) -> Sums:
    numbers = sorted({one for result in results for one in result.table if one > 0})
    return Sums(tuple(numbers), results, False)


@settings(deadline=None)
@given(st.lists(st.integers(-200, 200), min_size=2, max_size=6))
def test_the_places_of_a_board_add_up(points: list[int]) -> None:
    found = place_points(points)
    assert sum(found) == len(points) * (len(points) - 1)
    assert all((a < b) == (found[i] < found[j]) for i, a in enumerate(points) for j, b in enumerate(points))


def test_a_board_counts_by_places_not_by_points() -> None:
    assert board_points(table((100, 0, 0, -5), (1, 2, 3, 4))) == {1: 6, 2: 5, 3: 7, 4: 6}


def test_few_points_are_good_in_hearts() -> None:
    assert oriented((26, 0, 1, 3), PRESETS["hearts"]) == (-26, 0, -1, -3)
    assert oriented((26, 0, 1, 3), PRESETS["gongzhu"]) == (26, 0, 1, 3)


def test_performance_allows_for_the_opponents() -> None:
    """4 and 5 are first of their tables; the table of 5 is that of those whom 4's table has beaten."""
    strong = table((3, 2, 1, 4), (3, 2, 1, 4))
    weak = table((2, 1, 0, 4), (2, 1, 0, 4), who=(6, 7, 8, 5))
    between = table((4, 3, 2, 1), (4, 3, 2, 1), who=(1, 2, 6, 7))
    found = performance([1, 2, 3, 4, 5, 6, 7, 8], [strong, weak, between], games=False)
    assert found[4] > found[5] > found[6]
    assert sums(strong, weak, between).board_places()[4] == sums(strong, weak, between).board_places()[5]


TIES: dict[str, list[TableResult]] = {
    "board points: 3 to 2": [table((4, 3, 2, 1))],
    "head to head: 1 to 0": [
        table((4, 3, 2, 1), who=(1, 2, 8, 9)),
        table((1, 2, 3, 4), who=(1, 3, 8, 9)),
        table((2, 1, 3, 4), who=(2, 3, 8, 9)),
    ],
    "boards won: 1 to 0": [table((4, 3, 2, 1), (1, 2, 4, 3))],
    "opponents: 2.166667 to 1.833333": [table((3, 2, 1, 0), who=(1, 3, 4, 5)), table((3, 2, 1, 0), who=(2, 6, 7, 8)),
                            table((9, 1, 0, 0), who=(3, 6, 4, 7))],
    "card points: 1.625 to 1.125": [table((9, 4, 0, 0), (4, 5, 0, 0))],
    "lot": [table((4, 4, 1, 1))],
}  # fmt: skip


@pytest.mark.parametrize(("why", "results"), TIES.items(), ids=lambda each: each if isinstance(each, str) else "")
def test_each_tie_break_decides_what_those_before_leave_open(why: str, results: list[TableResult]) -> None:
    every = sums(*results)
    rows = ranked(every, CRITERIA, tied_groups(every, CRITERIA, LOTS, "x"), {}, LOTS, "x")
    assert why in {row.why for row in rows if row.number in (1, 2)}


def test_head_to_head_counts_only_where_all_have_met_equally_often() -> None:
    one = table((2, 1, 9, 8), who=(1, 2, 8, 9))
    assert sums(one).head_to_head([1, 2]) == {1: 1.0, 2: 0.0}
    other = table((2, 1, 9, 8), who=(1, 3, 8, 9))
    assert sums(one, other).head_to_head([1, 2, 3]) == {1: 0.0, 2: 0.0, 3: 0.0}


def test_head_to_head_is_shown_of_those_among_whom_it_decides() -> None:
    every = sums(*TIES["head to head: 1 to 0"])
    rows = ranked(every, CRITERIA, tied_groups(every, CRITERIA, LOTS, "x"), {}, LOTS, "x")
    shown = {row.number: row.values[CRITERIA.index("head to head")] for row in rows}
    assert {shown[number] for number in (1, 2, 3)} == {1.0, 0.0} or set(shown.values()) > {1.0}
    alone = [row for row in rows if [one.values[0] for one in rows].count(row.values[0]) == 1]
    assert {row.values[CRITERIA.index("head to head")] for row in alone} <= {None}


def test_figures_that_differ_are_written_differently() -> None:
    for one, other in ((1234567.5, 1234567.0), (12.123457, 12.123456), (1523.45, 1523.46)):
        assert figure(one) != figure(other)
        assert float(figure(one)) == one
    assert figure(-0.0) == "0"


def test_those_who_are_level_share_a_place_where_no_lot_is_drawn() -> None:
    every = sums(table((4, 4, 1, 1)))
    rows = ranked(every, ["board points"], tied_groups(every, ["board points"], LOTS), {}, LOTS)
    assert [(row.place, row.why) for row in rows] == [
        (1, "level"),
        (1, "board points: 2.5 to 0.5"),
        (3, "level"),
        (3, ""),
    ]


@pytest.mark.parametrize("standings", ["board places", "match places", "performance", "points"])
def test_the_score_of_a_stage_comes_first(standings: str) -> None:
    assert criteria_of(standings, ("board points", "lot"))[0] == {"board places": "board points"}.get(
        standings, standings
    )
    assert criteria_of("board places", ("board points", "lot")) == ("board points", "lot")

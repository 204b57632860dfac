"""Margins of places: the certainty of each, by the boards on which it was won."""

from __future__ import annotations

import math
import random
from itertools import permutations
from statistics import NormalDist, fmean, variance
from typing import TYPE_CHECKING

import pytest

from ladder.events.entrants import Lots, TableResult
from ladder.events.margins import student, with_margins
from ladder.events.scoring import SCORES, Sums, criteria_of, place_points, ranked, tied_groups

if TYPE_CHECKING:
    from ladder.events.scoring import Ranked
    from ladder.values.events import EventMargin

LOTS = Lots.of(bytes(32), [])
TIE_BREAKS = ("head to head", "boards won", "card points", "lot")


def rows(results: list[TableResult], score: str = "board places", numbers: tuple[int, ...] = ()) -> list[Ranked]:
    """The standings of those, or of all who sit at the tables."""
    numbers = numbers or tuple(sorted({one for result in results for one in result.table}))
    sums, criteria = Sums(numbers, tuple(results), False), criteria_of(score, TIE_BREAKS)
    found = ranked(sums, criteria, tied_groups(sums, criteria, LOTS), {}, LOTS)
    return with_margins(found, sums, criteria)


def first(results: list[TableResult], score: str = "board places") -> EventMargin:
    found = rows(results, score)[0].margin
    assert found
    return found


def table(numbers: tuple[int, ...], *boards: tuple[int, ...]) -> TableResult:
    return TableResult(numbers, boards, len(boards) * len(numbers))


def normal_boards(rng: random.Random, sides: int, boards: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(round(1000 * rng.gauss(0, 1)) for _ in range(sides)) for _ in range(boards))


def test_two_at_one_table_are_compared_board_by_board() -> None:
    boards = ((4, 3, 2, 1), (4, 2, 3, 1), (1, 4, 3, 2), (4, 3, 2, 1), (4, 3, 1, 2))
    found = first([table((1, 2, 3, 4), *boards)])
    points = [place_points(each) for each in boards]
    apart = [(each[0] - each[1]) / 2 for each in points]
    by_chance = fmean((one - other) ** 2 / 4 for each in points for one, other in permutations(each, 2))
    error = math.sqrt(5 * (4 * variance(apart) + by_chance) / 5)
    assert (found.difference, found.boards, found.together) == (sum(apart), 5, 5)
    assert found.plus_minus == pytest.approx(2.5706 * error, abs=0.01), "Student's t with five degrees of freedom"
    assert found.superiority == pytest.approx(student(sum(apart) / error, 5), abs=0.001)
    assert found.is_tied


def test_what_both_have_in_common_is_no_chance_and_what_they_have_alone_is() -> None:
    rng = random.Random(3)
    shared = [rng.choice((20, -20)) for _ in range(40)]
    pair = first([table((1, 2, 3, 4), *((each + 3, each + 1, each - 40, each - 50) for each in shared))], "points")
    apart = [table((1, 3, 4, 5), *((each + 3, 9, 8, 7) for each in shared))]
    apart.append(table((2, 6, 7, 8), *((each + 1, 9, 8, 7) for each in shared)))
    alone = rows(apart, "points", (1, 2))[0].margin
    assert alone
    assert (pair.difference, pair.together, alone.difference) == (80.0, 40, 80.0)
    assert (alone.boards, alone.together) == (80, 0)
    assert not pair.is_tied
    assert alone.plus_minus > 4 * pair.plus_minus


@pytest.mark.parametrize("score", SCORES)
def test_bots_that_are_alike_are_level_and_one_board_proves_nothing(score: str) -> None:
    alike = first([table((1, 2, 3, 4), *[(5, 5, 5, 5)] * 50)], score)
    assert (alike.difference, alike.superiority, alike.is_tied) == (0.0, 0.5, True)
    one = first([table((1, 2, 3, 4), (90, 2, 1, 0))], score)
    assert 0.5 < one.superiority < 0.975
    assert one.is_tied


@pytest.mark.parametrize("score", SCORES)
def test_one_that_is_always_better_is_so_with_enough_boards(score: str) -> None:
    tables = [table((1, 2, 3, 4), *[(9, 5, 7, 1), (9, 7, 5, 1)] * 3) for _ in range(6)]
    found = rows(tables, score)
    assert found[0].number == 1
    assert found[0].margin
    assert not found[0].margin.is_tied
    assert found[1].margin, "two that are level, or nearly"
    assert found[1].margin.is_tied
    assert found[-1].margin is None


@pytest.mark.parametrize("sides", [2, 4, 5])
@pytest.mark.parametrize(("tables", "boards"), [(1, 6), (1, 39), (5, 2), (8, 1)])
@pytest.mark.parametrize("score", ["board places", "match places", "points"])
def test_nineteen_of_twenty_intervals_hold_the_true_difference(
    score: str, tables: int, boards: int, sides: int
) -> None:
    """Bots that are equal: a difference that the interval leaves out is an error."""
    rng, hits, events = random.Random(f"{score} {tables} {boards} {sides}"), 0, 300
    for _ in range(events):
        results = [table(tuple(range(1, sides + 1)), *normal_boards(rng, sides, boards)) for _ in range(tables)]
        (one, _) = rows(results, score, (1, 2))
        assert one.margin
        hits += one.margin.difference <= one.margin.plus_minus
    assert hits / events > 0.95 - 3 * math.sqrt(0.05 * 0.95 / events)


def test_strengths_of_a_swiss_have_intervals_that_hold_the_true_difference() -> None:
    rng, hits, events = random.Random(5), 0, 60
    for _ in range(events):
        results = []
        for _ in range(5):
            order = rng.sample(range(1, 9), 8)
            results += [
                table(tuple(order[:4]), *normal_boards(rng, 4, 4)),
                table(tuple(order[4:]), *normal_boards(rng, 4, 4)),
            ]
        found = [one.margin for one in rows(results, "performance")[:-1]]
        assert all(found)
        hits += sum(each.difference <= each.plus_minus for each in found if each) == 7
    assert hits / events > 0.9, "neighbours in the order of equal bots are nearer than any two"


def test_few_boards_are_judged_by_students_t() -> None:
    assert student(2.228, 10) == pytest.approx(0.975, abs=1e-4)
    assert student(1.5, 100_000) == pytest.approx(NormalDist().cdf(1.5), abs=1e-6)
    assert student(-2.0, 7) == pytest.approx(1 - student(2.0, 7))

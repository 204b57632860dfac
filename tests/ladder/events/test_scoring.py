"""Simulated events: the figures that formats were chosen by, and what must hold of any."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.events.advice import Pace, recommended_event, recommended_stages
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
from ladder.events.simulation import Simulated, drawn_strengths, simulate
from ladder.values.events import MAX_BOARDS, Event
from pigpen.rules import PRESETS
from tests.ladder.events.files import EXAMPLES, event, example

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


RULES = PRESETS["gongzhu"]
EVENTS = 2000


@pytest.mark.parametrize("entrants", [4, 16, 17])
def test_what_is_recommended_for_any_number_of_deals_can_be_played(entrants: int) -> None:
    assert recommended_stages(RULES, entrants, deals=10_000_000)[0].format == f"boards:{MAX_BOARDS}"


def rounds(boards: int, **fields: Any) -> dict[str, Any]:
    return {"name": "Rounds", "kind": "round-robin", "format": f"boards:{boards}"} | fields


def swiss(boards: int, **fields: Any) -> dict[str, Any]:
    return {"name": "Swiss", "kind": "swiss", "rounds": 5, "format": f"boards:{boards}"} | fields


FINAL = {"name": "Final", "kind": "final", "deals": "half"}
CARRIED = FINAL | {"carry": True, "standings": "performance"}
PODS = {"name": "Pods", "kind": "pods", "advance": 2, "until": 4, "format": "boards:91"}
HALVING = {"name": "Halving", "kind": "halving", "until": 4, "format": "boards:53", "standings": "performance"}
BY_MATCH = {"standings": "match places"}
TABLE: dict[str, tuple[list[dict[str, Any]], float]] = {
    "round robin, match places": ([rounds(32, **BY_MATCH)], 0.71),
    "round robin, board places": ([rounds(32)], 0.79),
    "round robin, points": ([rounds(32, standings="points")], 0.80),
    "Swiss, match places": ([swiss(32, **BY_MATCH)], 0.78),
    "Swiss, performance": ([swiss(32, standings="performance")], 0.82),
    "pods": ([PODS, FINAL | {"deals": None, "format": "boards:91"}], 0.79),
    "round robin and final": ([rounds(16), FINAL], 0.87),
    "round robin and final, carried": ([rounds(16, standings="performance"), CARRIED], 0.89),
    "Swiss and final": ([swiss(16, **BY_MATCH), FINAL], 0.88),
    "halving": ([HALVING, CARRIED], 0.87),
}
"""Of 16 entrants and 2,560 deals: P(best wins), in 2,000 events of another simulation, in which boards were no "
"integers."""


def simulated(
    of: Event, entrants: int = 16, events: int = EVENTS, seed: int = 1, pace: Pace | None = None
) -> Simulated:
    rng = np.random.default_rng(seed)
    strengths = drawn_strengths(events, entrants, rng)
    return simulate(of, PRESETS[of.variant], strengths, pace or Pace(), rng)


@pytest.mark.parametrize(("stages", "best_wins"), TABLE.values(), ids=TABLE)
def test_the_table_of_formats_is_reproduced_within_three_standard_errors(
    stages: list[dict[str, Any]], best_wins: float
) -> None:
    found = simulated(event(*stages)).chances("")
    assert found.deals == pytest.approx(2560, rel=0.01)
    error = math.hypot(found.best_wins_error, math.sqrt(best_wins * (1 - best_wins) / 2000))
    assert abs(found.best_wins - best_wins) < 3 * error


def test_the_recommended_format_finds_the_best_bot_more_often_than_a_round_robin() -> None:
    of = recommended_event(RULES, 16, 2560)
    found = simulated(of, events=4000).chances("")
    assert found.deals == 2560
    assert found.best_wins >= 0.86
    assert simulated(event(rounds(32, **BY_MATCH)), events=4000).chances("").best_wins < 0.75
    assert found.last_table == 0.5


@pytest.mark.parametrize("entrants", [2, 4, 5, 13, 16, 17, 40, 64])
@pytest.mark.parametrize("variant", ["gongzhu", "gongzhu-partners", "gongzhu-five"])
def test_the_recommended_format_gives_the_last_table_two_fifths(variant: str, entrants: int) -> None:
    stages = recommended_stages(PRESETS[variant], entrants, 4096)
    of = Event(name="A", variant=variant, entrants=(entrants, entrants), stages=stages)
    found = simulated(of, entrants, 20)
    assert found.last_table >= 0.4
    assert found.deals == pytest.approx(4096, rel=0.45)  # whole boards


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.toml")))
def test_every_entrant_has_one_place_in_every_event(name: str) -> None:
    of = example(name)
    count = of.entrants[0] + 3
    found = simulated(of, count, 30)
    assert np.array_equal(np.sort(found.order, axis=1), np.tile(np.arange(count), (30, 1)))


def test_the_same_seed_gives_the_same_figures() -> None:
    of = event(swiss(2), FINAL)
    assert simulated(of, 12, 50).chances("a") == simulated(of, 12, 50).chances("a")
    assert simulated(of, 12, 50).chances("a") != simulated(of, 12, 50, seed=2).chances("a")


def test_equal_bots_win_equally_often_and_a_much_better_one_always() -> None:
    of, rng = event(rounds(2), FINAL), np.random.default_rng(1)
    equal = simulate(of, RULES, np.full((4000, 8), 1500.0), Pace(), rng).each([str(n) for n in range(8)])
    assert sum(one.wins for one in equal) == pytest.approx(1)
    assert all(abs(one.wins - 1 / 8) < 4 * math.sqrt(7 / 64 / 4000) for one in equal)
    better = np.tile([1500.0] * 7 + [4000.0], (100, 1))
    found = simulate(of, RULES, better, Pace(), rng)
    assert found.each([str(n) for n in range(8)])[0].wins == 1
    assert found.chances("").elo_lost == 0
    assert found.chances("").tau < 1


def test_hours_are_those_of_the_deals_and_of_games_a_distribution() -> None:
    of = event(rounds(10), FINAL)  # 5 rounds of 4 matches; a final of 200 boards
    found = simulated(of, events=20, pace=Pace(4, 3.6, 0)).chances("")
    assert found.hours == pytest.approx(((5 * 4 * 10 + 200) / 1000,) * 2)
    games = simulated(event(rounds(1) | {"format": "game"}), events=500, pace=Pace(4, 3.6, 0)).chances("")
    assert 5 * 9 / 1000 < games.hours[0] < games.hours[1] < 5 * 19 / 1000


def test_four_tables_at_once_take_as_long_as_one_after_the_other_on_one_place() -> None:
    one, four = (simulated(event(rounds(10)), events=10, pace=Pace(n, 1, 0)).chances("").hours[0] for n in (1, 16))
    assert one == pytest.approx(16 * four)

"""Simulated events: the figures that formats were chosen by, and what must hold of any."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ladder.events.advice import Pace, recommended_event, recommended_stages
from ladder.events.simulation import Simulated, drawn_strengths, simulate
from ladder.values.events import MAX_BOARDS, Event
from pigpen.rules import PRESETS
from tests.ladder.events.files import EXAMPLES, event, example

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
    found = simulated(of, events=20, pace=Pace(4, 3.6)).chances("")
    assert found.hours == pytest.approx(((5 * 4 * 10 + 200) / 1000,) * 2)
    games = simulated(event(rounds(1) | {"format": "game"}), events=500, pace=Pace(4, 3.6)).chances("")
    assert 5 * 9 / 1000 < games.hours[0] < games.hours[1] < 5 * 19 / 1000


def test_four_tables_at_once_take_as_long_as_one_after_the_other_on_one_place() -> None:
    one, four = (simulated(event(rounds(10)), events=10, pace=Pace(n, 1)).chances("").hours[0] for n in (1, 16))
    assert one == pytest.approx(16 * four)

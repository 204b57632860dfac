"""Designs of rounds, stages and finals: who meets whom, how often, and who advances."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

import pytest

from ladder.events.legs import DATA, exact_design, legs_of, meetings, round_robin_rounds, sides_of, without_rematch
from ladder.values.events import MAX_BOARDS
from pigpen.rules import PRESETS
from tests.ladder.events.files import event, example

SHIPPED = [
    (int(count), int(sides)) for sides, designs in json.loads(DATA.read_text("utf-8")).items() for count in designs
]
ONCE = {(16, 4), (28, 4), (40, 4), (52, 4), (64, 4), (76, 4), (25, 5)}
"""Those in which every two meet once."""


def is_everybody_once(tables: tuple[tuple[int, ...], ...], count: int, sides: int) -> bool:
    return sorted(chain(*tables)) == list(range(count)) and {len(table) for table in tables} == {sides}


@pytest.mark.parametrize(("count", "sides"), [*SHIPPED, (4, 4), (5, 5), (2, 2), (6, 2), (30, 2)])
def test_every_two_meet_equally_often(count: int, sides: int) -> None:
    design = exact_design(count, sides)
    assert design is not None
    assert all(is_everybody_once(tables, count, sides) for tables in design)
    fewest, most = meetings(design, count)
    assert fewest == most == len(design) * (sides - 1) / (count - 1)
    assert (most == 1) == ((count, sides) in ONCE or sides == 2 or count == sides)


def test_there_is_one_for_every_multiple_of_four_up_to_64() -> None:
    assert all(exact_design(count, 4) for count in range(4, 65, 4))


@pytest.mark.parametrize(("count", "sides"), [(20, 4), (28, 4), (44, 4), (64, 4), (35, 5), (10, 2), (25, 5)])
def test_rounds_without_a_rematch(count: int, sides: int) -> None:
    design = without_rematch(count, sides)
    assert len(design) >= 5
    assert all(is_everybody_once(tables, count, sides) for tables in design)
    assert meetings(design, count)[1] == 1


def test_where_no_design_is_known_there_is_none() -> None:
    assert exact_design(10, 5) is None
    assert exact_design(9, 4) is None
    assert without_rematch(24, 4) == ()
    assert round_robin_rounds(10, 5) == 2


ROUNDS = {"name": "Rounds", "kind": "round-robin", "format": "boards:4"}
HALVING = {"name": "Halving", "kind": "halving", "until": 4, "format": "boards:4"}
PODS = {"name": "Pods", "kind": "pods", "advance": 2, "until": 4, "format": "boards:4"}
FINAL = {"name": "Final", "kind": "final", "deals": "half"}


def sizes(entrants: int, *stages: dict[str, Any], variant: str = "gongzhu") -> list[tuple[int, int]]:
    """Of each leg: who plays, and who advances."""
    found = legs_of(event(*stages, variant=variant), entrants, PRESETS[variant])
    return [(leg.entrants, leg.keeps) for leg in found]


@pytest.mark.parametrize(
    ("entrants", "expected"),
    [
        (16, [(16, 8), (8, 4), (4, 0)]),
        (17, [(17, 9), (9, 5), (5, 4), (4, 0)]),
        (5, [(5, 4), (4, 0)]),
        (4, [(4, 0)]),
    ],
)
def test_halving_ends_at_its_goal(entrants: int, expected: list[tuple[int, int]]) -> None:
    assert sizes(entrants, HALVING, FINAL | {"deals": None, "format": "boards:4"}) == expected


def test_of_every_pod_as_many_go_on_as_the_file_says() -> None:
    assert sizes(30, PODS | {"until": 16}, FINAL) == [(30, 4), (4, 0)]
    assert sizes(30, PODS | {"until": 8}, ROUNDS) == [(30, 16), (16, 8), (8, 0)]
    assert sizes(5, PODS | {"advance": 3}, ROUNDS) == [(5, 0)], "two tables of which three each go on leave all in"


def test_a_stage_takes_the_best_and_a_final_one_table() -> None:
    assert sizes(20, ROUNDS, HALVING | {"take": 10}, FINAL) == [(20, 10), (10, 5), (5, 4), (4, 0)]
    assert sizes(20, ROUNDS, FINAL, variant="gongzhu-five") == [(20, 5), (5, 0)]
    assert sizes(20, ROUNDS, FINAL, variant="gongzhu-partners") == [(20, 2), (2, 0)]
    assert sizes(3, ROUNDS, FINAL) == [(3, 3), (3, 0)]


def test_a_final_has_as_many_deals_as_all_stages_before_it() -> None:
    rules = PRESETS["gongzhu"]
    first, final = legs_of(event(ROUNDS, FINAL), 16, rules)
    assert (first.rounds, first.tables(4), first.deals(rules), final.boards) == (5, 4, 5 * 4 * 4 * 4, 80)
    assert final.deals(rules) == first.deals(rules)


def test_a_final_has_no_more_boards_than_a_match_can_have() -> None:
    long = ROUNDS | {"format": f"boards:{MAX_BOARDS}"}
    assert [leg.boards for leg in legs_of(event(long, FINAL), 16, PRESETS["gongzhu"])] == [MAX_BOARDS, MAX_BOARDS]


def test_a_condition_counts_all_entrants() -> None:
    of = example("chematoodlon")
    rules = PRESETS[of.variant]
    assert [leg.stage for leg in legs_of(of, 23, rules)] == [0, 2, 3]
    assert [leg.stage for leg in legs_of(of, 24, rules)] == [0, 1, 2, 3]


def test_partners_are_one_bot() -> None:
    assert [sides_of(PRESETS[name]) for name in ("hearts", "gongzhu-five", "gongzhu-partners")] == [4, 5, 2]

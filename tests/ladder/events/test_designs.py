from __future__ import annotations

import json
from itertools import chain

import pytest

from ladder.events.legs import DATA, exact_design, meetings, round_robin_rounds, without_rematch

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

"""
Round robins in which every two meet equally often: exact designs, and how many rounds they have.

For tables of two there is one for every even number. For tables of four and five, `designs.json` has those that a
search found: mostly the tables of one round, and every other round is that round turned by one: its points are ∞
(written −1) and the numbers modulo n − 1. `tests/ladder/events/test_designs.py` counts the meetings of all of them.
"""

from __future__ import annotations

import itertools
import json
from functools import cache
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Iterable


class _Design(TypedDict, total=False):
    """A design in `designs.json`: the first round, and how many there are; or all rounds."""

    starter: list[list[int]]
    rounds: int
    all: list[list[list[int]]]


Tables = tuple[tuple[int, ...], ...]
"""The tables of one round."""
DATA = Path(__file__).with_name("designs.json")


@cache
def exact_design(count: int, sides: int) -> tuple[Tables, ...] | None:
    """
    Give the rounds in which every two of *count* meet equally often.

    >>> exact_design(4, 2)
    (((3, 0), (1, 2)), ((3, 1), (2, 0)), ((3, 2), (0, 1)))

    Returns:
        For each round its tables, of 0 to *count* − 1; None: none is known.
    """
    if count == sides:
        return ((tuple(range(count)),),)
    if count % sides:
        return None
    if sides == 2:
        return _turned(_pairs(count), count - 1)
    found = _data().get(str(sides), {}).get(str(count))
    if found is None:
        return None
    if "all" in found:
        return tuple(_points(tables, count) for tables in found["all"])
    return _turned(found["starter"], found["rounds"])


def without_rematch(count: int, sides: int) -> tuple[Tables, ...]:
    """
    Give rounds in which no two meet twice, of a design that is known for *count*; none where none is known.

    An exact design in which every two meet once, or a transversal one: the entrants are in *sides* groups of m, each
    table has one of every group, and in round r the group g is turned by g · r. Those of one group never meet.
    """
    exact = exact_design(count, sides)
    if exact and len(exact) * (sides - 1) == count - 1:
        return exact
    size = count // sides
    if count % sides or any(gcd(apart, size) > 1 for apart in range(1, sides)):
        return ()
    return tuple(
        tuple(tuple(group * size + (x + group * turn) % size for group in range(sides)) for x in range(size))
        for turn in range(size)
    )


def round_robin_rounds(count: int, sides: int) -> int:
    """Give the rounds of a whole round robin: of the exact design, else as many as there can be without a rematch."""
    exact = exact_design(count, sides)
    return len(exact) if exact else max(1, (count - 1) // (sides - 1))


def meetings(rounds: Iterable[Iterable[tuple[int, ...]]], count: int) -> tuple[int, int]:
    """
    Count how often two of *count* meet: the fewest and the most times.

    >>> meetings([[(0, 1, 2, 3)], [(0, 1, 2, 3)]], 4)
    (2, 2)
    """
    met = dict.fromkeys(itertools.combinations(range(count), 2), 0)
    for tables in rounds:
        for table in tables:
            for pair in itertools.combinations(sorted(table), 2):
                met[pair] += 1
    return min(met.values(), default=0), max(met.values(), default=0)


@cache
def _data() -> dict[str, dict[str, _Design]]:
    return cast("dict[str, dict[str, _Design]]", json.loads(DATA.read_text("utf-8")))


def _pairs(count: int) -> list[list[int]]:
    """Give the first round of the circle method."""
    return [[-1, 0], *([x, count - 1 - x] for x in range(1, count // 2))]


def _turned(starter: list[list[int]], rounds: int) -> tuple[Tables, ...]:
    count = sum(map(len, starter))
    return tuple(
        _points([[x if x < 0 else (x + turn) % (count - 1) for x in table] for table in starter], count)
        for turn in range(rounds)
    )


def _points(tables: list[list[int]], count: int) -> Tables:
    """Give the tables as numbers: ∞ becomes the last one."""
    return tuple(tuple(x % count for x in table) for table in tables)

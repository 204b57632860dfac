"""The tables of one round, from those who play it, what they have played, and lots."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ladder.events.entrants import Cost, Table, filled
from ladder.events.legs import exact_design, without_rematch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.events.entrants import Lots
    from ladder.events.table_costs import PairCosts

Method = Literal["design", "order", "optimum", "search"]


@dataclass(frozen=True)
class Draw:
    """The tables of a round."""

    tables: tuple[Table, ...]
    cost: Cost
    bound: Cost
    """No tables cost less."""
    method: Method


def draw_design(
    numbers: Sequence[int],
    sides: int,
    rounds: int,
    number: int,
    owner: Mapping[int, str],
    lots: Lots,
    *words: str | int,
) -> Draw | None:
    """
    Draw a round of a round robin from a design; the points of the design are given out by lot.

    Args:
        numbers: All who play the round robin, in any order.
        sides: The bots of a table.
        rounds: Of the whole round robin.
        number: Of this round, from 0.
        owner: By number.
        lots: Where lots come from.
        words: What they are for; the same for all rounds.

    Returns:
        None: no design fits, or two bots of one owner would meet although the rounds are too few for all to meet.
    """
    points = filled(lots.order(sorted(numbers), lambda one: one, *words, "points"), sides)
    exact, open_end = exact_design(len(points), sides), without_rematch(len(points), sides)
    if exact and rounds % len(exact) == 0:
        design = exact
    elif rounds <= len(open_end) and len({owner[one] for one in numbers}) == len(numbers):
        design = open_end
    else:
        return None
    tables = design[number % len(design)]
    return Draw(tuple(tuple(points[x] for x in table) for table in tables), Cost(0, 0, 0), Cost(0, 0, 0), "design")


def draw_order(
    order: Sequence[int],
    sides: int,
    owner: Mapping[int, str],
    rounds: Sequence[Sequence[Table]],
    lots: Lots,
    *words: str | int,
) -> Draw:
    """
    Draw tables that are about equally strong: by a snake along *order*, then swaps until none meet who need not.

    Args:
        order: Those who play, the best first.
        sides: The bots of a table.
        owner: By number; two of one owner are kept apart.
        rounds: Tables of earlier rounds; those who have met are kept apart.
        lots: Where lots come from.
        words: What they are for.
    """
    from ladder.events.table_costs import by_swaps, pair_costs  # with numpy

    numbers = filled(list(order), sides)
    cost = pair_costs(numbers, owner, rounds, None, None)
    found, bound = by_swaps(cost.total, _snake(len(numbers), sides), lots, *words), Cost(0, 0, 0)
    if cost.of(found).total:
        found, bound, _ = _cheapest(cost, found)
    return Draw(_named(numbers, found), cost.of(found), bound, "order")


def draw_swiss(
    order: Sequence[int],
    sides: int,
    owner: Mapping[int, str],
    rounds: Sequence[Sequence[Table]],
    score: Callable[[int], int],
    lots: Lots,
    *words: str | int,
) -> Draw:
    """
    Draw tables of those who stand about level, and have not met.

    Args:
        order: Those who play, the best first.
        sides: The bots of a table.
        owner: By number; two of one owner are kept apart.
        rounds: The tables of the rounds so far.
        score: Half place points of each; stand-ins are not asked for, and have the least.
        lots: Where lots come from.
        words: What they are for.
    """
    from ladder.events.table_costs import by_swaps, pair_costs  # with numpy

    numbers = filled(list(order), sides)
    least = min(map(score, order))
    cost = pair_costs(numbers, owner, rounds, lambda one: score(one) if one > 0 else least, lots, *words)
    level = [list(range(first, first + sides)) for first in range(0, len(numbers), sides)]
    found = by_swaps(cost.total, level, lots, *words)
    found, bound, proven = _cheapest(cost, found)
    return Draw(_named(numbers, found), cost.of(found), bound, "optimum" if proven else "search")


def _cheapest(cost: PairCosts, known: list[list[int]]) -> tuple[list[list[int]], Cost, bool]:
    """Find the cheapest tables as far as they can be found, a bound, and whether they are proven the cheapest."""
    from ladder.events.partition import cheapest, is_small, pairs_bound

    sides = len(known[0])
    if is_small(len(cost.numbers), sides):
        found = cheapest(cost, known)
        return found.tables, found.bound, found.proven
    parts = [math.ceil(pairs_bound(part, sides) - 1e-3) for part in (cost.owners, cost.meetings, cost.places)]
    return known, Cost(*parts), False


def _snake(count: int, sides: int) -> list[list[int]]:
    """
    Give tables such that each has one of the best, one of the next, and so on.

    >>> _snake(8, 4)
    [[0, 3, 4, 7], [1, 2, 5, 6]]
    """
    tables = count // sides
    rows = [range(row * tables, (row + 1) * tables) for row in range(sides)]
    return [
        list(table) for table in zip(*(row if n % 2 == 0 else reversed(row) for n, row in enumerate(rows)), strict=True)
    ]


def _named(numbers: Sequence[int], tables: list[list[int]]) -> tuple[Table, ...]:
    """Give the tables by number, the one with the best bot first."""
    return tuple(tuple(numbers[place] for place in sorted(table)) for table in sorted(tables, key=min))

"""
The plan of an event with a certain number of entrants: its legs, each of them rounds after which some advance.

Round robins in which every two meet equally often follow exact designs, which say how many rounds they have. For tables
of two there is one for every even number. For tables of four and five, `designs.json` has those that a search found:
mostly the tables of one round, and every other round is that round turned by one: its points are ∞ (written −1) and the
numbers modulo n − 1. `tests/ladder/events/test_legs.py` counts the meetings of all of them.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from functools import cache
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from ladder.values.events import MAX_BOARDS, boards_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ladder.values.events import Event, Stage, StageKind
    from pigpen.rules import Rules


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


GAME_DEALS = {
    "hearts-short": (4, 4, 4),
    "hearts": (6, 10, 19),
    "hearts-jack": (7, 17, 23),
    "gongzhu": (1, 9, 19),
}
"""By variant: the deals of a game, fewest, median, most. Measured, 25 games each (docs/events.md)."""
OTHER_GAMES = (2, 10, 20)


@dataclass(frozen=True)
class Leg:
    """Rounds of one stage, at whose end some advance."""

    stage: int
    """Its place in the file, from 0."""
    kind: StageKind
    entrants: int
    """That play."""
    rounds: int
    boards: int | None
    """Of each match; None: a game."""
    keeps: int
    """That advance; of the last leg of an event 0."""
    first: bool
    """True for the first leg of its stage."""

    def tables(self, sides: int) -> int:
        """Count the tables of a round."""
        return -(-self.entrants // sides)

    def matches(self, sides: int) -> int:
        """Count the matches of all rounds."""
        return self.rounds * self.tables(sides)

    def deals(self, rules: Rules) -> int:
        """Count the deals of all rounds; of games an estimate."""
        each = game_deals(rules)[1] if self.boards is None else self.boards * rules.players
        return self.matches(sides_of(rules)) * each


def sides_of(rules: Rules) -> int:
    """Give how many bots play a match against each other: partners are one bot in both seats."""
    return 2 if rules.partners else rules.players


def game_deals(rules: Rules) -> tuple[int, int, int]:
    """Give the deals of a game: fewest, median, most."""
    return GAME_DEALS.get(rules.name, OTHER_GAMES)


def legs_of(event: Event, entrants: int, rules: Rules) -> tuple[Leg, ...]:
    """
    Give all legs of an event with *entrants* entrants.

    A stage whose condition does not hold is left out, and so is one that would end before its first round: pods or
    halving down to as many as there are.
    """
    sides = sides_of(rules)
    legs = list[Leg]()
    left = entrants
    for number, stage in enumerate(event.stages):
        if not stage.is_played(entrants):
            continue
        left = min(left, stage.take or (sides if stage.kind == "final" else left))
        if legs and legs[-1].keeps > left:
            legs[-1] = _keeping(legs[-1], left)
        for leg in _legs(number, stage, left, sides, sum(leg.deals(rules) for leg in legs), rules):
            legs.append(leg)
            left = leg.keeps
    if legs:
        legs[-1] = _keeping(legs[-1], 0)
    return tuple(legs)


def _legs(number: int, stage: Stage, left: int, sides: int, deals: int, rules: Rules) -> Iterator[Leg]:
    half = min(MAX_BOARDS, max(1, -(-deals // rules.players)))
    boards = boards_of(stage.format) if stage.format else half
    match stage.kind:
        case "round-robin":
            filled = -(-left // sides) * sides
            yield Leg(number, stage.kind, left, stage.rounds or round_robin_rounds(filled, sides), boards, left, True)
        case "swiss" | "final":
            yield Leg(number, stage.kind, left, stage.rounds or 1, boards, left, True)
        case "pods" | "halving":
            first, until = True, stage.until or sides
            while left > until:
                keeps = max(until, -(-left // 2))
                if stage.kind == "pods":
                    keeps = -(-left // sides) * (stage.advance or 1)
                if keeps >= left:
                    return
                rounds = 1 if stage.kind == "pods" else stage.rounds or 1
                yield Leg(number, stage.kind, left, rounds, boards, keeps, first)
                first, left = False, keeps


def _keeping(leg: Leg, keeps: int) -> Leg:
    return Leg(leg.stage, leg.kind, leg.entrants, leg.rounds, leg.boards, keeps, leg.first)

"""
Who plays next: a pure function from the entrants to matches. Policy, in this order:

1. Newcomers first: whoever has fewer than 20 matches, the fewest first.
2. In 30 of 100 other matches, a bot around the boundary of the top ten, where ranks matter most; else the bot with the
   fewest matches.
3. Against it, the bots nearest in rating, give or take 40 Elo by chance; one bot of each owner.
4. In the order that leaves seats and neighbours most even.

Matches that are handed out count at once for the next ones. The same entrants and the same chance give the same answer.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from itertools import islice, permutations
from typing import TYPE_CHECKING

from ladder.ratings.elo import PROVISIONAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

JITTER = 40.0
"""Standard deviation, in Elo, of what chance adds to the ratings when opponents are chosen."""
TOP = 10
"""The boundary that is played out most: that of the top ten."""
AROUND = 5
"""Places above and below the boundary that count as around it."""
SHARE = 0.3
"""The share of matches that begin with a bot around the boundary."""
ORDERS = 120
"""The most orders of a table that are compared: all of five bots; of more, that many by chance."""


@dataclass(frozen=True)
class Entrant:
    """A bot version that may be scheduled."""

    version: int
    bot: int
    owner: int
    rating: float
    matches: int
    """Recorded and pending ones."""
    seats: tuple[int, ...]
    """How often it has sat as bot number 0, 1, …; what is missing at the end is 0."""


def next_matches(
    entrants: Sequence[Entrant],
    neighbours: Mapping[tuple[int, int], int],
    rules_players: int,
    partners: bool,
    rng: Random,
    count: int,
) -> list[tuple[int, ...]]:
    """
    The next *count* matches of a variant; none where there are too few owners.

    Args:
        entrants: All bot versions that may be scheduled.
        neighbours: By two versions (x, y), how often y sat right after x in the order of bot numbers, the last one
            being followed by the first; what is missing is 0.
        rules_players: Seats at a table.
        partners: Whether there are two teams; each is then one bot in both chairs.
        rng: Chance.
        count: How many matches.

    Returns:
        For each match the version of each bot number; with partners a, b, a, b.
    """
    if why_none(entrants, rules_players, partners):
        return []
    planner = _Planner(entrants, neighbours, rng)
    return [planner.plan(2 if partners else rules_players, rules_players) for _ in range(count)]


def why_none(entrants: Sequence[Entrant], rules_players: int, partners: bool) -> str | None:
    """One sentence that says why there can be no match; None if there can be one."""
    needed, owners = 2 if partners else rules_players, len({entrant.owner for entrant in entrants})
    if owners >= needed:
        return None
    have = f"those of {owners} owners" if owners > 1 else "those of one owner" if owners else "none"
    return f"A match takes bots of {needed} different owners, and of the bots that may play there are {have}."


def next_variant(entries: Mapping[str, int], matches: Mapping[str, int]) -> str | None:
    """
    Which variant plays next: the one with the fewest matches per active entry; of equal ones the first by name.

    Args:
        entries: By variant, how many bots may be scheduled; variants without any are left out.
        matches: By variant, recorded and pending matches; what is missing is 0.

    Returns:
        The variant; None if no bot may be scheduled in any.
    """
    known = sorted(variant for variant, active in entries.items() if active > 0)
    return min(known, key=lambda variant: matches.get(variant, 0) / entries[variant], default=None)


class _Planner:
    """Hands out matches and counts them."""

    def __init__(self, entrants: Sequence[Entrant], neighbours: Mapping[tuple[int, int], int], rng: Random) -> None:
        self._rng = rng
        self._entrants = sorted(entrants, key=lambda entrant: (-entrant.rating, entrant.version))
        self._matches = {entrant.version: entrant.matches for entrant in entrants}
        self._seats = {entrant.version: Counter(dict(enumerate(entrant.seats))) for entrant in entrants}
        self._recorded = neighbours
        self._after: Counter[tuple[int, int]] = Counter()

    def plan(self, sides: int, players: int) -> tuple[int, ...]:
        """Hand out one match."""
        table = self._seated([entrant.version for entrant in self._table(self._first(), sides)], players)
        for version in set(table):
            self._matches[version] += 1
        for seat, version in enumerate(table):
            self._seats[version][seat] += 1
            self._after[version, table[(seat + 1) % players]] += 1
        return table

    def _first(self) -> Entrant:
        """The bot for whose sake the match is played."""
        waiting = min(self._entrants, key=lambda one: (self._matches[one.version], self._rng.random()))
        known = self._matches[waiting.version] >= PROVISIONAL
        if known and len(self._entrants) > TOP and self._rng.random() < SHARE:
            return self._rng.choice(self._entrants[max(0, TOP - AROUND) : TOP + AROUND])
        return waiting

    def _table(self, first: Entrant, sides: int) -> list[Entrant]:
        """The first bot and those nearest to it, each of another owner."""
        table, owners = [first], {first.owner}
        others = (one for one in self._entrants if one.owner != first.owner)
        distances = [(abs(one.rating + self._rng.gauss(0, JITTER) - first.rating), one.version, one) for one in others]
        heapq.heapify(distances)
        while len(table) < sides:
            nearest = heapq.heappop(distances)[2]
            if nearest.owner not in owners:
                table.append(nearest)
                owners.add(nearest.owner)
        return table

    def _seated(self, versions: list[int], players: int) -> tuple[int, ...]:
        """The order that leaves seats and neighbours most even."""
        self._rng.shuffle(versions)  # of equally good orders, chance decides
        rounds = players // len(versions)
        orders = islice(permutations(versions), ORDERS)
        return min((order * rounds for order in orders), key=self._unevenness)

    def _unevenness(self, table: tuple[int, ...]) -> int:
        """By how much the order adds to the sum of the squares of all counts, but for a constant: less is better."""
        seats = sum(self._seats[version][seat] for seat, version in enumerate(table))
        pairs = zip(table, (*table[1:], table[0]), strict=True)
        return seats + sum(self._recorded.get(pair, 0) + self._after[pair] for pair in pairs)

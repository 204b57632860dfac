"""
Who plays next: a pure function from entrants to matches. Policy, in this order:

1. Newcomers first: bots with fewer than 20 matches, the fewest first.
2. In 30 of 100 other matches, the bot of which it is most open on which side of the boundary of the top ten it belongs,
   if it is open of any; else the bot with the fewest matches of a quarter of them that chance draws: so no late
   entrant sits in every match until it has caught up.
3. Against it, the bots nearest in rating, give or take by chance what their ratings may be wrong by; at the boundary
   give or take 10 Elo. One bot of each owner.
4. In the order that leaves seats and neighbours most even.

Where bots of one owner must not play at the same time, matches are planned in sets that share no owner, so that those
of a set can be played at once (`DisjointSets`).

Matches that are handed out count at once for the next ones. The same entrants and the same chance give the same answer.
The numbers below were chosen by simulation, so that neither the order of all nor the top ten is found late at the cost
of the other (benchmarks/scheduling.py).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, permutations
from typing import TYPE_CHECKING

from ladder.pairing.missing import missing_owners, waits_for
from ladder.ratings.elo import PROVISIONAL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from random import Random

TOP = 10
"""The boundary that is played out most: that of the top ten."""
SHARE = 0.3
"""The share of matches that begin with a bot at the boundary."""
OPEN = 0.5
"""A bot's side of the boundary is open while its rating is no more than this many standard errors away from it."""
UNSURE = 260.0
"""The standard error of a rating after n matches is about this, in Elo, divided by the root of n (docs/ratings.md)."""
JITTER = 10.0
"""What chance at least adds to the ratings when opponents are chosen: a standard deviation, in Elo."""
DRAWN, DRAWN_SHARE = 8, 0.25
"""The least played bot is taken of a random `DRAWN_SHARE` of all bots, but of no fewer than `DRAWN` bots."""
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
    """Times that it was bot number 0, 1, …; what is missing at the end is 0."""


def next_matches(
    entrants: Sequence[Entrant],
    neighbours: Mapping[tuple[int, int], int],
    rules_players: int,
    partners: bool,
    rng: Random,
    count: int,
    sets: DisjointSets | None = None,
) -> list[tuple[int, ...]]:
    """
    Choose the next *count* matches of a variant; none where there are too few owners.

    Args:
        entrants: All bot versions that may be scheduled.
        neighbours: By two versions (x, y), the times that y came right after x in the order of bot numbers, the last
            one being followed by the first; what is missing is 0.
        rules_players: Seats at a table.
        partners: Whether there are two teams; each is then one bot in both seats.
        rng: Chance.
        count: Number of matches.
        sets: The matches planned before these, which these continue. None: owners may play in several at once.

    Returns:
        For each match the version of each bot number; with partners a, b, a, b.
    """
    if why_none(entrants, rules_players, partners):
        return []
    planner = _Planner(entrants, neighbours, rng)
    sides = 2 if partners else rules_players
    tables = []
    for _ in range(count):
        owners = sets.free({one.owner for one in entrants}, sides) if sets else None
        tables.append(planner.plan(sides, rules_players, owners))
        if sets:
            sets.add({planner.owner_of[version] for version in tables[-1]})
    return tables


def why_none(entrants: Sequence[Entrant], rules_players: int, partners: bool) -> str | None:
    """One sentence that says why there can be no match; None if there can be one."""
    needed, owners = 2 if partners else rules_players, len({entrant.owner for entrant in entrants})
    missing = missing_owners(owners, needed)
    if not missing:
        return None
    have = "none has" if not owners else "only 1 has" if owners == 1 else f"only {owners} have"
    return f"A match needs bots of {needed} different owners, and {have} one that may play: it {waits_for(missing)}."


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


class DisjointSets:
    """
    Matches in the order in which they will be played, in sets of which no two matches share an owner.

    A few bots of as many owners would else play one match at a time, however many could be played at once: that a match
    of 4 of 8 bots leaves the next one all it needs happens once in 70 times.
    """

    def __init__(self, at_once: int, planned: Iterable[Collection[int]] = ()) -> None:
        """
        Begin with what is planned.

        Args:
            at_once: How many matches are played at the same time: no set has more.
            planned: The owners in each match that is being played, or waits, the first one first.
        """
        self._at_once = at_once
        self._count = 0
        self._busy: set[int] = set()
        for owners in planned:
            self.add(owners)

    def free(self, owners: Collection[int], needed: int) -> Collection[int]:
        """Give the owners who are not in the last set; all if a match needs more of them, or the set is full."""
        left = set(owners) - self._busy
        return owners if len(left) < needed or self._count >= self._at_once else left

    def add(self, owners: Collection[int]) -> None:
        """Plan one more match: part of the last set if it can be, else the first of another set."""
        if self._count >= self._at_once or not self._busy.isdisjoint(owners):
            self._count, self._busy = 0, set()
        self._count += 1
        self._busy.update(owners)


class _Planner:
    """Hands out matches and counts them."""

    def __init__(self, entrants: Sequence[Entrant], neighbours: Mapping[tuple[int, int], int], rng: Random) -> None:
        self._rng = rng
        self._entrants = sorted(entrants, key=lambda one: (-one.rating, one.version))
        self._free = self._entrants
        self.owner_of = {one.version: one.owner for one in entrants}
        self._matches = {one.version: one.matches for one in entrants}
        self._seats = {one.version: Counter(dict(enumerate(one.seats))) for one in entrants}
        self._neighbours, self._added = neighbours, Counter[tuple[int, int]]()

    def plan(self, sides: int, players: int, owners: Collection[int] | None = None) -> tuple[int, ...]:
        """Hand out one match; *owners*: only of bots of theirs."""
        self._free = [one for one in self._entrants if owners is None or one.owner in owners]
        first, jitter = self._first()
        table = self._seated(self._table(first, sides, jitter), players)
        for version in set(table):
            self._matches[version] += 1
        for seat, version in enumerate(table):
            self._seats[version][seat] += 1
        self._added.update(_neighbours(table))
        return table

    def _first(self) -> tuple[Entrant, Callable[[Entrant], float]]:
        """The bot for whose sake the match is played, and how far chance may move each opponent."""
        newcomers = [one for one in self._free if self._matches[one.version] < PROVISIONAL]
        if not newcomers and len(self._entrants) > TOP and self._rng.random() < SHARE:
            openest = min(self._free, key=self._distance)
            if self._distance(openest) <= OPEN:
                return openest, lambda _: JITTER
        waiting = self._least_played(newcomers or self._drawn())
        return waiting, lambda one: JITTER + UNSURE / math.sqrt(1 + self._matches[one.version])

    def _drawn(self) -> list[Entrant]:
        count = max(DRAWN, round(DRAWN_SHARE * len(self._free)))
        return self._rng.sample(self._free, min(count, len(self._free)))

    def _least_played(self, candidates: list[Entrant]) -> Entrant:
        fewest = min(self._matches[one.version] for one in candidates)
        return self._rng.choice([one for one in candidates if self._matches[one.version] == fewest])

    @cached_property
    def _boundary(self) -> float:
        """The rating halfway between the last of the top and the next bot."""
        return (self._entrants[TOP - 1].rating + self._entrants[TOP].rating) / 2

    def _distance(self, one: Entrant) -> float:
        """Give the standard errors by which a rating is away from the boundary."""
        return abs(one.rating - self._boundary) * math.sqrt(self._matches[one.version]) / UNSURE

    def _table(self, first: Entrant, sides: int, jitter: Callable[[Entrant], float]) -> list[int]:
        """The first bot and those nearest to it, each of another owner."""
        others = (one for one in self._free if one.owner != first.owner)
        near = [(abs(one.rating + self._rng.gauss(0, jitter(one)) - first.rating), one.version, one) for one in others]
        table = {first.owner: first.version}
        for _, version, one in sorted(near):
            table.setdefault(one.owner, version)
            if len(table) == sides:
                break
        return list(table.values())

    def _seated(self, versions: list[int], players: int) -> tuple[int, ...]:
        """The order that leaves seats and neighbours most even."""
        self._rng.shuffle(versions)  # of equally good orders, chance decides
        rounds = players // len(versions)
        orders = islice(permutations(versions), ORDERS)
        return min((order * rounds for order in orders), key=self._unevenness)

    def _unevenness(self, table: tuple[int, ...]) -> int:
        """Give half of what the order adds to the sum of the squares of all counts, without a constant."""
        seats = sum(self._seats[version][seat] for seat, version in enumerate(table))
        return seats + sum(self._neighbours.get(pair, 0) + self._added[pair] for pair in _neighbours(table))


def _neighbours(table: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Pairs (x, y) in which y comes right after x."""
    return zip(table, (*table[1:], table[0]), strict=True)

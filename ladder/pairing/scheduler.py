"""
Choice of the next matches: a pure function from entrants, and what is known of them, to matches.

Policy, in this order:

1. Newcomers first: bots whose ± is above a limit, the one with the fewest matches first.
2. If a bot has less than half of the mean number of matches, 30 of 100 others are for the one with the fewest.
3. 70 of 100 others are by chance: for the bot with the fewest matches of a quarter of all, against any others. Bots of
   which some do better against one opponent than their strengths say are ranked right only if they meet many; and a
   field may hold groups that information alone would keep among themselves.
4. Else the bot that has the most to gain (`ladder.pairing.information`) by matches against all others, each sum times
   an exponential draw; in half of these matches times its nearness to the boundary, too.
5. Against the bot of 1, 2 or 4, one after the other, the bot that has the most to gain against those who sit there
   already; where nearness counts, times its nearness.
6. One bot of each owner, and, as long as there are enough, one of each program.
7. In the order that leaves seats and neighbours most even (`Seating`).

Copies of one program count as one bot, of which each has its share: what their results teach is the same.

Where bots of one owner must not play at the same time, matches are planned in sets that share no owner, so that those
of a set can be played at once (`DisjointSets`).

A bot whose matches take much machine time plays correspondingly fewer (`ladder.pairing.machine_costs`): what it has to
gain counts times its share, and each of its matches counts as many.

Matches that are handed out count at once for the next ones. The same entrants, the same knowledge and the same chance
give the same answer. The numbers below were chosen with matches of real games (benchmarks/scheduling.py).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import islice, permutations
from typing import TYPE_CHECKING

import numpy as np

from ladder.pairing.machine_costs import MIN_SHARE
from ladder.pairing.missing import missing_owners, waits_for
from ladder.ratings.elo import STANDARD_BOARDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from random import Random

    import numpy.typing as npt

    from ladder.pairing.information import Information

    BoolArray = npt.NDArray[np.bool_]
    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]


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


ORDERS = 120
"""The most orders of a table that are compared: all of five bots; of more, that many by chance."""


class Seating:
    """Counts who sat where, and beside whom, and seats the next match."""

    def __init__(
        self, seats: Mapping[int, Sequence[int]], neighbours: Mapping[tuple[int, int], int], rng: Random
    ) -> None:
        """
        Begin with what was counted before.

        Args:
            seats: By version, the times that it was bot number 0, 1, …; what is missing at the end is 0.
            neighbours: By two versions (x, y), the times that y came right after x in the order of bot numbers, the
                last one being followed by the first; what is missing is 0.
            rng: Chance, which decides between orders that are equally even.
        """
        self._recorded, self._seats = seats, dict[int, Counter[int]]()
        self._neighbours, self._added = neighbours, Counter[tuple[int, int]]()
        self._rng = rng

    def seat(self, versions: Sequence[int], players: int) -> tuple[int, ...]:
        """
        Seat a match, and count it.

        Returns:
            The version of each bot number: the order that leaves seats and neighbours most even, as often as it goes
            into *players*.
        """
        shuffled = self._rng.sample(versions, len(versions))
        for one in shuffled:
            self._seats.setdefault(one, Counter(dict(enumerate(self._recorded[one]))))
        count = len(shuffled)
        # Half of what a place, or a neighbour, adds to the sum of the squares of all counts, without a constant.
        sits = [[sum(self._seats[one][number] for number in range(place, players, count)) for place in range(count)]
                for one in shuffled]  # fmt: skip
        meets = [[self._met(one, other) * (players // count) for other in shuffled] for one in shuffled]
        order = min(_orders(count), key=lambda order: _unevenness(order, sits, meets))
        table = tuple(shuffled[place] for place in order) * (players // count)
        for number, version in enumerate(table):
            self._seats[version][number] += 1
        self._added.update(_neighbours(table))
        return table

    def _met(self, one: int, other: int) -> int:
        """Count how often *other* came right after *one*."""
        pair = one, other
        return self._neighbours.get(pair, 0) + self._added[pair] if one != other else 0


@cache
def _orders(count: int) -> tuple[tuple[int, ...], ...]:
    return tuple(islice(permutations(range(count)), ORDERS))


def _unevenness(order: Sequence[int], sits: Sequence[Sequence[int]], meets: Sequence[Sequence[int]]) -> int:
    uneven, before = 0, order[-1]
    for place, one in enumerate(order):
        uneven += sits[one][place] + meets[before][one]
        before = one
    return uneven


def _neighbours(table: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield the pairs (x, y) in which y comes right after x."""
    return zip(table, (*table[1:], table[0]), strict=True)


BY_CHANCE = 0.7
"""The share of tables that chance draws, of those that are for no newcomer and no bot that is behind."""
DRAWN, LEAST_DRAWN = 0.25, 8
"""Share of the bots, and their least number, of which the one with the fewest matches gets a table by chance."""
SHARE = 0.5
"""The share of the others in which nearness to the boundary counts."""
MIN_COPY_SHARE = 0.25
"""No copy of a program plays more seldom than this because of the others."""
LAGGING = 0.5
"""A bot with less than this share of the mean number of matches is behind."""
CATCHING_UP = 0.3
"""The share of matches for a bot that is behind, while there is one: so no late entrant sits in every match."""
MAX_NEW = 60
"""A bot with this many matches is no newcomer, whatever its ±: one that always loses stays unsure for long."""


@dataclass(frozen=True)
class Entrant:
    """A bot version that may be scheduled."""

    version: int
    bot: int
    owner: int
    matches: int
    """Recorded and pending ones."""
    seats: tuple[int, ...]
    """Times that it was bot number 0, 1, …; what is missing at the end is 0."""
    share: float = 1.0
    """Frequency of its play, compared with a bot of usual costs (`ladder.pairing.machine_costs.shares`)."""
    program: str = ""
    """Identity of its program, which copies have in common; empty: it has none with any other."""


@dataclass(frozen=True)
class PairingAims:
    """The priorities of pairing."""

    boundary: int = 10
    """The rank below which the boundary is that is played out most; 0: there is none."""
    newcomer_error: float = 120.0
    """A bot with a larger ± is a newcomer; in Elo."""
    chance: float = BY_CHANCE
    """The share of other tables that chance draws."""


def next_matches(
    entrants: Sequence[Entrant],
    known: Information,
    neighbours: Mapping[tuple[int, int], int],
    rules_players: int,
    partners: bool,
    rng: Random,
    count: int,
    sets: DisjointSets | None = None,
    boards: int = STANDARD_BOARDS,
    aims: PairingAims = PairingAims(),
) -> list[tuple[int, ...]]:
    """
    Choose the next *count* matches of a variant; none where there are too few owners.

    Args:
        entrants: All bot versions that may be scheduled.
        known: What is known about them; the matches that are planned are counted in it.
        neighbours: As `Seating` takes them.
        rules_players: Seats at a table.
        partners: Whether there are two teams; each is then one bot in both seats.
        rng: Chance.
        count: Number of matches.
        sets: The matches planned before these, which these continue. None: owners may play in several at once.
        boards: Boards of each match.
        aims: What matches are to find out first.

    Returns:
        For each match the version of each bot number; with partners a, b, a, b.
    """
    if why_none(entrants, rules_players, partners):
        return []
    planner = _Planner(entrants, known, aims, rng)
    seating = Seating({one.version: one.seats for one in entrants}, neighbours, rng)
    sides = 2 if partners else rules_players
    tables = []
    for _ in range(count):
        owners = sets.free({one.owner for one in entrants}, sides) if sets else None
        versions = planner.plan(sides, boards, owners)
        tables.append(seating.seat(versions, rules_players))
        if sets:
            sets.add({planner.owner_of[version] for version in versions})
    return tables


def why_none(entrants: Sequence[Entrant], rules_players: int, partners: bool) -> str | None:
    """Say in one sentence why there can be no match; None if there can be one."""
    needed, owners = 2 if partners else rules_players, len({entrant.owner for entrant in entrants})
    missing = missing_owners(owners, needed)
    if not missing:
        return None
    have = "none has" if not owners else "only 1 has" if owners == 1 else f"only {owners} have"
    return f"A match needs bots of {needed} different owners, and {have} one that may play: it {waits_for(missing)}."


def wanted_by_newcomers(entrants: Sequence[Entrant], known: Information, aims: PairingAims, sides: int) -> int:
    """Estimate how many matches it takes until no bot is a newcomer any more."""
    needed = known.matches_until(aims.newcomer_error, sides)
    ordered = _ordered(entrants, known)
    left = MAX_NEW * _shares(ordered, _programs(ordered)) - np.array([one.matches for one in ordered])
    return math.ceil(float(np.minimum(needed, np.maximum(0.0, left)).sum()) / sides)


def _ordered(entrants: Sequence[Entrant], known: Information) -> list[Entrant]:
    """Put the entrants into the order of what is known of them."""
    by_version = {one.version: one for one in entrants}
    return [by_version[version] for version in known.versions]


def _programs(entrants: Sequence[Entrant]) -> IntArray:
    """Number the programs of bots, (n,): copies have the same number."""
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(one.program or f"of version {one.version}", len(numbers)) for one in entrants]
    return np.array(found, dtype=np.int64)


def _shares(entrants: Sequence[Entrant], programs: IntArray) -> FloatArray:
    """Give each bot its share of matches, (n,): by what it costs, and by how many copies of its program play."""
    copies = np.bincount(programs)[programs]
    costs = np.array([one.share for one in entrants], dtype=np.float64)
    return np.maximum(MIN_SHARE, costs * np.maximum(MIN_COPY_SHARE, 1 / copies))


def next_variant(entries: Mapping[str, int], matches: Mapping[str, int]) -> str | None:
    """
    Choose the variant to play next: the one with the fewest matches per active entry; of equal ones the first by name.

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

    def __init__(self, entrants: Sequence[Entrant], known: Information, aims: PairingAims, rng: Random) -> None:
        ordered = _ordered(entrants, known)
        self.owner_of = {one.version: one.owner for one in entrants}
        self._known, self._aims = known, aims
        self._owners = np.array([one.owner for one in ordered])
        self._matches = np.array([one.matches for one in ordered])
        self._programs = _programs(ordered)
        self._shares = _shares(ordered, self._programs)
        self._chance = np.random.default_rng(rng.getrandbits(64))

    def plan(self, sides: int, boards: int, owners: Collection[int] | None = None) -> list[int]:
        """Hand out one match; *owners*: only of bots of theirs."""
        free = np.isin(self._owners, list(owners)) if owners is not None else np.ones(len(self._owners), dtype=np.bool_)
        table = self._table(free, sides)
        self._matches[table] += 1
        versions = [self._known.versions[place] for place in table]
        self._known.expect(versions, boards)
        return versions

    def _table(self, free: BoolArray, sides: int) -> list[int]:
        """Choose the places of a bot and its opponents."""
        if (late := self._late(free)) is not None:
            return self._filled(late, free, sides, None)
        if self._chance.random() < self._aims.chance:
            return self._drawn(free, sides)
        found = self._known.near(self._aims.boundary) if self._chance.random() < SHARE else None
        near, totals = (None, self._known.totals) if found is None else (found[0], found[0] * found[1])
        totals = np.where(free, totals * self._shares * self._chance.exponential(size=len(totals)), 0.0)
        first = int(np.argmax(totals)) if totals.any() else self._least_played(free)  # all is known: the least played
        return self._filled(first, free, sides, near)

    def _late(self, free: BoolArray) -> int | None:
        """Find the newcomer, or else the bot that is behind, for which the next match is, if it is for one."""
        new = free & (self._known.errors > self._aims.newcomer_error) & (self._turns < MAX_NEW)
        if new.any():
            return self._least_played(new)
        behind = free & (self._turns < LAGGING * self._matches.mean())
        return self._least_played(behind) if behind.any() and self._chance.random() < CATCHING_UP else None

    @property
    def _turns(self) -> FloatArray:
        """The matches of each bot, (n,), as many as a bot that costs no more than usual would have had meanwhile."""
        return np.asarray(self._matches / self._shares)

    def _least_played(self, these: BoolArray) -> int:
        fewest = self._turns[these].min()
        return int(self._chance.choice(np.nonzero(these & (self._turns == fewest))[0]))

    def _drawn(self, free: BoolArray, sides: int) -> list[int]:
        """Give the least played of some bots, and others by chance, each as often as its share says."""
        places = np.nonzero(free)[0]
        some = self._chance.choice(places, min(len(places), max(LEAST_DRAWN, round(DRAWN * len(free)))), replace=False)
        table = [self._least_played(np.isin(np.arange(len(free)), some))]
        turn = self._chance.exponential(size=len(free)) / self._shares
        while len(table) < sides:
            table.append(int(np.argmin(np.where(self._may_join(table, free), turn, np.inf))))
        return table

    def _may_join(self, table: Sequence[int], free: BoolArray) -> BoolArray:
        """Find the bots of other owners, and of other programs if there is one."""
        left = free & ~np.isin(self._owners, self._owners[table])
        others = left & ~np.isin(self._programs, self._programs[table])
        return others if others.any() else left

    def _filled(self, first: int, free: BoolArray, sides: int, near: FloatArray | None) -> list[int]:
        """Give the first bot, and one after the other those that have most to gain there."""
        table = [first]
        gains = self._gains(first)
        apart = np.abs(self._known.ratings - self._known.ratings[first]) * (1 + 1e-6 * self._chance.random(len(gains)))
        while len(table) < sides:
            left = self._may_join(table, free)
            worth = gains if near is None else gains * near
            if not (worth[left] > 0).any():  # all is known: the nearest
                worth = 1 / (1 + apart)
            else:
                worth = worth * self._shares
                worth = worth * (1 + 1e-6 * self._chance.random(len(worth)))  # of equal ones, chance decides
            table.append(int(np.argmax(np.where(left, worth, -1.0))))
            gains += self._gains(table[-1])
        return table

    def _gains(self, place: int) -> FloatArray:
        """Compute what one bot would gain with each, (n,)."""
        return np.asarray(self._known.gains(np.array([place]))[0])

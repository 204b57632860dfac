"""
Elo for any number of seats: each side is compared by place with every other side.

With ratings R, a side i that scores S_ij ∈ {1, ½, 0} against side j was expected to score

    E_ij = 1 / (1 + 10^((R_j − R_i) / 400))          (A. Elo, The Rating of Chessplayers, 1978)

and moves by K_i / (n − 1) · Σ_j (S_ij − E_ij), n the number of sides: matches of two, four and five seats move ratings
on one scale. All ratings are those before the match.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

START = 1500.0
"""The rating of a bot that has not played, and the mean of the active bots as they are shown."""
SCALE = 400.0
"""Whoever is stronger by this much is expected to win ten times as often as to lose."""
MOST_K = 120.0
"""The K of a newcomer."""
PROVISIONAL = 20
"""A rating from fewer matches is provisional: a single match may still move it by more than 28."""


@dataclass(frozen=True)
class SideMember:
    """A version of a bot, as it stood before the match."""

    version: int
    rating: float
    matches: int
    """Rated matches of this version in this variant before this one."""


@dataclass(frozen=True)
class Side:
    """Who wins or loses together: one bot, or the members of a team."""

    members: tuple[SideMember, ...]
    """Each version once, also where it holds both chairs of a team."""
    place: int
    """1 is best; equal places are ties; offenders stand last."""

    @cached_property
    def rating(self) -> float:
        """The mean of its members."""
        return statistics.fmean(member.rating for member in self.members)

    @cached_property
    def versions(self) -> tuple[int, ...]:
        """Its members."""
        return tuple(member.version for member in self.members)

    def score(self, other: Side) -> float:
        """1 for a better place than that of *other*, ½ for the same, 0 for a worse one."""
        return 0.5 + 0.5 * ((self.place < other.place) - (self.place > other.place))


@dataclass(frozen=True)
class Against:
    """What one opponent brought."""

    versions: tuple[int, ...]
    rating: float
    expected: float
    """The score that the ratings led one to expect, 0 to 1."""
    score: float
    """1, ½ or 0."""
    change: float
    """Its part of the move, in Elo; the parts of all opponents add up to the move."""


@dataclass(frozen=True)
class Move:
    """How the rating of one version moved, and why."""

    version: int
    before: float
    after: float
    k: float
    """The most that it could have moved, in Elo."""
    against: tuple[Against, ...]


def k_factor(matches: int) -> float:
    """
    How much a match can move a rating, in Elo, after that many rated matches.

    It falls like 1/n, which makes the rating an average over all matches of a version: versions never change, so
    no match is out of date.
    """
    return min(MOST_K, 700.0 / (matches + 5))


def is_provisional(matches: int) -> bool:
    """Whether a rating from that many matches says little yet."""
    return matches < PROVISIONAL


def expected(own: float, other: float) -> float:
    """The score, 0 to 1, that *own* may expect against *other*."""
    return 1 / (1 + 10 ** ((other - own) / SCALE))


def moves(sides: Sequence[Side]) -> tuple[Move, ...]:
    """
    How a match moves the ratings: one move for each version, in order of *sides*.

    Raises:
        ValueError: If there are fewer than two sides, or a version is named twice.
    """
    versions = [version for side in sides for version in side.versions]
    if len(sides) < 2 or len(set(versions)) < len(versions):
        raise ValueError(f"A rated match has two sides or more, and each version once; this one has {versions}.")
    return tuple(_move(member, side, sides) for side in sides for member in side.members)


def _move(member: SideMember, side: Side, sides: Sequence[Side]) -> Move:
    k = k_factor(member.matches)
    against = tuple(_against(side, other, k / (len(sides) - 1)) for other in sides if other is not side)
    after = member.rating + math.fsum(part.change for part in against)  # exact: the order of the sides cannot matter
    return Move(member.version, member.rating, after, k, against)


def _against(side: Side, other: Side, k: float) -> Against:
    hoped, score = expected(side.rating, other.rating), side.score(other)
    return Against(other.versions, other.rating, hoped, score, k * (score - hoped))


def pair_scores(sides: Sequence[Side]) -> Iterator[tuple[int, int, float]]:
    """
    What the pairs of a match scored: versions a < b, and the score of a.

    Members of teams meet every member of every other team, and none of their own.
    """
    for one, other in combinations(sides, 2):
        for a, b in product(one.versions, other.versions):
            yield (a, b, one.score(other)) if a < b else (b, a, other.score(one))


def shift(ratings: Iterable[float]) -> float:
    """What to add to the *ratings* of the active bots so that their mean is shown as `START`; 0 for none."""
    known = tuple(ratings)
    return START - statistics.fmean(known) if known else 0.0

"""
Elo for any number of seats: each side is compared by place with every other side.

With ratings R, a side i that scores S_ij ∈ {1, ½, 0} against side j was expected to score

    E_ij = 1 / (1 + 10^((R_j − R_i) / 400))          (A. Elo, The Rating of Chessplayers, 1978)

and moves by K_i / (n − 1) · Σ_j (S_ij − E_ij), n the number of sides: matches of two, four and five seats move ratings
on one scale. All ratings are those before the match.

A match of more boards has less luck in it: a bot's points per deal over b boards have a standard deviation
√(4 / b) times that over four. So a difference in rating counts √(b / 4) times as much in E and in the move:

    E_ij = 1 / (1 + 10^(√(b / 4) · (R_j − R_i) / 400))

Ratings of all lengths of matches are on one scale, that of matches of four boards (docs/ratings.md).

A match that is rated by its boards is b results of one board each. S and E are then those of one board, S being the
mean over the boards, and the move is √b times as large: it varies as much as if the match were one result.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

START = 1500.0
"""The Elo with which a bot begins."""
SCALE = 400.0
"""A side stronger by this much is expected to win ten times as often as to lose, in a match of four boards."""
MAX_K = 120.0
"""The K of a newcomer."""
STANDARD_BOARDS = 4
"""Boards of a match in which a side stronger by 400 is expected to win ten times as often as to lose."""
PROVISIONAL = 20
"""A rating from fewer matches is provisional: a match of four boards may still move it by more than 56."""


@dataclass(frozen=True)
class SideMember:
    """A version of a bot, as it stood before the match."""

    version: int
    rating: float
    boards: int
    """Boards of all rated matches of this version in this variant before this one."""


@dataclass(frozen=True)
class Side:
    """The bots that win or lose together: one bot, or the members of a team."""

    members: tuple[SideMember, ...]
    """Each version once, also where it has both seats of a team."""
    place: int
    """In the match; 1 is best; equal places are ties; offenders stand last."""
    board_places: tuple[int, ...] = ()
    """Likewise on each board; empty where the match is rated as one result."""

    @cached_property
    def rating(self) -> float:
        """The mean of its members."""
        return statistics.fmean(member.rating for member in self.members)

    @cached_property
    def versions(self) -> tuple[int, ...]:
        """Its members."""
        return tuple(member.version for member in self.members)

    def score(self, other: Side) -> float:
        """Give 1 for a better place than that of *other*, ½ for the same, 0 for a worse; the mean over rated boards."""
        places = zip(self.results, other.results, strict=True)
        return statistics.fmean(score_of(own, theirs) for own, theirs in places)

    @property
    def results(self) -> tuple[int, ...]:
        """Its places, one for each result by which the match is rated."""
        return self.board_places or (self.place,)


@dataclass(frozen=True)
class Against:
    """The contribution of one opponent."""

    versions: tuple[int, ...]
    rating: float
    expected: float
    """The score that the ratings led one to expect, 0 to 1."""
    score: float
    """1, ½ or 0; of a match that is rated by its boards, the mean over them."""
    change: float
    """Its part of the move, in Elo; the parts of all opponents add up to the move."""


@dataclass(frozen=True)
class Move:
    """The move of one version's rating, and its reasons."""

    version: int
    before: float
    after: float
    k: float
    """The most that it could have moved, in Elo."""
    against: tuple[Against, ...]


def score_of(own: int, other: int) -> float:
    """Give 1 for a better place than *other*, ½ for the same, 0 for a worse one."""
    return 0.5 + 0.5 * ((own < other) - (own > other))


def steepness(boards: float) -> float:
    """
    Give the weight of a difference in rating in a match of *boards* boards, relative to a match of four.

    >>> steepness(1), steepness(4), steepness(16)
    (0.5, 1.0, 2.0)
    """
    return math.sqrt(boards / STANDARD_BOARDS)


def k_factor(before: int, boards: int = STANDARD_BOARDS) -> float:
    """
    Give the most that a match can move a rating, in Elo.

    It falls like 1/n, which makes the rating an average over all boards of a version: versions never change, so
    no match is out of date. A match of b boards counts b / 4 times as much as one of four, and so do those before it.

    Args:
        before: Boards of the rated matches of the version before this one.
        boards: Boards of this match.
    """
    return min(MAX_K, 700.0 * steepness(boards) / ((before + boards) / STANDARD_BOARDS + 4))


def is_provisional(matches: int) -> bool:
    """Tell whether a rating from that many matches says little yet."""
    return matches < PROVISIONAL


def expected(own: float, other: float, boards: float = STANDARD_BOARDS) -> float:
    """Compute the score, 0 to 1, that *own* may expect against *other* in a match of *boards* boards."""
    return 1 / (1 + 10 ** (steepness(boards) * (other - own) / SCALE))


def moves(sides: Sequence[Side], boards: int = STANDARD_BOARDS) -> tuple[Move, ...]:
    """
    Compute how a match moves the ratings: one move for each version, in order of *sides*.

    Args:
        sides: Who played, as they stood before the match, with their places.
        boards: The boards of the match.

    Raises:
        ValueError: If there are fewer than two sides, or a version is named twice.
    """
    versions = [version for side in sides for version in side.versions]
    if len(sides) < 2 or len(set(versions)) < len(versions):
        raise ValueError(f"A rated match has two sides or more, and each version once; this one has {versions}.")
    if len({len(side.results) for side in sides}) > 1:
        raise ValueError(f"All sides of a match have the same boards; those of {versions} have not.")
    return tuple(_move(member, side, sides, boards) for side in sides for member in side.members)


def _move(member: SideMember, side: Side, sides: Sequence[Side], boards: int) -> Move:
    results = len(side.results)
    k = k_factor(member.boards, boards) * math.sqrt(results)
    one = boards / results
    against = tuple(_against(side, other, k / (len(sides) - 1), one) for other in sides if other is not side)
    after = member.rating + math.fsum(part.change for part in against)  # exact: the order of the sides cannot matter
    return Move(member.version, member.rating, after, k, against)


def _against(side: Side, other: Side, k: float, boards: float) -> Against:
    hoped, score = expected(side.rating, other.rating, boards), side.score(other)
    return Against(other.versions, other.rating, hoped, score, k * (score - hoped))


def pair_scores(sides: Sequence[Side]) -> Iterator[tuple[int, int, float]]:
    """
    Give the scores of the pairs of a match by their places in it: versions a < b, and the score of a.

    Members of teams meet every member of every other team, and none of their own.
    """
    for one, other in combinations(sides, 2):
        score = score_of(one.place, other.place)
        for a, b in product(one.versions, other.versions):
            yield (a, b, score) if a < b else (b, a, 1 - score)

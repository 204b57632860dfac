"""
Agreement of bots: which pairs give equal answers more often than chance makes any two of them.

A decision that several bots have met is compared for each pair. How often two bots agree by chance depends on the
decision, so decisions are counted by kinds (what is asked, among how many choices). For a pair, the share expected by
chance is that of all *other* pairs at decisions of the same kinds. Pairs differ by more than a binomial distribution
says, because some bots are more alike than others without any copying. So the variance of the number of equal answers
is

    sum of q (1 - q)  +  (s n)²

with q the expected share at each of n decisions, and s the spread of shares between pairs. Mean and spread are fitted
so that half of all pairs lie where half of them should: they hold as long as fewer than half of the pairs are copies.
Because the spread is fitted to few pairs, the tail is that of Student's distribution.

Effects of single bots (a good bot agrees with all good ones) are part of the spread. Models with an effect of each
bot were tried in simulated fields without copies: with them a sixth of the fields had a pair below 0.05, and with this
one between a twentieth and an eighth, by how much the bots differ in skill.
"""

from __future__ import annotations

import math
from statistics import NormalDist, median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Pair = tuple[str, str]
"""Two bots, by what names them, in alphabetical order."""
Counts = dict[str, tuple[int, int]]
"""By kind of decision: how many both have met, and in how many of them they have answered equally."""

MIN_DECISIONS = 20
"""Decisions of a pair below which nothing is concluded."""
MIN_PAIRS = 10
"""Pairs with `MIN_DECISIONS` decisions below which there is no spread to compare with: those of five bots."""
MIN_OTHERS = 30
"""Decisions of a kind that other pairs must have met, for a chance to be known."""
HALF = NormalDist().inv_cdf(0.75)
"""Half of a normal distribution lies within this number of standard deviations of its mean."""
STEPS = 50


class Agreement(NamedTuple):
    """A pair, and how unlikely it is that chance made it agree as often."""

    pair: Pair
    decisions: int
    equal: int
    chance: float
    """Share of equal answers that other pairs have at such decisions."""
    p: float
    """Probability that any of all pairs agrees as often by chance: by Student's distribution, times the pairs."""


class _Observed(NamedTuple):
    pair: Pair
    decisions: int
    equal: int
    expected: float
    variance: float

    @property
    def excess(self) -> float:
        """The share of equal answers above the one expected."""
        return (self.equal - self.expected) / self.decisions


def agreements(counts: Mapping[Pair, Counts]) -> list[Agreement]:
    """
    Compare each pair with all others, the least likely one first; nothing if too few pairs have met often enough.

    Args:
        counts: Of pairs that nothing is known of: without those that are the same program, or of one owner.
    """
    totals = _added(counts.values())
    observed = [each for pair in sorted(counts) if (each := _observed(pair, counts[pair], totals)) is not None]
    if len(observed) < MIN_PAIRS:
        return []
    shift = median(each.excess for each in observed)
    spread = _spread(observed, shift)
    found = [_agreement(each, shift, spread, len(observed)) for each in observed]
    return sorted(found, key=lambda each: (each.p, -each.decisions, each.pair))


def _added(counts: Iterable[Counts]) -> Counts:
    totals: Counts = {}
    for own in counts:
        for kind, (decisions, equal) in own.items():
            before = totals.get(kind, (0, 0))
            totals[kind] = before[0] + decisions, before[1] + equal
    return totals


def _observed(pair: Pair, own: Counts, totals: Counts) -> _Observed | None:
    """Compare a pair with what the others did at decisions of the same kinds; None: it has met too few of them."""
    met = agreed = 0
    expected = variance = 0.0
    for kind, (decisions, equal) in own.items():
        others, others_equal = totals[kind][0] - decisions, totals[kind][1] - equal
        if others >= MIN_OTHERS:
            share = (others_equal + 1) / (others + 2)  # never 0 or 1: Laplace's rule of succession
            met, agreed = met + decisions, agreed + equal
            expected, variance = expected + decisions * share, variance + decisions * share * (1 - share)
    return _Observed(pair, met, agreed, expected, variance) if met >= MIN_DECISIONS else None


def _spread(observed: Sequence[_Observed], shift: float) -> float:
    """Find the spread of shares with which half of all pairs lie within `HALF` standard deviations."""

    def is_too_narrow(spread: float) -> bool:
        return median(abs(_deviation(each, shift, spread)) for each in observed) > HALF

    low, high = 0.0, 1.0
    if not is_too_narrow(low):
        return low
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_narrow(middle) else (low, middle)
    return high


def _deviation(each: _Observed, shift: float, spread: float) -> float:
    """Give the excess of a pair in standard deviations."""
    return (each.excess - shift) * each.decisions / math.sqrt(each.variance + (spread * each.decisions) ** 2)


def _agreement(each: _Observed, shift: float, spread: float, pairs: int) -> Agreement:
    deviation = _deviation(each, shift, spread)
    normal = math.copysign(_normal(abs(deviation), pairs - 2), deviation)  # two figures are fitted to the pairs
    p = math.erfc(normal / math.sqrt(2)) / 2
    chance = min(1.0, max(0.0, each.expected / each.decisions + shift))
    return Agreement(each.pair, each.decisions, each.equal, chance, min(1.0, p * pairs))


def _normal(t: float, free: int) -> float:
    """
    Turn Student's t into a normal deviate with the same tail, about (D. Wallace, 1959).

    >>> [round(_normal(t, 10), 2) for t in (0.0, 2.228, 4.587)]
    [0.0, 1.96, 3.28]
    """
    return (8 * free + 1) / (8 * free + 3) * math.sqrt(free * math.log1p(t * t / free))

"""
Means of independent observations, and favours: estimates of what one bot gives another in a deal.

A mean has its 95 % interval, and tells how likely chance alone has made it. A favour is what one of several bots gives
another beyond what their habits and their seats explain.

A deal is a table: what the bot in seat i gives the one in seat j, for i ≠ j. The model is that of social relations (R.
Warner, D. Kenny and M. Stoto, 1979), with one more term for the distance of the seats:

    given(i, j) = mean + giver(i) + receiver(j) + distance((j - i) mod n) + favour(i, j)

A favour is estimated by least squares, one at a time: as if all other pairs had none. Where a bot gives much to all,
takes many tricks, or sits before the other one, that is no favour.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

QUANTILE = NormalDist().inv_cdf(0.975)
"""Standard errors from the mean to an end of the 95 % interval: 1.96."""

ROUNDING = 1e-9
"""A standard error below it comes from rounding."""


class Mean(NamedTuple):
    """A mean with its standard error, s / √n, by the normal approximation."""

    value: float
    standard_error: float
    n: int

    @classmethod
    def of_sums(cls, n: int, total: float, squares: float) -> Self:
        """
        Make it of the sum of at least two observations and that of their squares.

        >>> Mean.of_sums(4, 8.0, 24.0)
        Mean(value=2.0, standard_error=0.816496580927726, n=4)
        """
        value = total / n
        variance = max(0.0, squares - n * value * value) / (n - 1)
        return cls(value, math.sqrt(variance / n), n)

    @classmethod
    def of(cls, observations: Iterable[float]) -> Self:
        """Make it of at least two observations."""
        values = list(observations)
        return cls.of_sums(len(values), math.fsum(values), math.fsum(value * value for value in values))

    @property
    def error(self) -> float:
        """Half the width of the 95 % interval."""
        return QUANTILE * self.standard_error

    @property
    def p(self) -> float:
        """
        Probability that chance alone gives a mean at least as far from 0: two-sided, by the normal distribution.

        >>> round(Mean(1.96, 1.0, 100).p, 4)
        0.05
        """
        if self.standard_error < ROUNDING:
            return 1.0  # observations that are all equal say nothing about their spread
        return math.erfc(abs(self.value) / self.standard_error / math.sqrt(2))


MIN_SIDES = 4
"""With three, a favour cannot be told from what the others do."""


def favour(given: Sequence[Sequence[float]], giver: int, receiver: int) -> float:
    """
    Estimate one favour in a deal.

    Each seat appears once with each distance, so the terms are estimated apart from each other. The residual of a pair
    is (n - 3) / n of its favour, the rest of which the other terms take; so it is multiplied by n / (n - 3).

    Args:
        given: By the seats of the giver and the receiver; on the diagonal 0.
        giver: A seat.
        receiver: Another one.

    >>> friendly = [[0, 0, 5, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    >>> round(favour(friendly, 0, 2), 9), round(favour(friendly, 0, 1), 9)
    (5.0, -2.5)
    """
    n = len(given)
    mean = sum(map(sum, given)) / (n * (n - 1))
    distance = (receiver - giver) % n
    at_distance = sum(given[seat][(seat + distance) % n] for seat in range(n)) / n - mean
    residual = given[giver][receiver] - mean - _giver(given, giver, mean) - _receiver(given, receiver, mean)
    return (residual - at_distance) * n / (n - 3)


def _giver(given: Sequence[Sequence[float]], seat: int, mean: float) -> float:
    """Compute how much more a seat gives than the mean one, corrected for that it receives nothing from itself."""
    return _effect(len(given), sum(given[seat]), sum(row[seat] for row in given), mean)


def _receiver(given: Sequence[Sequence[float]], seat: int, mean: float) -> float:
    return _effect(len(given), sum(row[seat] for row in given), sum(given[seat]), mean)


def _effect(n: int, own: float, opposite: float, mean: float) -> float:
    """Compute formulas 1 and 2 of the paper: *own* and *opposite* are sums over the n - 1 others."""
    return ((n - 1) * own + opposite) / (n * (n - 2)) - (n - 1) / (n - 2) * mean

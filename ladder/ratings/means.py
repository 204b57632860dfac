"""The mean of independent observations, its 95 % interval, and how likely chance alone has made it."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
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

"""
Favours: what one of several bots gives another beyond what their habits and their seats explain.

A deal is a table: what the bot in seat i gives the one in seat j, for i ≠ j. The model is that of social relations (R.
Warner, D. Kenny and M. Stoto, 1979), with one more term for the distance of the seats:

    given(i, j) = mean + giver(i) + receiver(j) + distance((j - i) mod n) + favour(i, j)

A favour is estimated by least squares, one at a time: as if all other pairs had none. Where a bot gives much to all,
takes many tricks, or sits before the other one, that is no favour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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

"""
The fit of points: how many points a deal each bot wins more than the others, and how sure that is.

A board gives each of k sides one number, y = θ + the board + noise of variance σ²: its points a deal. What does not
depend on the board are the differences of two sides, so the sums over the boards of each pair are enough: n, how many
there were; S = Σ (y_a − y_b); Q = Σ (y_a − y_b)². With H = the Laplacian of n / k and b = the row sums of S / k, the
least squares are

    θ = H⁺ b,    σ² = (Σ Q / k − θ'b) / (2 Σ n / k − rank H),    all sums over pairs a < b

(for k = 4 and M boards 2 Σ n / k = 3 M). Bots of few boards are drawn towards the mean: true margins are taken to come
from N(0, τ²), so with λ = σ² / τ² the margins are (H + λ)⁻¹ b and their covariance is σ² (H + λ)⁻¹. λ is the value of
a grid with the largest τ · likelihood (`ladder.ratings.shrinkage`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from ladder.ratings.batch import WIDE, Estimate, centred, places_of
from ladder.ratings.linear import groups, solve
from ladder.ratings.shrinkage import shrunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.ratings.batch import FloatArray, IntArray
    from ladder.ratings.linear import AnyFloats

MEAN = 0.0
"""Of all margins."""
EXACT = 1e-12
"""Noise below this part of all squares is rounding: the margins are known for certain."""
FINE = 1e-10
"""Precision of the least squares."""


@dataclass(frozen=True)
class PairSums:
    """Points that pairs of versions have won from each other, one entry for each pair, or several, in either order."""

    a: IntArray
    """(m,) Ids."""
    b: IntArray
    boards: FloatArray
    """(m,) Boards that they played together, on different sides."""
    points: FloatArray
    """(m,) By how many points a deal a was better on each, added up."""
    squares: FloatArray
    """(m,) The squares of those, added up."""


def fit_points(versions: Sequence[int], pairs: PairSums, sides: int) -> Estimate | None:
    """
    Fit the margins of *versions*, in points a deal, relative to their mean.

    Args:
        versions: Ids of all bot versions, each once.
        pairs: What they have won from each other.
        sides: How many sides there are at a table.

    Returns:
        An estimate of mean 0; None while the boards are too few to tell the noise from the differences.

    Raises:
        ValueError: If a pair names a version that is not in *versions*.
    """
    ids, count = np.array(versions, dtype=np.int64), len(versions)
    a, b = places_of(ids, pairs.a), places_of(ids, pairs.b)
    weights, points = pairs.boards / sides, pairs.points / sides
    off = np.bincount(a * count + b, weights, count**2).reshape(count, count)
    off += off.T
    won = np.asarray(np.bincount(a, points, count) - np.bincount(b, points, count), dtype=np.float64)
    group, degrees = groups(a[weights > 0], b[weights > 0], count), off.sum(axis=1)
    free = 2 * float(weights.sum()) - (count - len(np.unique(group)))
    if free < 1:
        return None
    matrix: FloatArray = np.diag(degrees) - off
    squares = float(pairs.squares.sum()) / sides
    covariance: AnyFloats
    with threadpool_limits(1, "blas"):  # as in `batch.fit`
        margins = solve(matrix.__matmul__, np.where(degrees > 0, degrees, 1.0), won, FINE)
        unexplained = squares - float(margins @ won)
        if unexplained <= EXACT * squares:
            margins, certain = _certain(margins, group)
            covariance = centred(centred(certain).T)
        else:
            margins, covariance = shrunk(matrix, won, unexplained / free)
    return Estimate(ids, MEAN + centred(margins), covariance, MEAN)


def _certain(margins: FloatArray, group: IntArray) -> tuple[FloatArray, FloatArray]:
    """Compute the margins without noise: known inside of each group, and not across groups that never met."""
    together = (group[:, None] == group) / np.bincount(group)[group]
    margins = margins - together @ margins
    return margins, float(margins @ margins) * together


def outplaced_by(places: Estimate, points: Estimate, version: int) -> int | None:
    """
    Find the best of those that surely have better places than a version, and surely win fewer points.

    Surely is a likelihood of superiority of more than 97.5 %.

    Args:
        places: The estimate by places.
        points: That by points, of the same versions in the same order.
        version: Which one.
    """
    found = (places.leads(version) < -WIDE) & (points.leads(version) > WIDE)
    return int(places.versions[np.argmax(np.where(found, places.ratings, -np.inf))]) if found.any() else None

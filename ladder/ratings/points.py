"""
The fit of points: how many points a deal each bot wins more than the others, and how sure that is.

A board gives each of k sides one number, y = θ + the board + noise of variance σ²: its points a deal. What does not
depend on the board are the differences of two sides, so the sums over the boards of each pair are enough: n, how many
there were; S = Σ (y_a − y_b); Q = Σ (y_a − y_b)². With H = the Laplacian of n / k and b = the row sums of S / k, the
least squares are

    θ = H⁺ b,    σ² = (Σ Q / k − θ'b) / (2 Σ n / k − rank H),    all sums over pairs a < b

(for k = 4 and M boards 2 Σ n / k = 3 M). Bots of few boards are drawn towards the mean: in the eigenbasis of H, with
the eigenvalues w, each part z of θ is taken to come from N(0, τ² + σ² / w); z is multiplied by τ² / (τ² + σ² / w), and
what remains uncertain has the variance τ² σ² / (σ² + τ² w). τ² is the value of a grid with the largest τ · likelihood.
The factor τ is that of Y. Chung et al. (2013): among few bots the likelihood alone often has its maximum at τ = 0,
where all bots would be surely equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from ladder.ratings.batch import WIDE, Estimate, centred, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.ratings.batch import FloatArray, IntArray

MEAN = 0.0
"""Of all margins."""
ZERO = 1e-9
"""Eigenvalues below this part of the largest one are 0: groups of bots that never met."""
STEPS = 200
"""Values of τ² that are tried."""


@dataclass(frozen=True)
class PairSums:
    """What pairs of versions have won from each other, one entry for each pair, or several, in either order."""

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
    won = np.bincount(a, points, count) - np.bincount(b, points, count)
    with threadpool_limits(1, "blas"):  # as in `batch.fit`
        eigenvalues, vectors = np.linalg.eigh(np.diag(off.sum(axis=1)) - off)
        known = eigenvalues > ZERO * eigenvalues.max(initial=0.0)
        eigenvalues = np.where(known, eigenvalues, 0.0)
        parts = np.where(known, vectors.T @ won / np.where(known, eigenvalues, 1.0), 0.0)
        free = 2 * float(weights.sum()) - int(np.count_nonzero(known))
        if free < 1:
            return None
        unexplained = float(pairs.squares.sum()) / sides - float(parts**2 @ eigenvalues)
        noise = max(unexplained, 0.0) / free
        spread = likeliest_spread(parts[known], eigenvalues[known], noise)
        # Of a part: the share that is kept, and the variance that is left.
        kept = spread * eigenvalues / (noise + spread * eigenvalues) if noise else known.astype(np.float64)
        left = spread * noise / (noise + spread * eigenvalues) if noise else np.where(known, 0.0, spread)
        margins, covariance = vectors @ (kept * parts), (vectors * left) @ vectors.T
    return Estimate(ids, MEAN + centred(margins), centred(centred(covariance).T), MEAN)


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


def likeliest_spread(parts: FloatArray, eigenvalues: FloatArray, noise: float) -> float:
    """
    Find τ², the variance of the true margins between bots.

    Args:
        parts: (r,) z.
        eigenvalues: (r,) w, above 0.
        noise: σ².
    """
    own = noise / eigenvalues
    largest = float((parts**2).max(initial=0.0))
    if not largest or not noise:
        return largest
    grid = np.geomspace(float(own.min()) / 100, 10 * max(largest, float(own.max())), STEPS)
    variances = grid[:, None] + own
    likelihood = -(np.log(variances) + parts**2 / variances).sum(axis=1) / 2
    return float(grid[np.argmax(likelihood + np.log(grid) / 2)])

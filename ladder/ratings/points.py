"""
The fit of points: how many points a deal each bot wins more than the others, and how sure that is.

A board gives each of k sides one number, y = θ + the board + noise of variance σ²: its points a deal. What does not
depend on the board are the differences of two sides, so the sums over the boards of each pair are enough: n, how many
there were; S = Σ (y_a − y_b); Q = Σ (y_a − y_b)². With H = the Laplacian of n / k and b = the row sums of S / k, the
least squares are

    θ = H⁺ b,    σ² = (Σ Q / k − θ'b) / (2 Σ n / k − rank H),    all sums over pairs a < b

(for k = 4 and M boards 2 Σ n / k = 3 M). Bots of few boards are drawn towards the mean: true margins are taken to come
from N(0, τ²), so with the ridge λ = σ² / τ² the margins are (H + λ)⁻¹ b and their covariance is σ² (H + λ)⁻¹. λ is the
value of a fixed grid with the largest τ · likelihood. With n bots, and up to a constant, −2 log (τ · likelihood) is

    log det (H + λ) − (n − 1) log λ + (b'H⁺b − b'(H + λ)⁻¹b) / σ²

The factor τ is that of Y. Chung et al. (2013): among few bots the likelihood alone often has its maximum at τ = 0,
where all bots would be surely equal.

Pairs differ (`ladder.ratings.pairs`): with its own variance v of one board's difference, and ω² for what two bots have
over each other beyond their strengths, a pair's n / k becomes 1 / (ω² / σ² + k v / 2 σ² n), which is n / k again if
v = 2 σ² and ω = 0.

λ is sought in a model, which has the spectrum of H by quadrature
(`linear.spectra`). The inverse at the point found there, which is needed in any case, gives the first two derivatives
of the true function; corrected by them, the model says whether a point near by is better, and then the inverse is made
there. Eigenvalues of a large H would take several times as long. Of more than `MAX_DENSE` bots there is no H that is
written out, and no inverse (`sparse`): λ is what the model says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from ladder.ratings.batch import MAX_DENSE, WIDE, Estimate, centred, places_of
from ladder.ratings.linear import centred_inverse, groups, solve, spectra, times
from ladder.ratings.pairs import PairIndex, bounded, interactions, of_field, own_variances
from ladder.ratings.sparse import SparseCovariance, sparse_covariance

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ladder.ratings.batch import FloatArray, IntArray
    from ladder.ratings.linear import AnyFloats, Spectrum

STEP = 1 / 32
"""Of the grid, in log λ."""
WINDOW = 16
"""Points on each side of one whose derivatives are known that the corrected model is asked about."""

NO_RIDGE = 1e-12
"""The least λ, as a part of the largest number in H: a smaller one changes nothing."""


def shrunk(matrix: FloatArray, won: FloatArray, noise: float) -> tuple[FloatArray, AnyFloats, float]:
    """
    Draw margins towards their mean.

    Args:
        matrix: (n, n) H.
        won: (n,) b.
        noise: σ², above 0.

    Returns:
        (n,) margins and (n, n) their covariance, relative to their mean; and λ.
    """
    degrees = matrix.diagonal()
    model = _Model(degrees, won, noise, *spectra(matrix.__matmul__, float(degrees.max()), won))
    place, seen = model.first(), set[int]()
    while True:
        ridge, ridged = _at(place), matrix.copy()
        np.fill_diagonal(ridged, matrix.diagonal() + ridge)
        found = centred_inverse(ridged)
        margins = times(found, won)
        margins += times(found, won - ridged @ margins)
        seen.add(place)
        place = model.best_near(place, _slopes(found, margins, ridge, noise))
        if place in seen:
            found *= noise
            return margins, found, ridge


def _at(place: int) -> float:
    """Give λ of a point of the grid."""
    return math.exp(STEP * place)


def _slopes(found: AnyFloats, margins: FloatArray, ridge: float, noise: float) -> FloatArray:
    """
    Compute the first and second derivative, (2,), by log λ of what is to be least; the centred inverse is known.

    What the inverse lacks is that of the mean, 1 / λ.
    """
    count = len(found)
    trace = ridge * float(found.trace(dtype=np.float64)) + 1.0
    squares = ridge**2 * float(np.einsum("ij,ij->", found, found, dtype=np.float64)) + 1.0
    size = ridge * float(margins @ margins) / noise
    second = trace - squares + size - 2 * ridge**2 / noise * float(margins @ times(found, margins))
    return np.array([trace - (count - 1) + size, second])


@dataclass(frozen=True)
class _Model:
    """The function to minimise, by a spectrum of H."""

    degrees: FloatArray
    """(n,) The diagonal of H."""
    won: FloatArray
    noise: float
    trace: Spectrum
    """Of H, for traces."""
    own: Spectrum
    """Of H, for what b says of it."""

    @cached_property
    def lowest(self) -> int:
        """The first point of the grid: no margin is as wide. Where only one pair has met, no other end is known."""
        met = self.degrees[self.degrees > 0]
        margins = np.where(self.degrees > 0, self.won / np.where(self.degrees > 0, self.degrees, 1.0), 0.0)
        widest = 10 * max(float(margins @ margins), self.noise / float(met.min()))
        return math.floor(math.log(max(self.noise / widest, NO_RIDGE * float(met.max()))) / STEP)

    def first(self) -> int:
        """Find the best point of the whole grid."""
        last = math.ceil(math.log(200 * float(self.degrees.max())) / STEP)
        places = np.arange(self.lowest, last + 1)
        return int(places[np.argmin(self.values(places))])

    def best_near(self, place: int, slopes: FloatArray) -> int:
        """Find the best point near one where the derivatives are known."""
        away = np.arange(max(-WINDOW, self.lowest - place), WINDOW + 1)
        first, second = slopes - self.slopes(place)
        logs = STEP * away
        return place + int(away[np.argmin(self.values(place + away) + first * logs + second * logs**2 / 2)])

    def values(self, places: npt.NDArray[np.signedinteger]) -> FloatArray:
        """Compute what is to be the least at some points of the grid."""
        ridges = np.exp(STEP * places)[:, None]
        logs = np.log(self.trace.values + ridges) @ self.trace.weights
        known = (1 / (self.own.values + ridges)) @ self.own.weights / self.noise
        return np.asarray(logs - known - (len(self.degrees) - 1) * STEP * places)

    def slopes(self, place: int) -> FloatArray:
        """Compute the derivatives of `values` by log λ, (2,)."""
        ridge = _at(place)
        share, own = ridge / (self.trace.values + ridge), ridge / (self.own.values + ridge)
        known = self.own.weights / (self.own.values + ridge) / self.noise
        first = share @ self.trace.weights + own @ known
        second = (share - share**2) @ self.trace.weights + (own - 2 * own**2) @ known
        return np.array([first - (len(self.degrees) - 1), second])


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


def fit_points(
    versions: Sequence[int], pairs: PairSums, sides: int, max_dense: int = MAX_DENSE, alike: bool = False
) -> Estimate | None:
    """
    Fit the margins of *versions*, in points a deal, relative to their mean.

    Args:
        versions: Ids of all bot versions, each once.
        pairs: What they have won from each other.
        sides: How many sides there are at a table.
        max_dense: As in `batch.fit`.
        alike: Take the noise of all pairs as the same, and no bot to have something over another beyond its strength.

    Returns:
        An estimate of mean 0; None while the boards are too few to tell the noise from the differences.

    Raises:
        ValueError: If a pair names a version that is not in *versions*.
    """
    ids, count = np.array(versions, dtype=np.int64), len(versions)
    index = PairIndex.of(places_of(ids, pairs.a), places_of(ids, pairs.b), count)
    boards, points, squares = (index.summed(pairs.boards), index.summed_leads(pairs.points),
                               index.summed(pairs.squares))  # fmt: skip
    laplacian = _Laplacian(index, boards / sides)
    group = groups(index.a[boards > 0], index.b[boards > 0], count)
    free = 2 * float(laplacian.weights.sum()) - (count - len(np.unique(group)))
    if free < 1:
        return None
    total, leads = float(squares.sum()) / sides, points / np.where(boards > 0, boards, 1.0)
    covariance: AnyFloats | SparseCovariance
    with threadpool_limits(1, "blas"):  # as in `batch.fit`
        margins = laplacian.solved(leads)
        unexplained = total - float(margins @ laplacian.won(leads))
        if unexplained <= EXACT * total:
            margins, certain = _certain(margins, group)
            return Estimate(ids, MEAN + centred(margins), centred(centred(certain).T), MEAN)
        noise, spread = unexplained / free, 0.0
        if not alike:
            own = own_variances(boards, points, squares, 2 * noise)
            precisions = boards / sides * 2 / own

            def residuals(weights: FloatArray) -> FloatArray:
                return np.asarray(leads - index.apart(_Laplacian(index, weights).solved(leads)))

            spread = interactions(index, precisions, 2 / sides, residuals)
            laplacian = _Laplacian(index, noise * bounded(precisions, spread))
        sparsely = _shrunk_sparsely(laplacian, laplacian.won(leads), noise) if count > max_dense else None
        found = sparsely or shrunk(laplacian.written_out(), laplacian.won(leads), noise)
        margins, covariance = of_field(centred(found[0]), found[1], spread, found[2] / noise)
    return Estimate(ids, MEAN + margins, covariance, MEAN)


@dataclass(frozen=True)
class _Laplacian:
    """H, of the pairs that have met."""

    pairs: PairIndex
    weights: FloatArray
    """(k,) Of each pair."""

    @cached_property
    def degrees(self) -> FloatArray:
        """(n,) Its diagonal."""
        return self.pairs.at_ends(self.weights)

    def written_out(self) -> FloatArray:
        """Make it a matrix, (n, n)."""
        a, b, count = self.pairs.a, self.pairs.b, self.pairs.count
        off = np.bincount(a * count + b, self.weights, count**2).reshape(count, count)
        off += off.T
        return np.asarray(np.diag(off.sum(axis=1)) - off, dtype=np.float64)

    def times(self, vectors: FloatArray) -> FloatArray:
        """Multiply it with vectors, (n,) or (n, k)."""
        if vectors.ndim > 1:
            return np.column_stack([self.times(each) for each in vectors.T])
        return self.won(self.pairs.apart(vectors))

    def won(self, leads: FloatArray) -> FloatArray:
        """Give b, (n,), if the first bot of each pair is ahead of the other by *leads*, (k,)."""
        a, b, count, across = self.pairs.a, self.pairs.b, self.pairs.count, self.weights * leads
        return np.asarray(np.bincount(a, across, count) - np.bincount(b, across, count), dtype=np.float64)

    def solved(self, leads: FloatArray) -> FloatArray:
        """Find the least squares for these differences, (n,)."""
        degrees = self.degrees
        return solve(self.times, np.where(degrees > 0, degrees, 1.0), self.won(leads), FINE)


def _shrunk_sparsely(
    laplacian: _Laplacian, won: FloatArray, noise: float
) -> tuple[FloatArray, SparseCovariance, float] | None:
    """Do what `shrunk` does, nearly; None: it would not be near enough."""
    degrees, pairs = laplacian.degrees, laplacian.pairs
    ridge = _at(_Model(degrees, won, noise, *spectra(laplacian.times, float(degrees.max()), won)).first())
    found = sparse_covariance(pairs.a, pairs.b, laplacian.weights, ridge, pairs.count)
    if found is None:
        return None
    margins = solve(lambda each: laplacian.times(each) + ridge * each, degrees + ridge, won, FINE)
    return margins, found.times(noise), ridge


def _certain(margins: FloatArray, group: IntArray) -> tuple[FloatArray, FloatArray]:
    """Compute the margins without noise: known inside of each group, and not across groups that never met."""
    together = (group[:, None] == group) / np.bincount(group)[group]
    margins = margins - together @ margins
    return margins, float(margins @ margins) * together


def outplaced_by(places: Estimate, by_places: FloatArray, by_points: FloatArray) -> int | None:
    """
    Find the best of those that surely have better places than a version, and surely win fewer points.

    Surely is a likelihood of superiority of more than 97.5 %.

    Args:
        places: The estimate by places.
        by_places: (n,) The version's leads by it.
        by_points: (n,) Those by the estimate by points, of the same versions in the same order.
    """
    found = (by_places < -WIDE) & (by_points > WIDE)
    return int(places.versions[np.argmax(np.where(found, places.ratings, -np.inf))]) if found.any() else None

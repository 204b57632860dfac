"""The covariance without a matrix of all pairs is near the one with it, and costs what the pairs cost."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ladder.ratings import batch, points, sparse
from ladder.ratings.batch import Estimate, fit, pair_weight
from ladder.ratings.linear import centred_inverse
from ladder.ratings.points import PairSums, fit_points
from ladder.ratings.sparse import TOLERANCE, SparseCovariance, sparse_covariance

if TYPE_CHECKING:
    from ladder.ratings.batch import FloatArray, IntArray

SPREAD, JITTER = 200.0, 40.0
"""Elo between bots, and between those that meet most often."""
RIDGE, WEIGHT = 0.75, 0.15
"""Of the prior, and what a match of two equal bots adds."""


def met(bots: int, matches: int, seed: int, anybody: float = 0.2) -> tuple[IntArray, IntArray]:
    """Draw pairs that meet in matches of four, most of them of about the same strength: bots are in its order."""
    rng = np.random.default_rng(seed)
    strength = np.sort(rng.normal(0, SPREAD, bots))
    first = rng.integers(0, bots, matches)
    near = [np.searchsorted(strength, strength[first] + rng.normal(0, JITTER, matches)) for _ in range(3)]
    others = [np.where(rng.random(matches) < anybody, rng.integers(0, bots, matches), each) for each in near]
    tables = np.minimum(np.column_stack([first, *others]), bots - 1)
    a, b = (np.concatenate([tables[:, seats[side]] for seats in zip(*np.triu_indices(4, 1), strict=True)])
            for side in (0, 1))  # fmt: skip
    apart = a != b
    return a[apart].astype(np.int64), b[apart].astype(np.int64)


def exact(a: IntArray, b: IntArray, bots: int) -> FloatArray:
    off = np.bincount(a * bots + b, np.full(len(a), WEIGHT), bots**2).reshape(bots, bots)
    off += off.T
    return np.asarray(centred_inverse(np.diag(off.sum(axis=1) + RIDGE) - off), dtype=np.float64)


def found_of(a: IntArray, b: IntArray, bots: int) -> SparseCovariance:
    found = sparse_covariance(a, b, np.full(len(a), WEIGHT), RIDGE, bots)
    assert found is not None
    return found


def apart(matrix: FloatArray) -> FloatArray:
    """Compute the variance of each difference, 1 for a bot and itself."""
    diagonal = matrix.diagonal()
    found = diagonal[:, None] + diagonal - 2 * matrix
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def whole(matrix: SparseCovariance) -> FloatArray:
    return matrix.rows(np.arange(len(matrix)))


@pytest.mark.parametrize(
    ("bots", "matches", "anybody"),
    [(5, 3, 0.2), (64, 100, 0.2), (300, 150, 0.2), (300, 3000, 0.2), (700, 3000, 0.0), (700, 20_000, 1.0)],
)
def test_no_variance_of_a_difference_is_wrong_by_more_than_the_tolerance(
    bots: int, matches: int, anybody: float
) -> None:
    a, b = met(bots, matches, bots + matches, anybody)
    right, near = exact(a, b, bots), whole(found_of(a, b, bots))
    assert np.abs(apart(near) / apart(right) - 1).max() <= TOLERANCE
    assert np.abs(near.sum(axis=0)).max() <= 1e-6 * np.abs(near).sum(axis=0).max()


def test_a_part_of_it_is_relative_to_its_own_mean() -> None:
    a, b = met(200, 1000, 1)
    found, some = found_of(a, b, 200), np.array([150, 3, 9, 60, 61])
    part, wanted = found.among(some), whole(found)[np.ix_(some, some)]
    wanted = wanted - wanted.mean(axis=0)
    wanted -= wanted.mean(axis=1)[:, None]
    assert np.allclose(whole(part), wanted, rtol=0, atol=1e-6 * wanted.max())
    assert [part.item(row, column) for row in range(5) for column in range(5)] == pytest.approx(whole(part).ravel())
    assert part.diagonal() == pytest.approx(wanted.diagonal())


def test_groups_for_which_the_directions_are_too_few_are_told_apart_from_a_near_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each four have met only each other, often: that is one direction for each four."""
    groups = 60
    a, b = (np.tile(4 * np.arange(groups)[:, None] + ends, (1, 200)).ravel() for ends in np.triu_indices(4, 1))
    monkeypatch.setattr(sparse, "DIRECTIONS", 16)
    assert sparse_covariance(a, b, np.full(len(a), WEIGHT), RIDGE, 4 * groups) is None


def fits(max_dense: int, bots: int = 400, matches: int = 6000) -> tuple[Estimate, Estimate]:
    """Fit places and points of drawn results."""
    a, b = met(bots, matches, 7)
    rng = np.random.default_rng(8)
    lead = (a - b) / bots + rng.normal(0, 1, len(a))
    score, boards = (lead > 0).astype(np.float64), np.full(len(a), 4.0)
    places = fit(range(bots), a, b, score, np.ones(len(a)), pair_weight(4), 1.0, max_dense)
    sums = PairSums(a, b, boards, boards * lead, boards * (lead**2 + 0.5))
    margins = fit_points(range(bots), sums, 4, max_dense)
    assert margins is not None
    return places, margins


@pytest.mark.parametrize("kind", [0, 1], ids=["places", "points"])
def test_both_fits_are_what_they_are_with_a_matrix(kind: int) -> None:
    dense, near = fits(400)[kind], fits(399)[kind]
    assert isinstance(dense.covariance, np.ndarray)
    assert isinstance(near.covariance, SparseCovariance)
    errors = np.array([dense.error(bot) for bot in range(400)])
    assert np.abs(near.ratings - dense.ratings).max() <= 0.02 * errors.min()
    assert [near.error(bot) for bot in range(400)] == pytest.approx(errors, rel=0.02)
    for bot in range(0, 400, 40):
        assert near.ranks(bot) == pytest.approx(dense.ranks(bot), abs=4)
        assert near.los(bot, 200) == pytest.approx(dense.los(bot, 200), abs=0.01)
    read = Estimate.from_bytes(near.to_bytes(), near.mean)
    assert read.to_bytes() == near.to_bytes()
    assert read.los(3, 7) == near.los(3, 7)
    with pytest.raises(ValueError, match="blob"):
        Estimate.from_bytes(near.to_bytes() + b"x")


@pytest.mark.parametrize("kind", [0, 1], ids=["places", "points"])
def test_where_it_is_not_near_enough_there_is_a_matrix(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (batch, points):
        monkeypatch.setattr(module, "sparse_covariance", lambda *_: None)
    assert fits(399)[kind].to_bytes() == pytest.approx(fits(400)[kind].to_bytes())


def test_its_memory_grows_with_the_pairs_and_not_with_their_square() -> None:
    def needed(bots: int) -> float:
        a, b = met(bots, 2 * bots, 3)
        tracemalloc.start()
        found_of(a, b, bots)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    few, many = needed(1500), needed(6000)
    assert many <= 6 * few, "four times the bots and pairs; a matrix would take 16 times the memory"

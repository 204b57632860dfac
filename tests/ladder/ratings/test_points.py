"""The fit of points against computations that share nothing with it, and whether its 95 % are 95 %."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

from ladder.ratings import points as shrinkage
from ladder.ratings.batch import WIDE, Estimate
from ladder.ratings.linear import centred_inverse
from ladder.ratings.points import STEP, PairSums, fit_points, outplaced_by
from ladder.results.summary import charged
from referee.match.formats import by_bot
from referee.records.lines import DealLine
from tests.ladder.ladders import played

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.ratings.linear import AnyFloats

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BOARDS = 4
NOISE, BOARD = 80.0, 100.0
"""Standard deviations of a side's points a deal on a board, and of the board itself, which all sides share."""


def sums_of(tables: IntArray, points: FloatArray) -> PairSums:
    """The sums over matches: *tables* (m, k) ids, *points* (m, boards, k)."""
    parts = []
    for one, other in combinations(range(tables.shape[1]), 2):
        leads = points[:, :, one] - points[:, :, other]
        parts.append((tables[:, one], tables[:, other], leads.sum(axis=1), (leads**2).sum(axis=1)))
    a, b, won, squares = (np.concatenate(each) for each in zip(*parts, strict=True))
    return PairSums(a, b, np.full(len(a), float(points.shape[1])), won, squares)


def drawn(
    rng: np.random.Generator, bots: int, sides: int, matches: int, spread: float
) -> tuple[FloatArray, IntArray, FloatArray]:
    """True margins, who played, and the points on each board."""
    truth = rng.normal(0.0, spread, bots)
    tables = np.array([rng.permutation(bots)[:sides] for _ in range(matches)])
    noise = rng.normal(0.0, NOISE, (matches, BOARDS, sides)) + rng.normal(0.0, BOARD, (matches, BOARDS, 1))
    return truth - truth.mean(), tables, truth[tables][:, None, :] + noise


def fitted(bots: int, tables: IntArray, points: FloatArray, alike: bool = False) -> Estimate:
    found = fit_points(range(bots), sums_of(tables, points), tables.shape[1], alike=alike)
    assert found is not None
    return found


def designed(bots: int, tables: IntArray, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A row for each side on each board: which bot it was, and on which board; and its points."""
    matches, boards, sides = points.shape
    rows = np.zeros((points.size, bots + matches * boards))
    rows[np.arange(points.size), np.repeat(tables, boards, axis=0).ravel()] = 1
    rows[np.arange(points.size), bots + np.repeat(np.arange(matches * boards), sides)] = 1
    return rows, points.ravel()


@pytest.mark.parametrize(("bots", "sides"), [(7, 4), (7, 5), (6, 2)])
def test_it_is_the_regression_on_bots_and_boards_with_bots_drawn_from_a_normal_distribution(
    bots: int, sides: int
) -> None:
    """Here a board is a coefficient of its own, and matrices are inverted; no eigenbasis and no sums of pairs."""
    _, tables, points = drawn(np.random.default_rng(bots + sides), bots, sides, 12, 40.0)
    rows, values = designed(bots, tables, points)
    solution, _, rank, _ = np.linalg.lstsq(rows, values, rcond=None)
    noise = float(((values - rows @ solution) ** 2).sum()) / (len(values) - rank)
    of_bots, of_boards = rows[:, :bots], rows[:, bots:]
    within = of_bots - of_boards @ np.linalg.lstsq(of_boards, of_bots, rcond=None)[0]

    def likelihood(spread: float) -> float:
        """Of the differences of neighbours in the list, which do not depend on a mean, and with the factor τ."""
        steps = np.diff(np.eye(bots), axis=0)
        covariance = steps @ (noise * np.linalg.pinv(within.T @ within) + spread * np.eye(bots)) @ steps.T
        differences = steps @ solution[:bots]
        fits = differences @ np.linalg.solve(covariance, differences)
        return float(-(np.linalg.slogdet(covariance)[1] + fits) / 2 + np.log(spread) / 2)

    spread = max(np.geomspace(1.0, 1e6, 1000), key=likelihood)
    covariance = np.linalg.inv(within.T @ within / noise + np.eye(bots) / spread)
    means = covariance @ within.T @ values / noise
    centre = np.eye(bots) - 1 / bots
    found = fitted(bots, tables, points, alike=True)
    assert found.ratings == pytest.approx(means - means.mean(), rel=0.02, abs=0.05)
    assert found.covariance == pytest.approx(centre @ covariance @ centre, rel=0.03, abs=1.0)
    assert found.mean == 0


def test_with_many_boards_the_means_of_the_boards_are_the_margins() -> None:
    """All sides at all boards: what is left of the prior is less than a thousandth."""
    truth, _, _ = drawn(np.random.default_rng(1), 4, 4, 1, 50.0)
    tables = np.tile(np.arange(4), (5000, 1))
    points = truth + np.random.default_rng(2).normal(0.0, 10.0, (5000, BOARDS, 4))
    means = points.mean(axis=(0, 1))
    found = fitted(4, tables, points)
    assert found.ratings == pytest.approx(means - means.mean(), rel=1e-3)
    assert found.error(0) == pytest.approx(WIDE * 10 * np.sqrt(3 / 4 / 20_000), rel=0.02)


def test_neither_order_nor_parts_nor_sides_of_the_pairs_matter() -> None:
    _, tables, points = drawn(np.random.default_rng(4), 6, 4, 10, 30.0)
    sums = sums_of(tables, points)
    half = [part / 2 for part in (sums.boards, sums.points, sums.squares)]
    a, b = (np.concatenate(each) for each in ((sums.a, sums.b), (sums.b, sums.a)))
    boards, won, squares = (np.concatenate(each) for each in zip(half, [half[0], -half[1], half[2]], strict=True))
    one, other = fitted(6, tables, points), fit_points([5, 3, 1, 0, 2, 4], PairSums(a, b, boards, won, squares), 4)
    assert other is not None
    for version in range(6):
        assert one.value(version) == pytest.approx(other.value(version))
        assert one.error(version) == pytest.approx(other.error(version))


def test_nothing_is_said_before_the_boards_tell_noise_from_differences() -> None:
    nothing = PairSums(*(np.zeros(0, dtype=np.int64),) * 2, *(np.zeros(0),) * 3)
    assert fit_points([1, 2, 3], nothing, 4) is None
    assert fit_points([], nothing, 4) is None
    once = PairSums(np.array([1]), np.array([2]), np.ones(1), np.array([30.0]), np.array([900.0]))
    assert fit_points([1, 2], once, 2) is None


def test_copies_that_always_win_the_same_are_equal_for_certain() -> None:
    pairs = PairSums(np.array([1]), np.array([2]), np.array([8.0]), np.zeros(1), np.zeros(1))
    found = fit_points([1, 2], pairs, 2)
    assert found is not None
    assert (found.ratings.tolist(), found.error(1), found.ranks(1)) == ([0, 0], 0, (1, 2))


def test_without_noise_the_margins_are_certain_inside_of_a_group_and_open_across() -> None:
    pairs = PairSums(np.array([1, 3]), np.array([2, 4]), np.full(2, 8.0), np.array([80.0, 0.0]), np.array([800.0, 0.0]))
    found = fit_points([1, 2, 3, 4], pairs, 2)
    assert found is not None
    assert found.ratings == pytest.approx([5, -5, 0, 0])
    assert found.rows(np.arange(2))[:, :2] == pytest.approx(np.full((2, 2), found.covariance.item(0, 0)))
    assert found.error(1) > 1
    assert 0.5 < found.los(1, 3) < 0.9


def test_an_even_result_with_noise_is_no_certainty() -> None:
    pairs = PairSums(np.array([1]), np.array([2]), np.array([8.0]), np.zeros(1), np.array([800.0]))
    found = fit_points([1, 2], pairs, 2)
    assert found is not None
    assert found.ratings == pytest.approx([0, 0])
    assert found.error(1) > 1


def test_where_only_one_pair_has_met_the_bars_are_no_wider_than_points_are_and_survive_storage() -> None:
    """The third bot has not played; a ladder stores estimates in single precision."""
    pairs = PairSums(np.array([1]), np.array([2]), np.array([4.0]), np.array([50.0]), np.array([800.0]))
    found, alone = fit_points([1, 2, 3], pairs, 2), fit_points([1, 2], pairs, 2)
    assert found is not None
    assert alone is not None
    assert found.error(1) < 100
    assert found.error(3) < 200
    stored = Estimate.from_bytes(found.to_bytes())
    assert stored.among([1, 2]).error(1) == pytest.approx(alone.error(1), rel=0.05)
    assert stored.los(1, 2) == pytest.approx(alone.los(1, 2), abs=0.02)


def test_groups_that_never_met_are_far_better_known_inside_than_across() -> None:
    rng = np.random.default_rng(7)
    tables = np.repeat([[0, 1], [2, 3]], 300, axis=0)
    points = np.array([30.0, -30.0]) + rng.normal(0.0, NOISE, (600, BOARDS, 2))
    found = fitted(4, tables, points)
    assert found.los(0, 1) > 0.999
    assert found.los(2, 3) > 0.999
    assert 0.2 < found.los(0, 2) < 0.8


def coverage(bots: int, sides: int, matches: int, spread: float, repetitions: int) -> float:
    """In how many of 100 cases a true margin is within its ±."""
    rng, inside = np.random.default_rng(36), 0
    for _ in range(repetitions):
        truth, tables, points = drawn(rng, bots, sides, matches, spread)
        found = fitted(bots, tables, points)
        errors = WIDE * np.sqrt(found.covariance.diagonal())
        inside += int(np.count_nonzero(np.abs(found.ratings - truth) <= errors))
    return 100 * inside / (bots * repetitions)


@pytest.mark.parametrize(("sides", "matches"), [(4, 300), (5, 300), (2, 600)])
def test_95_of_100_true_margins_are_within_the_bars(sides: int, matches: int) -> None:
    assert coverage(24, sides, matches, 20.0, repetitions=80) == pytest.approx(95.0, abs=1.5)


@pytest.mark.parametrize(("bots", "sides", "matches"), [(4, 4, 10), (2, 2, 5), (5, 5, 40)])
def test_in_a_small_young_ladder_the_bars_are_rather_too_wide(bots: int, sides: int, matches: int) -> None:
    """The likelihood alone covers 58 to 68 here: it often says that all bots are surely equal."""
    assert 92 <= coverage(bots, sides, matches, 5.0, repetitions=200) <= 100


def by_eigenvalues(pairs: PairSums, bots: int, sides: int) -> tuple[FloatArray, FloatArray]:
    """The fit in the eigenbasis of H, where each part is drawn towards 0 alone, with the best τ² of the same grid."""
    matrix, won = np.zeros((bots, bots)), np.zeros(bots)
    for a, b, boards, points in zip(pairs.a, pairs.b, pairs.boards / sides, pairs.points / sides, strict=True):
        matrix[[a, b], [a, b]] += boards
        matrix[[a, b], [b, a]] -= boards
        won[[a, b]] += points, -points
    eigenvalues, vectors = np.linalg.eigh(matrix)
    vectors, eigenvalues = vectors[:, eigenvalues > 1e-9], eigenvalues[eigenvalues > 1e-9]
    parts = vectors.T @ won / eigenvalues
    free = 2 * pairs.boards.sum() / sides - len(parts)
    noise = (pairs.squares.sum() / sides - parts**2 @ eigenvalues) / free
    spreads = noise / np.exp(STEP * np.arange(-1000, 1000))
    variances = spreads[:, None] + noise / eigenvalues
    likelihood = np.log(spreads) / 2 - (np.log(variances) + parts**2 / variances).sum(axis=1) / 2
    spread = spreads[np.argmax(likelihood)]
    left = spread * noise / (noise + spread * eigenvalues)
    kept = spread * eigenvalues / (noise + spread * eigenvalues)
    never_met = spread * (np.eye(bots) - vectors @ vectors.T)
    centre = np.eye(bots) - 1 / bots
    return vectors @ (kept * parts), centre @ ((vectors * left) @ vectors.T + never_met) @ centre


@pytest.mark.parametrize(("matches", "spread"), [(150, 30.0), (400, 30.0), (3000, 10.0), (3000, 1.0), (20_000, 30.0)])
def test_300_bots_get_the_same_numbers_as_by_eigenvalues(matches: int, spread: float) -> None:
    """Of 150 matches many bots know only each other, and of 20,000 almost all pairs have met."""
    _, tables, points = drawn(np.random.default_rng(matches), 300, 4, matches, spread)
    bots = 300
    margins, covariance = by_eigenvalues(sums_of(tables, points), bots, 4)
    found = fitted(300, tables, points, alike=True)
    assert np.allclose(found.ratings, margins - margins.mean(), rtol=1e-6, atol=1e-6)
    assert np.allclose(found.rows(np.arange(bots)), covariance, rtol=1e-6, atol=1e-6 * covariance.max())


@pytest.mark.parametrize("reach", [5, 20, 100])
def test_where_only_neighbours_meet_the_best_spread_is_found_with_few_inverses(
    reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots of similar strength win as much as they lose, so what a bot has won says little of its margin."""
    rng, bots, noise, inverses = np.random.default_rng(reach), 500, 8.0, []
    strengths = np.sort(rng.normal(0, 4, bots))
    a, b = (
        np.concatenate(ends)
        for ends in zip(*((np.arange(bots - d), np.arange(d, bots)) for d in range(1, reach + 1)), strict=True)
    )
    boards, ahead = np.full(len(a), 16.0), strengths[a] - strengths[b]
    pairs = PairSums(a, b, boards, boards * ahead + noise * rng.normal(size=len(a)) * 4, boards * (ahead**2 + noise**2))

    def counted(matrix: FloatArray) -> AnyFloats:
        inverses.append(len(matrix))
        return centred_inverse(matrix)

    monkeypatch.setattr(shrinkage, "centred_inverse", counted)
    found = fit_points(range(bots), pairs, 4, alike=True)
    assert found
    margins, covariance = by_eigenvalues(pairs, bots, 4)
    assert np.allclose(found.ratings, margins - margins.mean(), rtol=1e-6, atol=1e-6)
    assert np.allclose(found.rows(np.arange(bots)), covariance, rtol=1e-6, atol=1e-6 * covariance.max())
    assert len(inverses) <= 3


def real_deals() -> Iterator[list[float]]:
    """The points of four bots in deals of gongzhu that were really played."""
    for seed in map(str, range(1, 4)):
        for line in played("gongzhu", seed, form="boards:2"):
            if isinstance(line, DealLine):
                yield [float(each) for each in by_bot(line.scores, line.seats or (0, 1, 2, 3))]


def test_a_bot_that_fails_in_a_tenth_of_its_matches_moves_itself_and_hardly_the_others() -> None:
    """Each deal is one that was really played, its points dealt to the sides by chance; 16 deals of a match fail."""
    rng, bots, matches, offender = np.random.default_rng(9), 24, 4000, 3
    deals = np.array(list(real_deals()))
    deals -= deals.mean(axis=1, keepdims=True)
    tables = np.array([rng.permutation(bots)[:4] for _ in range(matches)])
    truth = rng.normal(0.0, 20.0, bots)
    points = rng.permuted(deals[rng.integers(0, len(deals), (matches, BOARDS, 4))], axis=3)  # match, board, table, side
    points += truth[tables][:, None, None, :]
    failed = points.copy()
    for match in np.flatnonzero((tables == offender).any(axis=1))[::10]:
        (seat,) = np.flatnonzero(tables[match] == offender)
        for place in np.ndindex(BOARDS, 4):
            failed[match][place] = charged(failed[match][place].tolist(), [int(seat)])
    before, after = (fitted(bots, tables, each.mean(axis=2)).ratings for each in (points, failed))
    moved = after - before
    worst = np.mean([min(deal) for deal in deals]) * 4 / 3
    assert moved[offender] == pytest.approx(0.1 * worst, rel=0.2)
    assert -40 < moved[offender] < -15
    assert np.abs(np.delete(moved, offender)).max() <= 2


def estimate(ratings: list[float], error: float) -> Estimate:
    """Of versions 1, 2, …, known as well as each other."""
    count = len(ratings)
    covariance = (error / WIDE) ** 2 * (np.eye(count) - 1 / count)
    return Estimate(np.arange(1, count + 1), np.array(ratings), covariance)


def better(places: Estimate, points: Estimate, version: int) -> int | None:
    return outplaced_by(places, places.leads(version), points.leads(version))


def test_who_surely_wins_more_points_and_surely_fewer_places_is_named_with_the_best_such_bot() -> None:
    places, points = estimate([1700, 1600, 1500, 1400], 20), estimate([-30, 0, 20, 10], 5)
    assert [better(places, points, version) for version in (1, 2, 3, 4)] == [None, 1, 1, 1]
    points = estimate([30, 0, 20, 10], 5)
    assert [better(places, points, version) for version in (1, 2, 3, 4)] == [None, None, 2, 2]


def test_nobody_is_named_where_one_of_the_orders_is_not_sure() -> None:
    places, points = [1600.0, 1500.0], [-30.0, 30.0]
    for place_error, point_error, named in ((20, 5, 1), (200, 5, None), (20, 200, None)):
        assert better(estimate(places, place_error), estimate(points, point_error), 2) == named

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

import pytest

from ladder.ratings.sprt import ELO, MIN_DIFFERING, Hypotheses, MeanEstimate, SequentialTest, SprtDecision

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKS = 16
"""Observations between two looks."""
MAX_OBSERVATIONS = 4000
TESTS = 50
"""Number of tests that show how often the interval misses the truth."""


def normal(rng: Random, effect: float) -> float:
    return rng.gauss(effect, 1.0)


def mostly_equal(rng: Random, effect: float) -> float:
    """Draw results of near-clones: half of the boards equal, a tenth far apart."""
    value = rng.gauss(0.0, 5.0) if rng.random() < 0.1 else rng.choice((0.0, rng.gauss(0.0, 0.5)))
    return value + effect * math.sqrt(0.1 * 25 + 0.45 * 0.25)


def decided(rng: Random, draw: object, elo: float) -> SprtDecision:
    test = SequentialTest(Hypotheses())
    while test.decision is SprtDecision.OPEN and len(test.values) < MAX_OBSERVATIONS:
        test.add(*(draw(rng, elo / ELO) for _ in range(LOOKS)))  # type: ignore[operator]
    return test.decision


@pytest.mark.parametrize("draw", [normal, mostly_equal])
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, SprtDecision.BETTER), (50.0, SprtDecision.NOT_BETTER)])
def test_it_errs_no_more_often_than_it_may(draw: object, elo: float, wrong: SprtDecision) -> None:
    rng = Random(7)
    tests = 100
    errors = sum(decided(rng, draw, elo) is wrong for _ in range(tests))
    assert errors / tests <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / tests)


def test_the_bounds_are_walds() -> None:
    low, high = Hypotheses(alpha=0.05, beta=0.1).bounds
    assert [low, high] == pytest.approx([math.log(0.1 / 0.95), math.log(0.9 / 0.05)])


def test_the_likelihood_ratio_is_that_of_a_normal_mean_at_its_best_deviation() -> None:
    values = [1.0, -0.5, 2.0, 0.25]
    test = SequentialTest(Hypotheses(elo0=10.0, elo1=200.0), values)

    def best(elo: float) -> float:
        def likelihood(deviation: float) -> float:
            off = (value - elo / ELO * deviation for value in values)
            return sum(-math.log(deviation) - one**2 / (2 * deviation**2) for one in off)

        return max(likelihood(step / 10_000) for step in range(1, 30_000))

    assert test.llr == pytest.approx(best(200.0) - best(10.0), abs=1e-6)


def test_bots_that_never_differ_are_no_better() -> None:
    test = SequentialTest(Hypotheses())
    test.add(*[0.0] * 300)
    assert test.decision is SprtDecision.NOT_BETTER


@pytest.mark.parametrize(
    ("elo0", "elo1", "mean", "decision", "accepted"),
    [
        (0.0, 50.0, 1.0, SprtDecision.BETTER, "elo1"),
        (0.0, 50.0, -1.0, SprtDecision.NOT_BETTER, "elo0"),
        (-50.0, 50.0, -1.0, SprtDecision.NOT_BETTER, "elo0"),
        (-50.0, 0.0, 1.0, SprtDecision.NOT_WORSE, "elo1"),
        (-50.0, 0.0, -1.0, SprtDecision.WORSE, "elo0"),
        (-1500.0, -500.0, -1.0, SprtDecision.NOT_WORSE, "elo1"),
    ],
)
def test_what_is_accepted_says_better_only_of_a_bound_above_zero(
    elo0: float, elo1: float, mean: float, decision: SprtDecision, accepted: str
) -> None:
    test = SequentialTest(Hypotheses(elo0, elo1))
    test.add(*[mean + 0.75, mean - 0.75] * 200)
    assert (test.decision, test.decision.accepted) == (decision, accepted)


def test_an_open_test_accepts_nothing() -> None:
    assert SprtDecision.OPEN.accepted is None


def test_one_observation_decides_nothing() -> None:
    assert SequentialTest(Hypotheses(), [1e9]).decision is SprtDecision.OPEN


def test_the_scale_of_the_points_does_not_matter() -> None:
    values = [3.0, 1.0, -2.0, 5.0]
    scaled = SequentialTest(Hypotheses(), [1000 * value for value in values])
    assert scaled.llr == pytest.approx(SequentialTest(Hypotheses(), values).llr)


def rarely_different(rng: Random, mean: float) -> float:
    """Draw results of a change that matters on one board in ten."""
    return rng.gauss(10 * mean, 1.0) if rng.random() < 0.1 else 0.0


@pytest.mark.parametrize("draw", [normal, rarely_different])
def test_the_interval_holds_the_truth_at_all_times(draw: Callable[[Random, float], float]) -> None:
    rng, truth = Random(3), 0.05
    missed = conclusive = 0
    for _ in range(TESTS):
        values: list[float] = []
        looks = [MeanEstimate.of(values := [*values, *(draw(rng, truth) for _ in range(LOOKS))]) for _ in range(40)]
        known = [look.interval for look in looks if look.interval]
        conclusive += len(known)
        missed += any(not low < truth < high for low, high in known)
    assert conclusive > 25 * TESTS
    assert missed <= 0.12 * TESTS


def test_there_is_no_interval_before_some_boards_differ() -> None:
    few = [0.0] * 500 + [1.0] * (MIN_DIFFERING - 1)
    assert MeanEstimate.of(few).interval is None
    low, high = MeanEstimate.of([*few, 1.0]).interval or (0.0, 0.0)
    assert low < MIN_DIFFERING / 516 < high


def test_an_estimate_says_how_sure_it_is() -> None:
    found = MeanEstimate.of([1.0, 2.0, 3.0])
    assert [found.mean, found.error] == pytest.approx([2.0, 1 / math.sqrt(3)])
    assert found.superiority == pytest.approx(0.99973, abs=1e-5)
    assert [MeanEstimate.of([value] * 3).superiority for value in (-1.0, 0.0, 1.0)] == [0.0, 0.5, 1.0]

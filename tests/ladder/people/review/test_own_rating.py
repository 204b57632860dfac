"""A person's rating against house bots: it finds a known strength, and says nothing where it cannot."""

from __future__ import annotations

import math
from random import Random
from statistics import fmean

import pytest

from ladder.people.review.own_games import MIN_GAMES, PERSON, OwnRating, RatedGame, own_rating
from ladder.ratings.elo import SCALE, steepness

STRENGTHS = {PERSON: 150.0, "counting": 0.0, "cautious": -200.0, "random": -500.0}


def game(rng: Random, names: tuple[str, ...], deals: int) -> RatedGame:
    """One whose places are the order of noisy performances, with which Elo's formula holds exactly."""
    scale = SCALE / math.log(10) / steepness(deals / len(names))
    played = [STRENGTHS[name] - scale * math.log(-math.log(rng.random())) for name in names]
    return RatedGame(
        deals, tuple((name, 1 + sum(other > own for other in played)) for name, own in zip(names, played, strict=True))
    )


def rating_of(count: int, names: tuple[str, ...], deals: int = 16, seed: int = 1) -> OwnRating | None:
    rng = Random(seed)
    return own_rating([game(rng, names, deals) for _ in range(count)])


@pytest.mark.parametrize("others", [("counting",) * 3, ("counting", "cautious", "random")])
@pytest.mark.parametrize("deals", [1, 16])
def test_a_known_strength_is_found_within_its_error(others: tuple[str, ...], deals: int) -> None:
    found = [rating_of(400, (PERSON, *others), deals, seed) for seed in range(5)]
    ratings = [each for each in found if each]
    assert len(ratings) == 5
    error = ratings[0].error / 1.96
    shrunk = 1 / (1 + error**2 / 200.0**2)  # towards the mean by the prior
    assert fmean(each.elo for each in ratings) == pytest.approx(1500 + 150 * shrunk, abs=3 * error / math.sqrt(5) + 10)
    assert all(0 < each.error < 150 for each in ratings)


def test_more_games_are_surer() -> None:
    few, many = (
        rating_of(20, (PERSON, "counting", "counting", "random")),
        rating_of(320, (PERSON, "counting", "counting", "random")),
    )
    assert few
    assert many
    assert many.error < 0.5 * few.error


def test_few_games_or_none_with_counting_have_no_rating() -> None:
    names = (PERSON, "counting", "random", "random")
    assert rating_of(MIN_GAMES - 1, names) is None
    assert rating_of(MIN_GAMES, names) is not None
    assert rating_of(50, (PERSON, "cautious", "random", "random")) is None
    assert own_rating([]) is None

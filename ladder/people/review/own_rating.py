"""
A person's rating against the house bots, from the person's own games alone.

It is the batch estimate of a ladder's ratings (`ladder.ratings.batch`) of one person and the bots that it has met, set
so that the house bot `counting` has 1500. Games of people are in no rating of the ladder, and no match of the ladder is
in this one.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from ladder.people.boards.day_seed import OPPONENT
from ladder.ratings.elo import START, score_of, steepness

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_GAMES = 10
"""Before that the rating would say nothing."""
PERSON = ""
"""Stands for the person among the names of bots."""


class RatedGame(NamedTuple):
    """A game of one person against house bots."""

    deals: int
    places: tuple[tuple[str, int], ...]
    """Names and places of all at the table; the person's name is `PERSON`. 1 is best; equal places are ties."""


class OwnRating(NamedTuple):
    """The strength of a person, on the scale of Elo."""

    elo: float
    error: float
    """± at 95 %, of the difference to `counting`."""


def own_rating(games: Sequence[RatedGame]) -> OwnRating | None:
    """
    Rate a person.

    A game counts as a match of as many boards as it has deals, divided by the players: a board is dealt once for each
    of them. Without rotations there is more luck in it, so the ± is somewhat too small.

    Args:
        games: Of one variant.

    Returns:
        None: there are too few games, or none with `counting`.
    """
    from ladder.ratings.batch import WIDE, fit, pair_weight  # numpy takes long to load

    names = sorted({name for game in games for name, _ in game.places})
    if len(games) < MIN_GAMES or OPPONENT not in names:
        return None
    scores = defaultdict[tuple[int, int, float, int], float](float)
    met = Counter[tuple[int, int, float, int]]()
    for game in games:
        sides = len(game.places)
        for (one, place), (other, behind) in combinations(game.places, 2):
            if one != other:
                pair = names.index(one), names.index(other), steepness(game.deals / sides), sides
                scores[pair] += score_of(place, behind)
                met[pair] += 1
    import numpy as np

    pairs = list(met)
    weights = np.array([pair_weight(sides) for _, _, _, sides in pairs])
    estimate = fit(
        range(len(names)),
        np.array([pair[0] for pair in pairs]),
        np.array([pair[1] for pair in pairs]),
        weights * np.array([scores[pair] for pair in pairs]),
        weights * np.array([met[pair] for pair in pairs]),
        1.0,
        np.array([pair[2] for pair in pairs]),
    )
    person, bot = names.index(PERSON), names.index(OPPONENT)
    covariance = estimate.covariance
    variance = covariance[person, person] + covariance[bot, bot] - 2 * covariance[person, bot]
    ahead = float(estimate.ratings[person] - estimate.ratings[bot])
    return OwnRating(START + ahead, WIDE * math.sqrt(float(variance)))

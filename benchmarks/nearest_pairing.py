"""
Choice of matches before it was by information: the reference of benchmarks/scheduling.py.

1. Newcomers first: bots with fewer than 20 matches, the fewest first.
2. In 30 of 100 other matches, the bot of which it is most open on which side of the boundary of the top ten it belongs,
   if its Elo is within half a standard error of it; else the bot with the fewest matches of a quarter of them that
   chance draws.
3. Against it, the bots nearest in Elo, give or take by chance what their ratings may be wrong by.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

NEW = 20
TOP = 10
SHARE = 0.3
OPEN = 0.5
UNSURE = 260.0
JITTER = 10.0
DRAWN, DRAWN_SHARE = 8, 0.25


def nearest_table(ratings: Sequence[float], matches: Sequence[int], sides: int, rng: Random) -> list[int]:
    """Choose the bots of a match, by Elo and by how many matches each has had."""
    first, jitter = _first(ratings, matches, rng)
    others = [bot for bot in range(len(ratings)) if bot != first]
    away = {
        bot: abs(ratings[bot] - ratings[first] + rng.gauss(0, jitter or JITTER + UNSURE / math.sqrt(1 + matches[bot])))
        for bot in others
    }
    return [first, *sorted(others, key=away.__getitem__)[: sides - 1]]


def _first(ratings: Sequence[float], matches: Sequence[int], rng: Random) -> tuple[int, float | None]:
    bots = range(len(ratings))
    new = [bot for bot in bots if matches[bot] < NEW]
    if not new and len(ratings) > TOP and rng.random() < SHARE:
        ordered = sorted(ratings, reverse=True)
        boundary = (ordered[TOP - 1] + ordered[TOP]) / 2
        away = [abs(rating - boundary) * math.sqrt(n) / UNSURE for rating, n in zip(ratings, matches, strict=True)]
        openest = min(bots, key=away.__getitem__)
        if away[openest] <= OPEN:
            return openest, JITTER
    drawn = new or rng.sample(bots, min(len(ratings), max(DRAWN, round(DRAWN_SHARE * len(ratings)))))
    fewest = min(matches[bot] for bot in drawn)
    return rng.choice([bot for bot in drawn if matches[bot] == fewest]), None

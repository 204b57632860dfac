"""
Need of ratings for the number of boards that a match had, where matches have different numbers of them.

    python -m benchmarks.mixed_lengths
    python -m benchmarks.mixed_lengths --repetitions 8 --matches 2000

Simulated ladders as in benchmarks/formula_ladder.py, in which a match of b boards has √(4 / b) times the luck of one of
four. The boards of each match are drawn by chance. The same matches are fitted twice by the batch estimate: with the
boards of each, as the ladder does, and as if all had four. Shown are the share of true ratings, relative to their mean,
within the ±, the root of the mean squared difference between the true ratings and the estimate, and Kendall's τ.
The noise is that of benchmarks/calibration.py; Elo's formula holds exactly with Gumbel noise alone.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from random import Random

import numpy as np

from benchmarks.calibration import NOISE, covered, percent
from benchmarks.formula_ladder import DEVIATION, SEATS, Ladder, scheduled
from benchmarks.orders import kendall
from benchmarks.report import show
from ladder.ratings.batch import Estimate, fit, pair_weight
from ladder.ratings.elo import STANDARD_BOARDS, START, pair_scores

MIXES = ((4,), (4, 8), (2, 8), (1, 4, 16))


def simulate(mix: tuple[int, ...], noise: str, bots: int, matches: int, seed: int) -> list[tuple[float, float, float]]:
    """Estimate coverage, error in Elo and Kendall's τ: with the boards of each match, and as if all had four."""
    rng, choice = Random(f"bots {seed}"), Random(f"tables {seed}")
    ladder = Ladder([rng.gauss(START, DEVIATION) for _ in range(bots)], NOISE[noise])
    wins: defaultdict[tuple[int, int, int], float] = defaultdict(float)
    met: Counter[tuple[int, int, int]] = Counter()
    for _ in range(matches):
        ladder.boards = rng.choice(mix)
        for a, b, score in pair_scores(ladder.play(scheduled(ladder, choice), rng)):
            met[a, b, ladder.boards] += 1
            wins[a, b, ladder.boards] += score
    rows = np.array([(*key, wins[key], met[key]) for key in sorted(met)], dtype=np.float64)
    ones, others = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    true = np.array(ladder.true)
    found = []
    for steepness in (np.sqrt(rows[:, 2] / STANDARD_BOARDS), np.ones(len(rows))):
        estimate = fit(range(bots), ones, others, rows[:, 3], rows[:, 4], pair_weight(SEATS), steepness)
        found.append((covered(estimate, true), _error(estimate, ladder.true), kendall(true, estimate.ratings)))
    return found


def _error(estimate: Estimate, true: list[float]) -> float:
    off = estimate.ratings - np.array(true)
    return float(np.std(off))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--repetitions", type=int, default=24, help="simulated ladders of each mix")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--matches", type=int, default=1500, help="in each ladder")
    options = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for noise, mix in product(NOISE, MIXES):
            run = partial(simulate, mix, noise, options.bots, options.matches)
            looks = np.array(list(pool.map(run, range(options.repetitions))))
            shares = [percent(looks[:, way, 0].tolist()) for way in (0, 1)]
            errors = [f"{np.sqrt(np.mean(looks[:, way, 1] ** 2)):.1f}" for way in (0, 1)]
            orders = [f"{looks[:, way, 2].mean():.3f}" for way in (0, 1)]
            rows.append((noise, ", ".join(map(str, mix)), *shares, *errors, *orders))
    headings = (
        "noise",
        "boards",
        "within ±: known",
        "as four",
        "error in Elo: known",
        "as four",
        "τ: known",
        "as four",
    )
    show(f"{options.bots} bots, {options.matches:,} matches, {options.repetitions} ladders", headings, rows)


if __name__ == "__main__":
    main()

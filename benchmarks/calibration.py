"""
Calibration of the ± of the standings: in how many of 100 cases the true rating lies within it.

    python -m benchmarks.calibration
    python -m benchmarks.calibration --repetitions 20 --bots 50 --matches 1500

Simulated ladders as in benchmarks/formula_ladder.py: matches of four seats in which the places are the order of four
noisy performances, so that a bot that does well in a match beats all three others at once. The noise is from the Gumbel
distribution, with which Elo's formula holds exactly, or from the normal one, with which it holds for nearly equal bots
alone. The tables are the scheduler's, or drawn by chance.

True ratings, relative to their mean, are compared with the batch estimate and its 95 % interval, on the same matches
once with the weight that the ladder gives to the pairs of a match and once with all pairs counted in full. A likelihood
of superiority is compared with how often the bot really was the stronger one. Last, how long the fit of a large
ladder takes.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from random import Random

import numpy as np
import numpy.typing as npt

from benchmarks import report
from benchmarks.formula_ladder import DEVIATION, POLICIES, SEATS, Ladder, gumbel
from ladder.ratings.batch import PRIOR, Estimate, fit, pair_weight
from ladder.ratings.elo import SCALE, START, expected, pair_scores

CERTAINTY = ((0.5, 0.75), (0.75, 0.9), (0.9, 0.975), (0.975, 0.9975), (0.9975, 1.0))
"""Likelihoods of superiority that are looked at together."""
LARGE_BOTS, LARGE_MATCHES = 1000, 1_000_000


def normal(rng: Random) -> float:
    """Draw noise in a performance, in Elo, with which a small difference means as much as Elo has it."""
    return rng.gauss(0.0, SCALE / math.log(10) * 2 / math.sqrt(math.pi))


NOISE: dict[str, Callable[[Random], float]] = {"Gumbel": gumbel, "normal": normal}


@dataclass(frozen=True)
class Look:
    """Results of one simulated ladder."""

    weighted: float
    """Share of the bots within the ±, pairs weighted as the ladder does."""
    full: float
    """The same, all pairs counted in full."""
    leads: list[tuple[float, bool]]
    """Of each pair of bots, the likelihood that the one of the higher rating is stronger, and whether it is."""


def simulate(policy: str, noise: str, bots: int, matches: int, seed: int) -> Look:
    """Play a ladder and look at its estimate."""
    rng, choice = Random(f"bots {seed}"), Random(f"tables {seed}")
    ladder = Ladder([rng.gauss(START, DEVIATION) for _ in range(bots)], NOISE[noise])
    scores: defaultdict[tuple[int, int], list[float]] = defaultdict(list)
    for _ in range(matches):
        for a, b, score in pair_scores(ladder.play(POLICIES[policy](ladder, choice), rng)):
            scores[a, b].append(score)
    pairs = np.array([(a, b, sum(values), len(values)) for (a, b), values in scores.items()])
    ones, others = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    true = np.array(ladder.true)
    weighted, full = (fit(range(bots), ones, others, pairs[:, 2], pairs[:, 3], w) for w in (pair_weight(SEATS), 1.0))
    return Look(covered(weighted, true), covered(full, true), leads(weighted, true))


def covered(estimate: Estimate, true: npt.NDArray[np.float64]) -> float:
    """Compute the share of bots whose true rating lies within the ±."""
    off = estimate.ratings - START - (true - true.mean())
    return statistics.fmean(abs(float(miss)) <= estimate.error(bot) for bot, miss in enumerate(off))


def leads(estimate: Estimate, true: npt.NDArray[np.float64]) -> list[tuple[float, bool]]:
    """See `Look`."""
    chances = ((a, b, estimate.los(a, b)) for a, b in combinations(range(len(true)), 2))
    return [(max(los, 1 - los), bool((true[a] > true[b]) == (los > 0.5))) for a, b, los in chances]


def percent(shares: Sequence[float]) -> str:
    """Write the mean over ladders with its standard error; the bots of one ladder are not independent."""
    return f"{100 * statistics.fmean(shares):.1f} ± {100 * statistics.stdev(shares) / math.sqrt(len(shares)):.1f} %"


def row_of(sure: list[tuple[float, bool]], low: float, high: float) -> list[str]:
    """Make one line of the table of likelihoods."""
    pairs = [(los, right) for los, right in sure if low <= los <= high]
    means = [f"{100 * statistics.fmean(column):.2f} %" for column in zip(*pairs, strict=True)]
    return [f"{100 * low:g}–{100 * high:g} %", f"{len(pairs):,}", *means]


def large_fit(seed: int) -> float:
    """Measure the seconds of one core for fitting a thousand bots with a million matches of nearly all pairs."""
    rng = np.random.default_rng(seed)
    true = rng.normal(START, PRIOR, LARGE_BOTS)
    a, b = np.triu_indices(LARGE_BOTS, 1)
    n = rng.poisson(LARGE_MATCHES * math.comb(SEATS, 2) / len(a), len(a))
    score = rng.binomial(n, [expected(one, other) for one, other in zip(true[a], true[b], strict=True)])
    started = time.process_time()
    fit(range(LARGE_BOTS), a, b, score.astype(float), n.astype(float), pair_weight(SEATS))
    return time.process_time() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--repetitions", type=int, default=60, help="simulated ladders of each kind")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--matches", type=int, default=1500, help="in each ladder")
    options = parser.parse_args()
    rows, sure = [], []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for policy, noise in ((policy, noise) for policy in POLICIES for noise in NOISE):
            run = partial(simulate, policy, noise, options.bots, options.matches)
            looks = list(pool.map(run, range(options.repetitions)))
            rows.append([policy, noise, percent([one.weighted for one in looks]), percent([one.full for one in looks])])
            sure += [lead for one in looks for lead in one.leads]
    title = (
        f"True ratings within the ±, {options.bots} bots, {options.matches:,} matches, {options.repetitions} ladders"
    )
    report.show(title, ["tables", "noise", f"pairs weighted {pair_weight(SEATS):.1f}", "pairs in full"], rows)
    rows = [row_of(sure, low, high) for low, high in CERTAINTY]
    report.show("Likelihood of superiority", ["shown", "pairs", "its mean", "really stronger"], rows)
    seconds = [large_fit(seed) for seed in range(3)]
    print(f"A fit of {LARGE_BOTS:,} bots with {LARGE_MATCHES:,} matches: {report.spread(seconds, ' s')} of one core")


if __name__ == "__main__":
    main()

"""
Simulated ladders in which chance follows Elo's formula: how well the ± of the standings is calibrated.

    python -m benchmarks.calibration standings
    python -m benchmarks.calibration standings --repetitions 20 --bots 50 --matches 1500
    python -m benchmarks.calibration lengths --repetitions 8 --matches 2000
    python -m benchmarks.calibration coverage

The bots have true ratings from N(1500, 200²) and play matches of four seats, one at a time. In a match each performs
at its rating plus noise, and the places are the order of the performances, so that a bot that does well in a match
beats all three others at once. The noise is from the Gumbel distribution of scale 400 / ln 10, with which Elo's formula
holds exactly (R. Plackett, 1975; R. Luce, 1959), or from the normal one, with which it holds for nearly equal bots
alone. With b boards in a match it falls with the root of b. The tables are the scheduler's, or drawn by chance. Chance
in real games has another shape: benchmarks/scheduling.py draws it from recorded ones.

*standings*: in how many of 100 cases the true rating lies within the ±. True ratings, relative to their mean, are
compared with the batch estimate and its 95 % interval, on the same matches once with the weight that the ladder gives
to the pairs of a match and once with all pairs counted in full. A likelihood of superiority is compared with how often
the bot really was the stronger one. Last, how long the fit of a large ladder takes.

*lengths*: matches of different numbers of boards, drawn by chance. The same matches are fitted twice by the batch
estimate: with the boards of each, as the ladder does, and as if all had four. Shown are the share of true ratings,
relative to their mean, within the ±, the root of the mean squared difference between the true ratings and the estimate,
and Kendall's τ.

*coverage*: ladders of `simulated_ladder.World`, in which bots are copies, beat each other in circles, do better against
one than their strengths say, or have heavy tails, at tables by chance and by the ladder's rule. Shown is in how many of
100 cases the true Elo, and the true margin, lie within the ±: with all pairs taken as alike, and as the ladder fits.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import combinations, product
from random import Random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.part_runner import choose
from benchmarks.report import show, spread
from benchmarks.scheduling import Ladder as WorldLadder
from benchmarks.scheduling import by_information
from benchmarks.simulated_ladder import WORLDS, World, kendall
from ladder.pairing.information import Information
from ladder.pairing.scheduler import BY_CHANCE, Entrant, next_matches
from ladder.ratings.batch import PRIOR, WIDE, Estimate, fit, pair_weight
from ladder.ratings.elo import SCALE, STANDARD_BOARDS, START, Side, SideMember, expected, moves, pair_scores, steepness

DEVIATION = 200.0

SEATS = 4

REFIT = 25
"""Matches between two estimates."""


@dataclass
class Ladder:
    """The state of a simulated ladder: what the store would hold."""

    true: list[float]
    noise: Callable[[Random], float]
    """In a performance in a match of four boards, in Elo."""
    boards: int = STANDARD_BOARDS
    """In each match."""
    ratings: list[float] = field(init=False)
    matches: list[int] = field(init=False)
    seats: list[list[int]] = field(init=False)
    played: list[int] = field(init=False)
    """Boards of each."""
    neighbours: Counter[tuple[int, int]] = field(default_factory=Counter)
    known: Information = field(init=False)
    number: int = 0
    """Matches played."""

    def __post_init__(self) -> None:
        bots = len(self.true)
        self.ratings, self.matches, self.played = [START] * bots, [0] * bots, [0] * bots
        self.seats = [[0] * SEATS for _ in self.true]
        self._pairs: dict[tuple[int, int, int], list[float]] = {}
        self.known = Information.of(None, range(bots), pair_weight(SEATS))

    def play(self, table: tuple[int, ...], rng: Random) -> list[Side]:
        """Play a match and rate it; the sides as they stood before it, with their places."""
        performance = {bot: self.true[bot] + self.noise(rng) / steepness(self.boards) for bot in table}
        order = sorted(table, key=lambda bot: -performance[bot])
        played = {bot: SideMember(bot, self.ratings[bot], self.played[bot]) for bot in table}
        sides = [Side((played[bot],), order.index(bot) + 1) for bot in table]
        for move in moves(sides, self.boards):
            self.ratings[move.version] = move.after
        for seat, bot in enumerate(table):
            self.matches[bot] += 1
            self.played[bot] += self.boards
            self.seats[bot][seat] += 1
            self.neighbours[bot, table[(seat + 1) % SEATS]] += 1
        for a, b, score in pair_scores(sides):
            sums = self._pairs.setdefault((a, b, self.boards), [0.0, 0.0])
            sums[0] += score
            sums[1] += 1
        self.number += 1
        return sides

    def estimate(self) -> Estimate:
        """Fit all matches."""
        rows = np.array([(*key, *sums) for key, sums in self._pairs.items()]).reshape(-1, 5)
        a, b, steep = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), np.sqrt(rows[:, 2] / STANDARD_BOARDS)
        return fit(range(len(self.true)), a, b, rows[:, 3], rows[:, 4], pair_weight(SEATS), steep)


Policy = Callable[[Ladder, Random], tuple[int, ...]]


def scheduled(ladder: Ladder, rng: Random) -> tuple[int, ...]:
    """Make the table that the ladder's scheduler hands out; each bot has an owner of its own."""
    bots = range(len(ladder.true))
    if ladder.number and ladder.number % REFIT == 0:
        ladder.known = Information.of(ladder.estimate(), bots, pair_weight(SEATS))
    entrants = [Entrant(bot, bot, bot, ladder.matches[bot], tuple(ladder.seats[bot])) for bot in bots]
    return next_matches(entrants, ladder.known, ladder.neighbours, SEATS, False, rng, 1, boards=ladder.boards)[0]


def by_chance(ladder: Ladder, rng: Random) -> tuple[int, ...]:
    """Draw any four bots."""
    return tuple(rng.sample(range(len(ladder.true)), SEATS))


POLICIES: dict[str, Policy] = {"by chance": by_chance, "scheduled": scheduled}


def gumbel(rng: Random) -> float:
    """Draw noise in a performance, in Elo."""
    return -SCALE / math.log(10) * math.log(-math.log(rng.random() or 0.5))


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


def main_standings() -> None:
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
    show(title, ["tables", "noise", f"pairs weighted {pair_weight(SEATS):.1f}", "pairs in full"], rows)
    rows = [row_of(sure, low, high) for low, high in CERTAINTY]
    show("Likelihood of superiority", ["shown", "pairs", "its mean", "really stronger"], rows)
    seconds = [large_fit(seed) for seed in range(3)]
    print(f"A fit of {LARGE_BOTS:,} bots with {LARGE_MATCHES:,} matches: {spread(seconds, ' s')} of one core")


MIXES = ((4,), (4, 8), (2, 8), (1, 4, 16))


def simulate_mixed(
    mix: tuple[int, ...], noise: str, bots: int, matches: int, seed: int
) -> list[tuple[float, float, float]]:
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
    for steep in (np.sqrt(rows[:, 2] / STANDARD_BOARDS), np.ones(len(rows))):
        estimate = fit(range(bots), ones, others, rows[:, 3], rows[:, 4], pair_weight(SEATS), steep)
        found.append((covered(estimate, true), _error(estimate, ladder.true), kendall(true, estimate.ratings)))
    return found


def _error(estimate: Estimate, true: list[float]) -> float:
    off = estimate.ratings - np.array(true)
    return float(np.std(off))


def main_mixed() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--repetitions", type=int, default=24, help="simulated ladders of each mix")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--matches", type=int, default=1500, help="in each ladder")
    options = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for noise, mix in product(NOISE, MIXES):
            run = partial(simulate_mixed, mix, noise, options.bots, options.matches)
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


TABLES = {"by chance": 1.0, "the ladder's": BY_CHANCE, "the ladder's, copies unknown": BY_CHANCE, "information": 0.0}
"""The share of tables that chance draws, by what the table of coverage calls it."""


class Coverage(NamedTuple):
    """Shares of the bots of one ladder that lie within the ±; the last two with pairs taken as alike."""

    elo: float
    margin: float
    elo_alike: float
    margin_alike: float


@cache
def field_of(world: str, bots: int, seed: int) -> World:
    """Find a field and its truth once."""
    return World(world, bots, seed)


def coverage(world: str, tables: str, bots: int, matches: int, ladders: int, field_seed: int) -> list[Coverage]:
    """
    Play ladders of one field, and look how many of its bots lie within the ±.

    Args:
        world: One of `WORLDS`.
        tables: One of `TABLES`.
        bots: In the field.
        matches: In each ladder.
        ladders: Their number.
        field_seed: Seed of the field; those of the matches follow from it.
    """
    field, found = field_of(world, bots, field_seed), []
    for number in range(ladders):
        rng, chance = np.random.default_rng((field_seed, number)), TABLES[tables]
        ladder = WorldLadder(field, Random(f"{field_seed} {number}"), REFIT, True, chance, "unknown" not in tables)
        if tables == "by chance":
            drawn = np.argsort(rng.random((matches, bots)), axis=1)[:, : field.sides]
            ladder.results.add(drawn, field.play(drawn, rng))
        else:
            while ladder.number < matches:
                ladder.play(by_information(ladder), rng)
        results = ladder.results
        fits = [results.estimate("board"), results.margins(), results.estimate("board", True), results.margins(True)]
        truths = (field.truth["board"], field.truth["points"]) * 2
        found.append(Coverage(*(within(one, truth) for one, truth in zip(fits, truths, strict=True))))
    return found


def within(estimate: Estimate, truth: npt.NDArray[np.float64]) -> float:
    """Compute the share of bots within the ±."""
    off = np.abs(estimate.ratings - estimate.mean - (truth - truth.mean()))
    return float(np.mean(off <= WIDE * np.sqrt(np.maximum(estimate.covariance.diagonal(), 0.0))))


def main_coverage() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--fields", type=int, default=10, help="fields of each world")
    parser.add_argument("--ladders", type=int, default=20, help="ladders of each field")
    parser.add_argument("--bots", type=int, default=24)
    parser.add_argument("--matches", type=int, default=800, help="in each ladder")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    options = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(options.processes) as pool:
        for world, tables in product(options.worlds, options.tables):
            run = partial(coverage, world, tables, options.bots, options.matches, options.ladders)
            fields = list(pool.map(run, range(options.fields)))
            means = np.array([np.mean(field, axis=0) for field in fields])
            rows.append((world, tables, *(percent(means[:, column].tolist()) for column in (2, 0, 3, 1))))
    headings = ("world", "tables", "Elo, pairs alike", "Elo", "margin, pairs alike", "margin")
    title = (
        f"Within the ±: {options.bots} bots, {options.matches:,} matches, {options.fields} × {options.ladders} ladders"
    )
    show(title, headings, rows)


if __name__ == "__main__":
    choose(__doc__, {"standings": main_standings, "lengths": main_mixed, "coverage": main_coverage})

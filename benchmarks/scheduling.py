"""
How many matches the ladder takes to find the order of its bots, against tables drawn by chance.

    python -m benchmarks.scheduling
    python -m benchmarks.scheduling --repetitions 20 --bots 50 --matches 5000
    python -m benchmarks.scheduling --boards 1 2 4 8 16 --start 0.4 --deal 0.08

The bots of a simulation have true ratings from N(1500, 200²) and play matches of four seats, one at a time. In a match
each bot performs at its rating plus noise from the Gumbel distribution of scale 400 / ln 10, and the places are the
order of the performances: then a beats b with the probability that Elo's formula gives, and the order of all is that
of R. Plackett (1975) and R. Luce (1959). Ratings and tables come from the ladder's own `ladder.ratings.elo` and
`ladder.pairing.scheduler`. The same bots play under all policies in one run.

With --boards the scheduler's matches have that number of boards, and the noise falls with its root. Every simulation
plays as many boards as --matches matches of four. The hours are those of one match at a time that takes --start seconds
to start and --deal seconds for each deal.

A bar is reached at the first hundred of matches after which the mean over all simulations is at it; the range beside it
holds 90 of 100 bootstrap samples of the simulations.
"""

from __future__ import annotations

import argparse
import math
import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from random import Random

import numpy as np
import numpy.typing as npt

from benchmarks import report
from ladder.pairing.match_length import LENGTHS
from ladder.pairing.scheduler import TOP, DisjointSets, Entrant, next_matches
from ladder.ratings.elo import SCALE, STANDARD_BOARDS, START, Side, SideMember, moves, steepness

DEVIATION = 200.0
SEATS = 4
AT_ONCE = 3
"""Matches that a ladder on two cores plays at the same time."""
EVERY = 100
"""Matches of four boards between two looks."""
BARS = {"Kendall τ ≥ 0.95": (0, 0.95), f"{TOP - 0.5} of the top {TOP} right": (1, TOP - 0.5)}
"""What is to be reached: column of the looks, and bar."""

FloatArray = npt.NDArray[np.float64]


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
    sets: DisjointSets = field(default_factory=lambda: DisjointSets(AT_ONCE))

    def __post_init__(self) -> None:
        self.ratings = [START] * len(self.true)
        self.matches, self.played = [0] * len(self.true), [0] * len(self.true)
        self.seats = [[0] * SEATS for _ in self.true]

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
        return sides


Policy = Callable[[Ladder, Random], tuple[int, ...]]


def scheduled(ladder: Ladder, rng: Random, sets: DisjointSets | None = None) -> tuple[int, ...]:
    """The table that the ladder's scheduler hands out; each bot has an owner of its own."""
    columns = zip(ladder.ratings, ladder.matches, ladder.seats, strict=True)
    entrants = [Entrant(bot, bot, bot, rating, n, tuple(seats)) for bot, (rating, n, seats) in enumerate(columns)]
    return next_matches(entrants, ladder.neighbours, SEATS, False, rng, 1, sets)[0]


def in_sets(ladder: Ladder, rng: Random) -> tuple[int, ...]:
    """The same where `AT_ONCE` matches are played at once and no owner may have bots in two of them."""
    return scheduled(ladder, rng, ladder.sets)


def by_chance(ladder: Ladder, rng: Random) -> tuple[int, ...]:
    """Any four bots."""
    return tuple(rng.sample(range(len(ladder.true)), SEATS))


POLICIES: dict[str, Policy] = {"by chance": by_chance, "scheduled": scheduled, "in sets of three": in_sets}


def gumbel(rng: Random) -> float:
    """Noise in a performance, in Elo."""
    return -SCALE / math.log(10) * math.log(-math.log(rng.random() or 0.5))


def kendall(one: FloatArray, other: FloatArray) -> float:
    """Kendall's τ of two rankings without ties: the share of pairs in the same order, less that of the others."""
    signs = [np.sign(values[:, None] - values[None, :]) for values in (one, other)]
    return float((signs[0] * signs[1]).sum() / (len(one) * (len(one) - 1)))


def in_top(ratings: FloatArray) -> set[int]:
    """The best ten."""
    return set(np.argsort(-ratings)[:TOP].tolist())


def simulate(policy: str, bots: int, matches: int, seed: int, boards: int = STANDARD_BOARDS) -> FloatArray:
    """
    Play as many boards as that number of matches of four have.

    Returns:
        (looks, 2) After every 400 boards: τ, and how many of the true top ten stand among the first ten.
    """
    rng, choice = Random(f"bots {seed}"), Random(f"tables {seed}")
    ladder = Ladder([rng.gauss(START, DEVIATION) for _ in range(bots)], gumbel, boards)
    true = np.array(ladder.true)
    looks = []
    for number in range(1, matches * STANDARD_BOARDS // boards + 1):
        ladder.play(POLICIES[policy](ladder, choice), rng)
        if number * boards % (EVERY * STANDARD_BOARDS) == 0:
            ratings = np.array(ladder.ratings)
            looks.append((kendall(true, ratings), len(in_top(true) & in_top(ratings))))
    return np.array(looks, dtype=np.float64)


def reached(means: FloatArray, bar: float) -> float:
    """The first look, in matches, at which the mean is at the bar; infinite if none is."""
    at = np.nonzero(means >= bar)[0]
    return (at[0] + 1) * EVERY if len(at) else math.inf


def spread(looks: FloatArray, bar: float) -> str:
    """When the mean over the simulations, (simulations, looks), is at the bar, with its bootstrap range."""
    rng = np.random.default_rng(1)
    drawn = [looks[rng.integers(0, len(looks), len(looks))] for _ in range(400)]
    low, high = np.quantile([reached(sample.mean(axis=0), bar) for sample in drawn], (0.05, 0.95), method="nearest")
    return f"{_matches(reached(looks.mean(axis=0), bar))} ({_matches(low)}–{_matches(high)})"


def _matches(count: float) -> str:
    return "never" if math.isinf(count) else f"{count:,.0f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--repetitions", type=int, default=100, help="simulations of each policy")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--matches", type=int, default=5000, help="in each simulation")
    parser.add_argument("--boards", type=int, nargs="+", help="compare these lengths of matches", choices=LENGTHS)
    parser.add_argument("--start", type=float, default=0.4, help="seconds in which a match starts")
    parser.add_argument("--deal", type=float, default=0.08, help="seconds of a deal")
    options = parser.parse_args()
    if options.boards:
        show_lengths(options)
    else:
        show_policies(options)


def show_lengths(options: argparse.Namespace) -> None:
    """Print what each length of matches takes to the first bar."""
    name, (column, bar) = next(iter(BARS.items()))
    rows = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for boards in options.boards:
            run = partial(simulate, "scheduled", options.bots, options.matches, boards=boards)
            looks = np.stack(list(pool.map(run, range(options.repetitions))))[:, :, column]
            needed = reached(looks.mean(axis=0), bar) * STANDARD_BOARDS / boards
            match = options.start + SEATS * boards * options.deal
            shares = f"{100 * options.start / match:.0f} %"
            rows.append([str(boards), shares, _matches(needed), f"{needed * match / 3600:.1f}", spread(looks, bar)])
    title = (
        f"Until {name}, {options.bots} bots, {options.repetitions} simulations; a start of {options.start:g} s, "
        f"{options.deal:g} s a deal"
    )
    report.show(title, ["boards", "starting", "matches", "hours", "boards played / 4"], rows)


def show_policies(options: argparse.Namespace) -> None:
    """Print how the ladder's tables compare with those by chance."""
    rows = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for policy in POLICIES:
            run = partial(simulate, policy, options.bots, options.matches)
            looks = np.stack(list(pool.map(run, range(options.repetitions))))
            cells = [spread(looks[:, :, column], bar) for column, bar in BARS.values()]
            late = [f"{looks[:, -1, 0].mean():.3f}", f"{looks[:, -1, 1].mean():.2f}"]
            rows.append([policy, *cells, *late])
    title = f"Matches until the order is right, {options.bots} bots, {options.repetitions} simulations"
    report.show(title, ["tables", *BARS, f"τ after {options.matches:,}", f"top {TOP} after {options.matches:,}"], rows)


if __name__ == "__main__":
    main()

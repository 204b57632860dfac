"""
Ladders in which chance follows Elo's formula, and how many matches of each length they take to find the order.

    python -m benchmarks.formula_ladder
    python -m benchmarks.formula_ladder --boards 1 2 4 8 16 --start 0.4 --deal 0.08

The bots have true ratings from N(1500, 200²) and play matches of four seats, one at a time. In a match each performs
at its rating plus noise from the Gumbel distribution of scale 400 / ln 10, and the places are the order of the
performances: then a beats b with the probability that Elo's formula gives, and the order of all is that of R. Plackett
(1975) and R. Luce (1959). With b boards in a match the noise falls with the root of b. Chance in real games has another
shape: benchmarks/scheduling.py draws it from recorded ones.

Every simulation plays as many boards as --matches matches of four. The hours are those of one match at a time that
takes --start seconds to start and --deal seconds for each deal.
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
from benchmarks.orders import kendall, matches_text, reached, spread
from ladder.pairing.information import Information
from ladder.pairing.match_length import LENGTHS
from ladder.pairing.scheduler import Entrant, next_matches
from ladder.ratings.batch import Estimate, fit, pair_weight
from ladder.ratings.elo import SCALE, STANDARD_BOARDS, START, Side, SideMember, moves, pair_scores, steepness

DEVIATION = 200.0
SEATS = 4
EVERY = 100
"""Matches of four boards between two looks."""
REFIT = 25
"""Matches between two estimates."""
BAR = 0.95
"""Kendall's τ that is to be reached."""

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


def simulate(bots: int, matches: int, seed: int, boards: int = STANDARD_BOARDS) -> FloatArray:
    """
    Play as many boards as that number of matches of four have.

    Returns:
        (looks,) After every 400 boards: τ of the batch estimate.
    """
    rng, choice = Random(f"bots {seed}"), Random(f"tables {seed}")
    ladder = Ladder([rng.gauss(START, DEVIATION) for _ in range(bots)], gumbel, boards)
    true = np.array(ladder.true)
    looks = []
    for number in range(1, matches * STANDARD_BOARDS // boards + 1):
        ladder.play(scheduled(ladder, choice), rng)
        if number * boards % (EVERY * STANDARD_BOARDS) == 0:
            looks.append(kendall(true, ladder.estimate().ratings))
    return np.array(looks, dtype=np.float64)


def main() -> None:
    """Print what each length of matches takes until the order is right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--repetitions", type=int, default=16, help="simulations of each length")
    parser.add_argument("--bots", type=int, default=50)
    parser.add_argument("--matches", type=int, default=5000, help="of four boards, in each simulation")
    parser.add_argument("--boards", type=int, nargs="+", default=LENGTHS, choices=LENGTHS)
    parser.add_argument("--start", type=float, default=0.4, help="seconds in which a match starts")
    parser.add_argument("--deal", type=float, default=0.08, help="seconds of a deal")
    options = parser.parse_args()
    rows = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for boards in options.boards:
            run = partial(simulate, options.bots, options.matches, boards=boards)
            looks = np.stack(list(pool.map(run, range(options.repetitions))))
            needed = reached(looks.mean(axis=0), BAR, EVERY) * STANDARD_BOARDS / boards
            match = options.start + SEATS * boards * options.deal
            shares = f"{100 * options.start / match:.0f} %"
            cells = [matches_text(needed), f"{needed * match / 3600:.1f}", spread(looks, BAR, EVERY)]
            rows.append([str(boards), shares, *cells])
    title = (
        f"Until Kendall τ ≥ {BAR:g}, {options.bots} bots, {options.repetitions} simulations; a start of "
        f"{options.start:g} s, {options.deal:g} s a deal"
    )
    report.show(title, ["boards", "starting", "matches", "hours", "boards played / 4"], rows)


if __name__ == "__main__":
    main()

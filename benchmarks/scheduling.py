"""
Number of matches that the ladder takes to find the order of its bots, where chance is that of real games.

    python -m benchmarks.scheduling
    python -m benchmarks.recorded_games games.npz
    python -m benchmarks.scheduling --games games.npz --variants hearts --repetitions 8 --matches 4000
    python -m benchmarks.scheduling --games games.npz --rules information --refit 4 25 100 400
    python -m benchmarks.scheduling --worlds additive cycles interactions "heavy tails" clones

Matches of four boards between the bots of a simulated ladder (benchmarks/simulated_ladder.py), some of which fail. They
are chosen by the ladder's rule (`ladder.pairing`), by the one before it (benchmarks/nearest_pairing.py), or by
chance; the same bots play under all rules. The rule before chooses by Elo, four matches at a time; the ladder's rule by
the batch estimate, which is made anew every --refit matches. Without --games the real games are played first.

Five orders are compared with the true one, each by its own measure: Elo after each match, by its places or by those of
its boards; the batch estimate of either; points a deal by least squares. A bar is reached at the first hundred of
matches after which the mean over all ladders is at it; the range holds 90 of 100 bootstrap samples of the ladders. The
hours are those of one match at a time that takes --start seconds to start and --deal seconds for a deal.

With --worlds the fields are those of `simulated_ladder.World` instead, in which the model of the estimate is true, or
wrong in one known way. There the mixtures differ by the share of tables that chance draws; the program of each bot is
known to the ladder's rule alone, to the others all bots are different ones.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import recorded_games
from benchmarks.report import show
from benchmarks.simulated_ladder import (
    WORLDS,
    Chance,
    Field,
    OnlineElo,
    Results,
    SimulatedField,
    World,
    bootstrap,
    in_top,
    kendall,
    nearest_table,
    reached,
    spread,
)
from ladder.pairing.information import Information
from ladder.pairing.scheduler import BY_CHANCE, Entrant, PairingAims, next_matches
from ladder.ratings.batch import WIDE, pair_weight
from ladder.ratings.elo import STANDARD_BOARDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.recorded_games import Games

FloatArray = npt.NDArray[np.float64]

BOTS = 50
SEATS = 4
TOP = 10
EVERY = 100
"""Matches between two looks."""
BEFORE = 4
"""Matches that the rule before chose at a time: two that are played, and two that wait."""
TAU, NINE_AND_A_HALF = 0.95, TOP - 0.5
ORDERS = {"Elo": "match", "Elo by boards": "board", "batch": "match", "batch by boards": "board", "points": "points"}
"""Estimates that are compared, each with the measure of the true order."""


@dataclass
class Ladder:
    """The state of a simulated ladder: what the store would hold."""

    bots: SimulatedField
    choice: Random
    batch: int
    """Matches that are chosen at a time."""
    by_boards: bool = False
    """True if the ladder's rule chooses by the estimate of the boards."""
    chance: float = BY_CHANCE
    """The share of tables that the ladder's rule leaves to chance."""
    know_copies: bool = True
    """True if the ladder's rule knows which bots are copies."""
    number: int = 0
    neighbours: Counter[tuple[int, int]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        count, sides = self.bots.count, self.bots.sides
        self.results = Results(count, sides)
        self.elo = OnlineElo(count, by_boards=False)
        self.elo_by_boards = OnlineElo(count, by_boards=True)
        self.matches = [0] * count
        self.seats = [[0] * SEATS for _ in range(count)]
        self.last, self.longest, self.mixed = [0] * count, 0, 0

    def play(self, tables: Sequence[Sequence[int]], rng: np.random.Generator) -> None:
        """Play matches, and rate them one after the other; *tables* has each side once."""
        played = self.bots.play(np.array(tables), rng)
        self.results.add(np.array(tables), played)
        for number, (table, scores) in enumerate(zip(tables, played.scores, strict=True), self.number + 1):
            self.elo.add(table, scores)
            self.elo_by_boards.add(table, scores)
            for bot in table:
                self.matches[bot] += 1
                self.longest, self.last[bot] = max(self.longest, number - self.last[bot]), number
            self.mixed += len({self.bots.programs[bot] for bot in table}) > 1
        self.number += len(tables)

    def orders(self) -> dict[str, FloatArray]:
        """Give what each way of rating makes of the results."""
        return {
            "Elo": np.array(self.elo.ratings),
            "Elo by boards": np.array(self.elo_by_boards.ratings),
            "batch": self.results.estimate("match").ratings,
            "batch by boards": self.results.estimate("board").ratings,
            "points": self.results.points(),
        }


def by_information(ladder: Ladder) -> list[list[int]]:
    """Make the tables that the ladder's scheduler hands out; each bot has an owner of its own."""
    count, sides = ladder.bots.count, ladder.bots.sides
    programs = [f"program {each}" if ladder.know_copies else "" for each in ladder.bots.programs.tolist()]
    estimate = ladder.results.estimate("board" if ladder.by_boards else "match") if ladder.number else None
    known = Information.of(estimate, range(count), pair_weight(sides))
    entrants = [
        Entrant(bot, bot, bot, ladder.matches[bot], tuple(ladder.seats[bot]), program=programs[bot])
        for bot in range(count)
    ]
    shape, rng, aims = (SEATS, sides == 2), ladder.choice, PairingAims(TOP, chance=ladder.chance)
    tables = next_matches(entrants, known, ladder.neighbours, *shape, rng, ladder.batch, aims=aims)
    for table in tables:
        for seat, bot in enumerate(table):
            ladder.seats[bot][seat] += 1
            ladder.neighbours[bot, table[(seat + 1) % SEATS]] += 1
    return [list(dict.fromkeys(table)) for table in tables]


def by_nearness(ladder: Ladder) -> list[list[int]]:
    """Make the tables that the rule before handed out."""
    matches, tables = ladder.matches.copy(), []
    for _ in range(ladder.batch):
        tables.append(nearest_table(ladder.elo.ratings, matches, ladder.bots.sides, ladder.choice))
        for bot in tables[-1]:
            matches[bot] += 1
    return tables


def by_chance(ladder: Ladder) -> list[list[int]]:
    """Draw any bots."""
    return [ladder.choice.sample(range(ladder.bots.count), ladder.bots.sides) for _ in range(ladder.batch)]


RULES: dict[str, Callable[[Ladder], list[list[int]]]] = {
    "before": by_nearness, "information": by_information, "information by boards": by_information, "chance": by_chance,
}  # fmt: skip

OTHER_SHARES = {f"the ladder's, {share} %": share / 100 for share in (0, 30, 50, 85, 100)}
"""The ladder's rule with other shares of tables that chance draws."""
MIXTURES = {"before": None, "information": 0.0, "half chance": 0.5, "70 % chance": 0.7, "the ladder's": BY_CHANCE,
            "chance": None, **OTHER_SHARES}  # fmt: skip
"""Rules that are compared in worlds, with the share of tables that chance draws in those of the scheduler."""
WORLD_ORDERS = ("batch by boards", "points")


class Run(NamedTuple):
    """Results of one ladder."""

    looks: FloatArray
    """(looks, orders, 2) After every hundred matches: τ, and how many of the true top ten are in the top ten."""
    covered: tuple[float, float]
    """The share of bots within their ±, by the batch estimate of matches, and by that of boards."""
    counts: tuple[float, ...]
    """Matches of the least and the most played bot in medians; of the best, the middle, the worst ones in means."""
    truths: tuple[float, ...]
    """Standard deviation of the true Elo; τ of the true order by matches with that by boards, and by points."""


@cache
def chance_of(path: str, variant: str) -> Chance:
    """Find what chance does in a variant, once in each process."""
    return Chance(recorded_games.load(path)[variant])


@cache
def field_of(path: str, variant: str, seed: int) -> Field:
    """Find the bots of one ladder, and their truth, once in each process."""
    return Field(chance_of(path, variant), BOTS, seed)


def simulate(path: str, variant: str, rule: str, refit: int, matches: int, seed: int) -> Run:
    """Play one ladder to its end."""
    bots = field_of(path, variant, seed)
    truth, rng = bots.truth, np.random.default_rng(1000 + seed)
    batch = refit if rule.startswith("information") else BEFORE
    ladder = Ladder(bots, Random(f"tables {seed}"), batch, rule == "information by boards")
    looks: list[list[tuple[float, float]]] = []
    while ladder.number < matches:
        ladder.play(RULES[rule](ladder), rng)
        new = ladder.number // EVERY - len(looks)
        if new:
            found = ladder.orders()
            looks += [[_look(truth[measure], found[name]) for name, measure in ORDERS.items()]] * new
    covered = [_covered(ladder.results, truth, what) for what in ("match", "board")]
    orders = [kendall(truth["match"], truth[other]) for other in ("board", "points")]
    truths = (float(truth["match"].std()), *orders)
    return Run(np.array(looks), (covered[0], covered[1]), _counts(ladder.matches, truth["match"]), truths)


class WorldRun(NamedTuple):
    """Results of one ladder of a world."""

    looks: FloatArray
    """(looks, 2, 2) After every hundred matches, by places of boards and by points: as in `Run`."""
    covered: tuple[float, float]
    """The share of bots within their ±, likewise."""
    fewest: float
    """Matches of the least played bot, as a part of the mean."""
    longest: float
    """The most matches between two of one bot, in those that all bots take who play in turn."""
    mixed: float
    """The share of tables at which not all bots are copies of one program."""


@cache
def world_of(kind: str, seed: int) -> World:
    """Find the bots of one world, and their truth, once in each process."""
    return World(kind, BOTS, seed, SEATS)


def simulate_world(kind: str, rule: str, matches: int, refit: int, seed: int) -> WorldRun:
    """Play one ladder of a world to its end."""
    bots, rng, share = world_of(kind, seed), np.random.default_rng(1000 + seed), MIXTURES[rule]
    choose = by_information if share is not None else RULES[rule]
    batch = BEFORE if rule == "before" else refit
    ladder = Ladder(bots, Random(f"tables {seed}"), batch, True, share or 0.0, rule.startswith("the ladder's"))
    looks: list[list[tuple[float, float]]] = []
    while ladder.number < matches:
        ladder.play(choose(ladder), rng)
        if ladder.number // EVERY > len(looks):
            fits = ladder.results.estimate("board"), ladder.results.margins()
            truths = bots.truth["board"], bots.truth["points"]
            looks.append([_look(truth, found.ratings) for truth, found in zip(truths, fits, strict=True)])
    within = [
        float(np.mean(np.abs(found.ratings - truth) <= WIDE * np.sqrt(found.covariance.diagonal())))
        for truth, found in zip(truths, fits, strict=True)
    ]
    fewest, turn = min(ladder.matches) / statistics.fmean(ladder.matches), bots.count / bots.sides
    waits = max(ladder.longest, *(ladder.number - last for last in ladder.last))
    return WorldRun(np.array(looks), (within[0], within[1]), fewest, waits / turn, ladder.mixed / ladder.number)


def report_worlds(runs: Mapping[tuple[str, str], Sequence[WorldRun]], options: argparse.Namespace) -> None:
    """Print what was found in the worlds."""
    rows = []
    for (world, rule), found in runs.items():
        looks = np.stack([run.looks for run in found])
        cells = []
        for number in range(len(WORLD_ORDERS)):
            taus = looks[:, :, number, 0]
            cells += [spread(taus, TAU, EVERY), f"{taus[:, -1].mean():.3f}"]
        tops = looks[:, :, 1, 1]
        covered = np.mean([run.covered for run in found], axis=0)
        rows.append((
            world, rule, *cells, spread(tops, NINE_AND_A_HALF, EVERY), *(f"{100 * each:.1f} %" for each in covered),
            f"{min(run.fewest for run in found):.2f}", f"{max(run.longest for run in found):.1f}",
            f"{100 * statistics.fmean(run.mixed for run in found):.0f} %",
        ))  # fmt: skip
    headings = ("world", "rule", f"Elo τ ≥ {TAU:g}", "at the end", f"points τ ≥ {TAU:g}", "at the end",
                f"{NINE_AND_A_HALF} of top {TOP}", "within ±, Elo", "points", "fewest / mean", "longest wait, turns",
                "mixed")  # fmt: skip
    show(f"{BOTS} bots, {options.repetitions} ladders of {options.matches:,} matches each", headings, rows)


def _look(true: FloatArray, found: FloatArray) -> tuple[float, float]:
    return kendall(true, found), len(in_top(true, TOP) & in_top(found, TOP))


def _covered(results: Results, truth: Mapping[str, FloatArray], what: str) -> float:
    estimate = results.estimate(what)
    off = np.abs(estimate.ratings - truth[what])
    return statistics.fmean(bool(off[bot] <= estimate.error(bot)) for bot in range(len(off)))


def _counts(matches: Sequence[int], true: FloatArray) -> tuple[float, ...]:
    counts = np.array(matches, dtype=np.float64)
    ranked, median, mean = counts[np.argsort(-true)], float(np.median(counts)), counts.mean()
    groups = (ranked[:5], ranked[TOP - 5 : TOP + 5], ranked[-5:])
    return (counts.min() / median, counts.max() / median, *(float(group.mean() / mean) for group in groups))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1] if __doc__ else "")
    parser.add_argument("--games", help="a file that benchmarks.recorded_games has written")
    parser.add_argument("--variants", nargs="+", choices=recorded_games.VARIANTS, default=recorded_games.VARIANTS)
    parser.add_argument("--rules", nargs="+", choices=RULES, default=list(RULES))
    parser.add_argument("--refit", type=int, nargs="+", default=[25], help="matches between two estimates")
    parser.add_argument("--repetitions", type=int, default=8, help="ladders of each kind")
    parser.add_argument("--matches", type=int, default=5000, help="in each ladder")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--start", type=float, default=0.4, help="seconds in which a match starts")
    parser.add_argument("--deal", type=float, default=0.08, help="seconds of a deal")
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, help="fields of these worlds, and no recorded games")
    parser.add_argument(
        "--mixtures",
        nargs="+",
        choices=MIXTURES,
        default=[rule for rule in MIXTURES if rule not in OTHER_SHARES],
        help="rules in worlds",
    )
    options = parser.parse_args()
    if options.worlds:
        with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
            played = {
                (world, rule): list(pool.map(partial(simulate_world, world, rule, options.matches, options.refit[0]),
                                             range(options.repetitions)))
                for world, rule in product(options.worlds, options.mixtures)
            }  # fmt: skip
        report_worlds(played, options)
        return
    path = options.games or _played(options.variants)
    rules = [(rule, refit) for rule in options.rules for refit in (options.refit if "info" in rule else [BEFORE])]
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        for variant in options.variants:
            runs = {}
            for rule, refit in rules:
                one = partial(simulate, path, variant, rule, refit, options.matches)
                runs[rule, refit] = list(pool.map(one, range(options.repetitions)))
            report(variant, chance_of(path, variant), runs, options)


def _played(variants: Sequence[str]) -> str:
    games: dict[str, Games] = {variant: recorded_games.play(variant, recorded_games.MATCHES) for variant in variants}
    path = str(Path(tempfile.mkdtemp()) / "games.npz")
    recorded_games.save(path, games)
    print(f"The games are in {path}, for --games.")
    return path


def report(
    variant: str, chance: Chance, runs: Mapping[tuple[str, int], Sequence[Run]], options: argparse.Namespace
) -> None:
    """Print what was found in one variant."""
    first = next(iter(runs.values()))
    sd, boards, points = np.mean([run.truths for run in first], axis=0)
    print(
        f"\n{variant}: {len(chance.tables):,} recorded matches of {len(chance.strengths)} bots; what two bots have "
        f"over each other beyond their strengths has a standard deviation of {chance.interaction:.1f} points a deal. "
        f"True Elo: standard deviation {sd:.0f}; τ of its order with that by boards {boards:.3f}, points {points:.3f}"
    )
    hours = (options.start + SEATS * STANDARD_BOARDS * options.deal) / 3600
    rows: list[tuple[str, ...]] = []
    for (rule, refit), (number, name) in product(runs, enumerate(ORDERS)):
        looks = np.stack([run.looks[:, number] for run in runs[rule, refit]])
        base = np.stack([run.looks[:, 0] for run in first])
        taus, tops = looks[:, :, 0], looks[:, :, 1]
        needed = reached(taus.mean(axis=0), TAU, EVERY)
        rows.append((
            f"{rule}, {refit} at a time", name, spread(taus, TAU, EVERY), _ratio(taus, base[:, :, 0]),
            "–" if math.isinf(needed) else f"{needed * hours:.1f}", spread(tops, NINE_AND_A_HALF, EVERY),
            f"{taus[:, -1].mean():.3f} ± {taus[:, -1].std(ddof=1) / len(taus) ** 0.5:.3f}", f"{tops[:, -1].mean():.2f}",
        ))  # fmt: skip
    headings = ("rule", "order", f"τ ≥ {TAU:g} after", "of the first row", "hours", f"{NINE_AND_A_HALF} of top {TOP}",
                f"τ after {options.matches:,}", "of top ten")  # fmt: skip
    show(f"Matches until the order is right: {BOTS} bots, {options.repetitions} ladders", headings, rows)
    rows = []
    for (rule, refit), found in runs.items():
        shares = np.array([run.covered for run in found])
        cells = [f"{100 * mean:.1f} ± {100 * error:.1f} %" for mean, error in zip(
            shares.mean(axis=0), shares.std(axis=0, ddof=1) / len(found) ** 0.5, strict=True)]  # fmt: skip
        counts = np.array([run.counts for run in found])
        busy = f"{counts[:, 1].mean():.1f} (at most {counts[:, 1].max():.1f})"
        rows.append((f"{rule}, {refit} at a time", *cells, f"{counts[:, 0].mean():.2f}", busy,
                     *(f"{mean:.2f}" for mean in counts[:, 2:].mean(axis=0))))  # fmt: skip
    headings = ("rule", "within ±, matches", "within ±, boards", "least / median", "most / median", "five best / mean",
                f"ranks {TOP - 4} to {TOP + 5}", "five worst")  # fmt: skip
    show("How true the ± is, and who plays how much", headings, rows)


def _ratio(looks: FloatArray, base: FloatArray) -> str:
    """Write the matches needed in those of the first row, with the range of 90 of 100 bootstrap samples."""
    needed, before = reached(looks.mean(axis=0), TAU, EVERY), reached(base.mean(axis=0), TAU, EVERY)
    if math.isinf(needed):
        return "–"
    if math.isinf(before):
        return f"< {needed / (looks.shape[1] * EVERY):.2f}"
    ratio = needed / before
    pairs = zip(bootstrap(looks, TAU, EVERY), bootstrap(base, TAU, EVERY), strict=True)
    low, high = np.quantile([one / other if math.isfinite(one) else math.inf for one, other in pairs], (0.05, 0.95),
                            method="nearest")  # fmt: skip
    return f"{ratio:.2f} ({low:.2f}–{high:.2f})"


if __name__ == "__main__":
    main()

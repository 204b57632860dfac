"""
Ladders in which chance is that of recorded matches of real games (benchmarks/recorded_games.py), not of a formula.

The points of a recorded match are the strengths of its bots by least squares, relative to the mean of the table, and
residuals: on each board one for each bot, which belong together. A simulated bot has the strength of a recorded one and
a little of its own; strengths are stretched so that true Elo has a standard deviation of about 200, as in the other
simulations of this project. Each board of simulated bots takes the residuals of a board of a recorded match whose bots
were about as far apart: they are larger where weak bots play, and they have the tails of the game. To them comes what
two bots do to each other beyond their strengths: as much of it as the recorded matches have (drawn from its posterior),
and two groups of three bots in which each has half of the standard deviation of all strengths over the next one. Some
bots fail: on one of the boards, and those after it, they come last.

The truth of a ladder is how its bots do in many matches at tables that chance draws: by the places of matches, by the
places of boards, and by points; faults and all.

A `World` needs no recorded matches: a formula draws its chance, and it breaks the model of the fits in one known way.

The pairing before matches were chosen by information is kept here (`nearest_table`), to be compared with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ladder.ratings.batch import Estimate, fit, pair_weight
from ladder.ratings.elo import SCALE, STANDARD_BOARDS, START, k_factor, steepness
from ladder.ratings.points import PairSums, fit_points

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from benchmarks.recorded_games import Games


FloatArray = npt.NDArray[np.float64]


def kendall(one: FloatArray, other: FloatArray) -> float:
    """Compute Kendall's τ: of the pairs that *one* does not tie, the share in one order, less that of the others."""
    signs = [np.sign(values[:, None] - values[None, :]) for values in (one, other)]
    return float((signs[0] * signs[1]).sum() / np.count_nonzero(signs[0]))


def in_top(ratings: FloatArray, count: int) -> set[int]:
    """Choose the best ones."""
    return set(np.argsort(-ratings)[:count].tolist())


def reached(means: FloatArray, bar: float, every: int) -> float:
    """Find the first look, in matches, at which the mean is at the bar; infinite if none is."""
    at = np.nonzero(means >= bar)[0]
    return float((at[0] + 1) * every) if len(at) else math.inf


def bootstrap(looks: FloatArray, bar: float, every: int) -> FloatArray:
    """Find when the mean of as many simulations, drawn from (simulations, looks), is at the bar: (400,)."""
    rng = np.random.default_rng(1)
    drawn = [looks[rng.integers(0, len(looks), len(looks))] for _ in range(400)]
    return np.array([reached(sample.mean(axis=0), bar, every) for sample in drawn])


def spread(looks: FloatArray, bar: float, every: int) -> str:
    """Say when the mean over the simulations, (simulations, looks), is at the bar, with its bootstrap range."""
    low, high = np.quantile(bootstrap(looks, bar, every), (0.05, 0.95), method="nearest")
    return f"{matches_text(reached(looks.mean(axis=0), bar, every))} ({matches_text(low)}–{matches_text(high)})"


def matches_text(count: float) -> str:
    """Write a number of matches as it is printed."""
    return "never" if math.isinf(count) else f"{count:,.0f}"


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


IntArray = npt.NDArray[np.int64]

DEVIATION = 200.0
"""The standard deviation of true Elo."""

OWN = 0.1
"""A simulated bot's own part of its strength, as a share of the standard deviation of all strengths."""

LIKE = 150
"""
Recorded matches among which the residuals of a board are drawn: those with strengths most like the table's. Of fewer
ones the same table would always have the same few results, which no number of matches averages out.
"""

FAILING, FAILS = 3, 0.1
"""Bots that fail, and in how many of their matches."""

CYCLES, OVER = 2, 0.5
"""Groups of three bots that beat each other in a circle, and by what share of the standard deviation of strengths."""

TRUE_MATCHES = 100_000


class Chance:
    """Strengths and residuals of recorded matches."""

    def __init__(self, games: Games) -> None:
        """Take the matches apart."""
        self.tables, points = games
        self.boards, self.sides = points.shape[1:]
        self.strengths = self._fitted(points.mean(axis=1))
        results = Results(len(self.strengths), self.sides)
        results.add(self.tables, Played(points, np.concatenate([points, points.mean(axis=1, keepdims=True)], axis=1)))
        self.stretch = DEVIATION / float(results.estimate("match").ratings.std())
        strengths = self.strengths[self.tables]
        self._residuals = points - (strengths - strengths.mean(axis=1, keepdims=True))[:, None]
        noise = float(points.var(axis=1, ddof=1).mean()) / self.boards
        self.meant, self.spread, self.interaction = self._interactions(noise)
        effects = effects_of(self.meant, self.tables)
        order = np.argsort(-strengths, axis=1)
        ordered = np.take_along_axis(strengths, order, 1)
        self._profiles = ordered - ordered.mean(axis=1, keepdims=True)
        self._residuals = np.take_along_axis(self._residuals - effects[:, None], order[:, None], 2)
        self._means = self._residuals.mean(axis=1)

    def _fitted(self, points: FloatArray) -> FloatArray:
        bots = int(self.tables.max()) + 1
        shares = np.zeros((len(points), self.sides, bots))
        rows = np.arange(len(points))[:, None]
        shares[rows, np.arange(self.sides), self.tables] = 1.0
        shares -= shares.mean(axis=1, keepdims=True)
        return np.asarray(np.linalg.lstsq(shares.reshape(-1, bots), points.reshape(-1), rcond=None)[0])

    def _interactions(self, noise: float) -> tuple[FloatArray, FloatArray, float]:
        """Give (n, n) posterior means and deviations of what one has over another beyond strengths, and its sd."""
        bots, means = len(self.strengths), self._residuals.mean(axis=1)
        total, met = np.zeros((bots, bots)), np.zeros((bots, bots))
        for a in range(self.sides):
            for b in range(self.sides):
                np.add.at(total, (self.tables[:, a], self.tables[:, b]), means[:, a] - means[:, b])
                np.add.at(met, (self.tables[:, a], self.tables[:, b]), 1.0)
        np.fill_diagonal(met, 0.0)
        upper = np.triu(met) > 0
        n, mean = met[upper], total[upper] / met[upper]
        error = 2.0 * noise * self.sides / (self.sides - 1)  # of a difference in one match: the points add up to 0
        variance = max(0.0, float(np.average(mean**2 - error / n, weights=n)))
        shrink = np.where(met > 0, variance / (variance + error / np.maximum(met, 1.0) + 1e-12), 0.0)
        return shrink * total / np.maximum(met, 1.0), np.sqrt(variance * (1 - shrink)), float(np.sqrt(variance))

    def residuals(self, strengths: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draw what chance gives to the bots of m tables, (m, boards, sides), whose strengths are (m, sides)."""
        order = np.argsort(-strengths, axis=1)
        ordered = np.take_along_axis(strengths, order, 1)
        near = self._most_like(ordered - ordered.mean(axis=1, keepdims=True))
        drawn = len(near), self.boards
        chosen = np.take_along_axis(near, rng.integers(LIKE, size=drawn), 1)
        found = self._residuals[chosen, rng.integers(self.boards, size=drawn)]
        # Relative to their mean: else those matches would bring the same luck each time that a table meets again.
        found = found - self._means[near].mean(axis=1)[:, None]
        return np.asarray(np.take_along_axis(found, np.argsort(order, axis=1)[:, None], 2))

    def _most_like(self, profiles: FloatArray) -> IntArray:
        """Find the recorded matches whose strengths are most like each of *profiles*, (m, sides): (m, LIKE)."""
        away = (self._profiles**2).sum(axis=1) - 2 * profiles @ self._profiles.T
        return np.asarray(np.argpartition(away, LIKE, axis=1)[:, :LIKE])


def effects_of(over: FloatArray, tables: IntArray) -> FloatArray:
    """Sum what the bots of m tables have over the others there, (m, sides); *over* is (n, n), and antisymmetric."""
    return np.asarray(over[tables[:, :, None], tables[:, None, :]].sum(axis=2) / 2)


@dataclass
class Played:
    """The results of m matches."""

    points: FloatArray
    """(m, boards, sides) Points per deal, relative to the table's mean."""
    scores: FloatArray
    """(m, boards + 1, sides) What is ranked: of each board, and of the match; offenders are far below all others."""


class SimulatedField:
    """The bots of one ladder: `play` says how their matches end."""

    count: int
    sides: int
    programs: IntArray
    """(n,) Number of the program of each; copies have the same."""

    def play(self, tables: IntArray, rng: np.random.Generator) -> Played:
        """Play matches; *tables* is (m, sides)."""
        raise NotImplementedError

    @cached_property
    def truth(self) -> dict[str, FloatArray]:
        """By what is ranked, (n,) how the bots do at tables drawn by chance; copies do alike."""
        rng = np.random.default_rng(7)
        tables = np.argsort(rng.random((TRUE_MATCHES, self.count)), axis=1)[:, : self.sides]
        results = Results(self.count, self.sides)
        for part in np.array_split(tables, TRUE_MATCHES // 2000):
            results.add(part, self.play(part, rng))
        found = {name: results.estimate(name).ratings for name in ("match", "board")} | {"points": results.points()}
        copies = np.bincount(self.programs)
        return {name: (np.bincount(self.programs, each) / copies)[self.programs] for name, each in found.items()}


class Field(SimulatedField):
    """The bots of one ladder, whose chance is that of recorded matches."""

    def __init__(self, chance: Chance, bots: int, seed: int) -> None:
        """Draw them."""
        rng = np.random.default_rng(seed)
        self.chance, self.count, self.sides = chance, bots, chance.sides
        like = rng.permutation(len(chance.strengths))[:bots]
        spread = chance.strengths.std()
        self.strengths = chance.stretch * (chance.strengths[like] + rng.normal(0, OWN * spread, bots))
        over = chance.meant[np.ix_(like, like)]
        drawn = np.triu(rng.normal(size=over.shape) * chance.spread[np.ix_(like, like)], 1)
        self._over = over + drawn - drawn.T
        for one, other, third in rng.permutation(bots)[: 3 * CYCLES].reshape(CYCLES, 3).tolist():
            for ahead, behind in ((one, other), (other, third), (third, one)):
                self._over[ahead, behind] += OVER * spread
                self._over[behind, ahead] -= OVER * spread
        self.programs = np.arange(bots)
        self.failing = np.zeros(bots)
        self.failing[rng.permutation(bots)[:FAILING]] = FAILS

    def play(self, tables: IntArray, rng: np.random.Generator) -> Played:
        """Play matches; *tables* is (m, sides)."""
        strengths = self.strengths[tables]
        expected = strengths - strengths.mean(axis=1, keepdims=True) + effects_of(self._over, tables)
        points = expected[:, None] + self.chance.residuals(strengths, rng)
        fails = rng.random(tables.shape) < self.failing[tables]
        first = rng.integers(self.chance.boards, size=tables.shape)
        over = fails[:, None] & (np.arange(self.chance.boards)[:, None] >= first[:, None])
        scores = np.concatenate(
            [np.where(over, points - 1e6, points), np.where(fails, -1e6, points.mean(axis=1))[:, None]], 1
        )
        return Played(points, scores)


STRENGTHS, NOISE = 20.0, 42.4
"""
Standard deviations of strengths and of a side's points on a board in `World`: with 10 Elo a point, an Elo of 400 more
means ten wins to one loss in matches of four boards.
"""
PAIR, CYCLE = 3.0, 10.0
"""Points of one bot over another beyond strengths: with interactions their standard deviation, and in cycles."""
DEGREES = 2.5
"""Degrees of freedom of Student's t, by which points are distributed where tails are heavy."""
COPIED, COPIES = 3, 0.6
"""Programs of which there are copies, and the share of bots that are copies."""
WORLDS = ("additive", "cycles", "interactions", "heavy tails", "clones")


class World(SimulatedField):
    """A field of which it is known in what it differs from the model of the fits; matches have four boards."""

    def __init__(self, kind: str, bots: int, seed: int, sides: int = 4) -> None:
        """Draw the bots of a field of one of `WORLDS`."""
        rng = np.random.default_rng(seed)
        self.kind, self.count, self.sides = kind, bots, sides
        self.programs = np.arange(bots)
        if kind == "clones":
            self.programs[: round(COPIES * bots)] %= COPIED
            self.programs = np.unique(self.programs, return_inverse=True)[1].reshape(-1)
        self.strengths = rng.normal(0.0, STRENGTHS, bots)[self.programs]
        drawn = np.triu(rng.normal(0.0, PAIR if kind == "interactions" else 0.0, (bots, bots)), 1)
        self.over = drawn - drawn.T
        if kind == "cycles":
            for one, other, third in rng.permutation(bots)[: 3 * CYCLES].reshape(CYCLES, 3).tolist():
                for ahead, behind in ((one, other), (other, third), (third, one)):
                    self.over[ahead, behind] += CYCLE
                    self.over[behind, ahead] -= CYCLE

    def play(self, tables: IntArray, rng: np.random.Generator) -> Played:
        """Play matches: copies of one program among themselves tie on each board."""
        shape = (len(tables), STANDARD_BOARDS, self.sides)
        if self.kind == "heavy tails":
            luck = rng.standard_t(DEGREES, shape) * math.sqrt((DEGREES - 2) / DEGREES)
        else:
            luck = rng.normal(size=shape)
        points = (self.strengths[tables] + effects_of(self.over, tables))[:, None] + NOISE * luck
        programs = self.programs[tables]
        points[(programs == programs[:, :1]).all(axis=1)] = 0.0
        points -= points.mean(axis=2, keepdims=True)
        return Played(points, np.concatenate([points, points.mean(axis=1, keepdims=True)], axis=1))


@dataclass
class Results:
    """The sums of the results of a ladder, by pairs: what a store would hold."""

    count: int
    sides: int
    score: dict[str, FloatArray] = field(init=False)
    n: FloatArray = field(init=False)
    points_over: FloatArray = field(init=False)
    boards: FloatArray = field(init=False)
    """Points on each board: by how much one was better than another, added up; their squares; ties."""
    squares: FloatArray = field(init=False)
    ties: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        shape = (self.count, self.count)
        self.score = {"match": np.zeros(shape), "board": np.zeros(shape)}
        self.n, self.points_over = np.zeros(shape), np.zeros(shape)
        self.boards, self.squares, self.ties = np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def add(self, tables: IntArray, played: Played) -> None:
        """Count matches."""
        won = 0.5 + 0.5 * np.sign(played.scores[..., :, None] - played.scores[..., None, :])
        means = played.points.mean(axis=1)
        leads = played.points[..., :, None] - played.points[..., None, :]
        at = np.ravel_multi_index((tables[:, :, None], tables[:, None, :]), self.n.shape)
        for sums, values in (
            (self.n, np.ones(at.shape)),
            (self.score["match"], won[:, -1]),
            (self.score["board"], won[:, :-1].sum(axis=1)),
            (self.points_over, means[:, :, None] - means[:, None, :]),
            (self.boards, leads.sum(axis=1)),
            (self.squares, (leads**2).sum(axis=1)),
            (self.ties, (won[:, :-1] == 0.5).sum(axis=1).astype(np.float64)),
        ):
            sums += np.bincount(at.ravel(), values.ravel(), sums.size).reshape(sums.shape)
        np.fill_diagonal(self.n, 0.0)

    def estimate(self, what: str, alike: bool = False) -> Estimate:
        """Fit all places of matches, or of boards: then the ladder's batch estimate, unless pairs are *alike*."""
        a, b = np.nonzero(np.triu(self.n))
        times, steep = (1.0, 1.0) if what == "match" else (float(STANDARD_BOARDS), steepness(1))
        score, n = self.score[what][a, b], times * self.n[a, b]
        ties = self.ties[a, b] if what == "board" and not alike else None
        return fit(range(self.count), a, b, score, n, pair_weight(self.sides), steep, ties=ties)

    def margins(self, alike: bool = False) -> Estimate:
        """Fit the points of all boards: the ladder's margins, unless pairs are taken as *alike*."""
        a, b = np.nonzero(np.triu(self.n))
        boards = STANDARD_BOARDS * self.n[a, b]
        pairs = PairSums(a.astype(np.int64), b.astype(np.int64), boards, self.boards[a, b], self.squares[a, b])
        found = fit_points(range(self.count), pairs, self.sides, alike=alike)
        assert found is not None
        return found

    def points(self) -> FloatArray:
        """Fit points a deal by least squares, (n,)."""
        laplacian = np.diag(self.n.sum(axis=1)) - self.n
        return np.asarray(np.linalg.pinv(laplacian) @ self.points_over.sum(axis=1))


class OnlineElo:
    """Elo after each match, by its places or by those of its boards."""

    def __init__(self, count: int, by_boards: bool) -> None:
        """Begin at 1500."""
        self._by_boards = by_boards
        self.ratings, self._boards = [START] * count, [0] * count

    def add(self, table: Sequence[int], scores: FloatArray) -> None:
        """Rate a match as `elo.moves` does; *scores* is (boards + 1, sides)."""
        boards = 1 if self._by_boards else STANDARD_BOARDS
        steep = steepness(boards) * math.log(10) / SCALE
        for row in (scores[:-1] if self._by_boards else scores[-1:]).tolist():
            strong = [math.exp(steep * (self.ratings[bot] - START)) for bot in table]
            for place, bot in enumerate(table):
                k = k_factor(self._boards[bot], boards) / (len(table) - 1)
                for other in range(len(table)):
                    if other != place:
                        score = 0.5 + 0.5 * ((row[place] > row[other]) - (row[place] < row[other]))
                        self.ratings[bot] += k * (score - strong[place] / (strong[place] + strong[other]))
            for bot in table:
                self._boards[bot] += boards

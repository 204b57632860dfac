"""
Simulated events: how likely the best bot wins, and how long an event takes.

A bot has a strength in Elo. What it shows on a board is its strength plus chance: a normal deviate with the variance of
the ladder's model of places (`ladder.ratings.elo`), in which chance is Gumbel's distribution and shrinks with the root
of the boards. On each board bots score by places, as in a real event. A game counts as `GAME_BOARDS` boards in one.

All events of a simulation are played at once, as arrays. Two things differ from a real event: a Swiss is paired by the
order of scores alone, and ties are separated by lot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from ladder.events.advice import Pace, leg_hours
from ladder.events.legs import Leg, exact_design, game_deals, legs_of, sides_of, without_rematch
from ladder.events.scoring import GAME_BOARDS
from ladder.ratings.elo import SCALE, STANDARD_BOARDS
from ladder.values.events import Chances, EntrantChance

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ladder.events.legs import Tables
    from ladder.values.events import Event, Stage
    from pigpen.rules import Rules

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]

NOISE = math.pi / math.sqrt(6) * SCALE / math.log(10) * math.sqrt(STANDARD_BOARDS)
"""Standard deviation of chance on one board, in Elo: that of a Gumbel deviate in a match of `STANDARD_BOARDS` "
"boards."""
SPREAD = 200.0
"""Standard deviation of drawn strengths, in Elo: that of the prior of the ladder's estimate."""
DRAWS = 4_000_000
"""Deviates that are drawn at once."""


@dataclass(frozen=True)
class Simulated:
    """The results of a number of simulated events."""

    strengths: FloatArray
    """(e, n) Of each entrant in each event."""
    order: IntArray
    """(e, n) The entrants by place, the first one first."""
    hours: FloatArray
    """(e,)"""
    deals: int
    last_table: float

    def chances(self, name: str) -> Chances:
        """Sum up."""
        events, count = self.order.shape
        best = np.argsort(-self.strengths, axis=1, kind="stable")
        winner = self.order[:, 0]
        wins = float((winner == best[:, 0]).mean())
        each = np.arange(events)
        lost = self.strengths.max(axis=1) - self.strengths[each, winner]
        return Chances(
            name=name,
            events=events,
            deals=self.deals,
            best_wins=wins,
            best_wins_error=math.sqrt(max(wins * (1 - wins), 1 / events) / events),
            best_three_win=float((best[:, :3] == winner[:, None]).any(axis=1).mean()),
            best_in_three=float((self.order[:, :3] == best[:, :1]).any(axis=1).mean()),
            tau=_tau(self.strengths, self.order) if count > 1 else 1.0,
            elo_lost=float(lost.mean()),
            hours=(float(np.quantile(self.hours, 0.5)), float(np.quantile(self.hours, 0.95))),
            last_table=self.last_table,
        )

    def each(self, names: Sequence[str]) -> tuple[EntrantChance, ...]:
        """Give what each entrant may hope for, the strongest first."""
        strengths = self.strengths[0]
        return tuple(
            EntrantChance(
                name=names[one],
                rating=float(strengths[one]),
                wins=float((self.order[:, 0] == one).mean()),
                first_three=float((self.order[:, :3] == one).any(axis=1).mean()),
            )
            for one in np.argsort(-strengths, kind="stable").tolist()
        )


def drawn_strengths(events: int, entrants: int, rng: np.random.Generator) -> FloatArray:
    """Draw strengths of mean 1500 and standard deviation `SPREAD` for every event anew."""
    return 1500 + SPREAD * rng.standard_normal((events, entrants))


def simulate(event: Event, rules: Rules, strengths: FloatArray, pace: Pace, rng: np.random.Generator) -> Simulated:
    """
    Simulate an event.

    Args:
        event: As its file describes it.
        rules: Of its variant.
        strengths: (e, n) Of the entrants of each event, in Elo.
        pace: How quickly matches are played.
        rng: Chance.
    """
    with threadpool_limits(1, "blas"):
        return _Simulation(event, rules, strengths, pace, rng).run()


@dataclass
class _Simulation:
    event: Event
    rules: Rules
    strengths: FloatArray
    pace: Pace
    rng: np.random.Generator
    _design: tuple[Tables, ...] = ()

    def __post_init__(self) -> None:
        self._sides = sides_of(self.rules)
        self._points = np.zeros((0, 0), dtype=np.int64)

    def run(self) -> Simulated:
        """Play all legs."""
        events, count = self.strengths.shape
        legs = legs_of(self.event, count, self.rules)
        deals = [leg.deals(self.rules) for leg in legs]
        alive = self._shuffled(np.broadcast_to(np.arange(count), (events, count)))
        if self.event.seeding == "rating":
            alive = np.argsort(-self.strengths, axis=1)
        hours = np.zeros(events)
        out: list[IntArray] = []
        here, before = list[_Played](), list[_Played]()
        for leg in legs:
            stage = self.event.stages[leg.stage]
            if leg.first:
                before, here = (before + here if stage.carry else []), []
            played = list[_Played]()
            for number in range(leg.rounds):
                tables = self._tables(leg, stage, alive, number, before + here)
                played.append(self._play(leg, tables))
                here.append(played[-1])
            hours += self._hours(leg, events)
            alive = self._ordered(leg, stage, alive, before + here, played)
            if leg.keeps:
                out.insert(0, alive[:, leg.keeps :])
                alive = alive[:, : leg.keeps]
        order = np.concatenate([alive, *out], axis=1)
        return Simulated(self.strengths, order, hours, sum(deals), deals[-1] / sum(deals) if deals else 0.0)

    def _tables(self, leg: Leg, stage: Stage, alive: IntArray, number: int, played: list[_Played]) -> IntArray:
        """Say who sits where, (e, t, k); −1 is a stand-in."""
        events, count = alive.shape
        filled = np.full((events, leg.tables(self._sides) * self._sides), -1)
        if leg.kind == "round-robin":
            filled[:, :count] = self._shuffled(alive)
            if number == 0:
                exact = exact_design(filled.shape[1], self._sides)
                whole = exact is not None and leg.rounds % len(exact) == 0
                design = exact if whole else without_rematch(filled.shape[1], self._sides)
                self._design, self._points = (design or ()) if whole or leg.rounds <= len(design or ()) else (), filled
            if self._design:
                return self._points[:, np.array(self._design[number % len(self._design)])]
        elif leg.kind == "swiss" and number:
            scores = self._scores(stage.pair_by, played, alive)
            filled[:, :count] = np.take_along_axis(alive, self._by(scores), axis=1)
            return filled.reshape(events, -1, self._sides)
        else:
            filled[:, :count] = alive
        return filled.reshape(events, self._sides, -1).transpose(0, 2, 1)

    def _play(self, leg: Leg, tables: IntArray) -> _Played:
        """Play a round: board points as a share, place points of the matches, and what was shown on average."""
        boards = leg.boards or 1
        noise = NOISE / math.sqrt(GAME_BOARDS) if leg.boards is None else NOISE
        strengths = np.concatenate([self.strengths, np.full((len(tables), 1), self.strengths.mean())], axis=1)
        own = np.take_along_axis(strengths, tables.reshape(len(tables), -1), axis=1).reshape(tables.shape)
        shown, places = np.zeros(tables.shape), np.zeros(tables.shape)
        step = max(1, DRAWS // tables.size)
        for first in range(0, boards, step):
            some = min(step, boards - first)
            board = own + noise * self.rng.standard_normal((some, *tables.shape))
            shown += board.sum(axis=0)
            places += _beaten(board).sum(axis=0)
        return _Played(tables, boards, places, _beaten(shown), shown / boards, leg.boards is None)

    def _ordered(
        self, leg: Leg, stage: Stage, alive: IntArray, played: list[_Played], leg_played: list[_Played]
    ) -> IntArray:
        """Order those in a leg, the best first; of pods those who advance first: (e, n)."""
        scores = self._scores(stage.standings, played, alive)
        if leg.kind == "pods" and leg.keeps:
            pods = _spread(leg_played[-1].tables, leg_played[-1].places / leg_played[-1].boards, self.strengths.shape)
            own = np.take_along_axis(pods, alive, axis=1)
            tables = _spread(leg_played[-1].tables, np.broadcast_to(
                np.arange(leg_played[-1].tables.shape[1])[None, :, None], leg_played[-1].tables.shape
            ).astype(np.float64), self.strengths.shape)  # fmt: skip
            table = np.take_along_axis(tables, alive, axis=1)
            own = own + 1e-9 * self.rng.random(own.shape)
            above = ((table[:, :, None] == table[:, None, :]) & (own[:, None, :] > own[:, :, None])).sum(axis=2)
            scores = scores + 1e6 * (above < (stage.advance or 1))
        return np.asarray(np.take_along_axis(alive, self._by(scores), axis=1), dtype=np.int64)

    def _scores(self, standings: str, played: list[_Played], alive: IntArray) -> FloatArray:
        """Give the scores of those alive, (e, n)."""
        shape = self.strengths.shape
        if standings == "performance":
            total = _performance(played, shape)
        else:
            total = np.zeros(shape)
            for each in played:
                total += _spread(each.tables, each.score(standings), shape)
        return np.asarray(np.take_along_axis(total, alive, axis=1), dtype=np.float64)

    def _by(self, scores: FloatArray) -> IntArray:
        """Sort places by score, (e, n); the level ones by lot."""
        lots = self.rng.random(scores.shape)
        return np.lexsort((lots, -scores), axis=1).astype(np.int64)

    def _shuffled(self, numbers: npt.NDArray[np.int64]) -> IntArray:
        drawn = self.rng.random(numbers.shape).argsort(axis=1)
        return np.asarray(np.take_along_axis(numbers, drawn, axis=1), dtype=np.int64)

    def _hours(self, leg: Leg, events: int) -> FloatArray:
        """Draw the hours of a leg, (e,); each rotation is a table of its own, and a table takes the next free place."""
        tables = leg.tables(self._sides) * (1 if leg.boards is None else self.rules.players)
        if leg.boards is not None:
            return np.full(events, leg_hours(leg, self.rules, self.pace))
        fewest, middle, most = game_deals(self.rules)
        total = np.zeros(events)
        for _ in range(leg.rounds):
            lengths = np.full((events, tables), float(middle))
            if fewest < most:
                lengths = np.rint(self.rng.triangular(fewest, min(max(middle, fewest), most), most, (events, tables)))
            seconds = self.pace.starting(self.rules) + lengths * self.pace.seconds
            busy = np.zeros((events, min(self.pace.tables, tables)))
            for table in range(tables):
                free = busy.argmin(axis=1)
                busy[np.arange(events), free] += seconds[:, table]
            total += busy.max(axis=1)
        return total / 3600


@dataclass(frozen=True)
class _Played:
    tables: IntArray
    boards: int
    places: FloatArray
    """(e, t, k) Board points."""
    match: FloatArray
    """Place points of the matches."""
    shown: FloatArray
    """Elo, on average over the boards."""
    is_game: bool

    def score(self, standings: str) -> FloatArray:
        """Give what it counts; points are relative to the mean of the table, as the points of a deal are shared out."""
        if standings == "board places":
            return self.places
        if standings == "match places":
            return self.match
        return np.asarray(self.shown - self.shown.mean(axis=2, keepdims=True), dtype=np.float64) * self.boards


def _beaten(shown: FloatArray) -> FloatArray:
    """Count for each of the last axis how many of it it has beaten."""
    return np.asarray((shown[..., :, None] > shown[..., None, :]).sum(axis=-1), dtype=np.float64)


def _spread(tables: IntArray, values: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """Spread the values of seats by entrant, (e, n); those of stand-ins are dropped."""
    total = np.zeros((shape[0], shape[1] + 1))
    np.put_along_axis(total, tables.reshape(shape[0], -1) % (shape[1] + 1), values.reshape(shape[0], -1), axis=1)
    return total[:, :-1]


def _performance(played: list[_Played], shape: tuple[int, int]) -> FloatArray:
    """Find the strengths that explain the board points of all tables best, by least squares: (e, n)."""
    events, count = shape
    system = np.zeros((events, count + 1, count + 1))
    right = np.zeros((events, count + 1))
    each = np.arange(events)[:, None]
    for one in played:
        weight = one.boards * (GAME_BOARDS if one.is_game else 1)
        sides = one.tables.shape[2]
        shares = one.places / one.boards
        for table in range(one.tables.shape[1]):
            seats = one.tables[:, table] % (count + 1)
            system[each[:, :, None], seats[:, :, None], seats[:, None, :]] += weight * (np.eye(sides) - 1 / sides)
            right[each, seats] += weight * (shares[:, table] - (sides - 1) / 2)
    system += 1e-3 * np.eye(count + 1)
    return np.asarray(np.linalg.solve(system, right[:, :, None])[:, :count, 0], dtype=np.float64)


def _tau(strengths: FloatArray, order: IntArray) -> float:
    """Give Kendall's τ between places and strengths, the mean over the events."""
    by_place = np.take_along_axis(strengths, order, axis=1)
    events, count = len(strengths), int(strengths.shape[1])
    right = 0.0
    for place in range(count - 1):
        right += float((by_place[:, place : place + 1] > by_place[:, place + 1 :]).sum())
    return 4 * right / (events * count * (count - 1)) - 1

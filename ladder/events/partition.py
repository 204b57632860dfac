"""
The cheapest tables of a round: set partitioning by column generation, with the solver HiGHS.

Every possible table is a column; each bot is in exactly one that is chosen. The linear relaxation is solved with few
columns, and the columns that its prices show to be worth it are added, until there are none; that gives a bound. Only
columns whose reduced cost is below the distance between the bound and known tables can be in cheaper ones, so the
integer programme with those alone is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import highspy
import numpy as np

from ladder.events.entrants import LOT, Cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ladder.events.table_costs import PairCosts

    IntArray = npt.NDArray[np.int64]
    FloatArray = npt.NDArray[np.float64]

MAX_TABLES = 700_000
"""Possible tables of which the cheapest are searched for: of 64 bots in fours there are 635,376."""
ADDED = 1000
"""The most columns that are added at once."""
MAX_NODES = 50
"""Of the search tree. A number of nodes, not a time: every machine gives up at the same one."""
MAX_COLUMNS, FEW_COLUMNS = 3000, 1200
"""Of an integer programme that is exact, and of one that is not, where more columns might be worth it."""
FIRST = 10_000
"""A pair of one owner, in meetings, when both are minimised."""
CLOSE = 1e-6
"""In units of `LOT`: less than one unit of a cost, 1e-5, and more than HiGHS's tolerance, 1e-7."""


@dataclass(frozen=True)
class Partition:
    """Tables, and how good they are."""

    tables: list[list[int]]
    bound: Cost
    """No tables can cost less."""
    proven: bool
    """True if it is proven that no other tables cost less, or as little."""


def is_small(count: int, sides: int) -> bool:
    """Tell whether the cheapest tables can be searched for here."""
    return math.comb(count, sides) <= MAX_TABLES


def cheapest(cost: PairCosts, known: list[list[int]]) -> Partition:
    """
    Find the cheapest tables: first with as few pairs of one owner and as few meetings as there can be.

    Args:
        cost: What each pair costs.
        known: Tables, as cheap as they have been found otherwise.
    """
    columns = _columns(len(cost.numbers), len(known[0]))
    owners, meetings = _sums(cost.owners, columns), _sums(cost.meetings, columns)
    first = _Problem(columns, owners * FIRST + meetings).solved(known) if cost.of(known)[:2] != (0, 0) else None
    least = cost.of(first.tables if first else known)
    fit = (owners <= least.owners) & (meetings <= least.meetings)
    limits = [(owners[fit], least.owners), (meetings[fit], least.meetings)] if first else []
    second = _Problem(columns[fit], _sums(cost.places, columns[fit]) / LOT, limits).solved(
        first.tables if first and cost.of(first.tables) < cost.of(known) else known
    )
    bound = Cost(*divmod(math.ceil(first.bound - CLOSE), FIRST), 0) if first else Cost(0, 0, 0)
    if not first or first.proven:
        bound = bound._replace(places=math.ceil(second.bound * LOT - CLOSE * LOT))
    return Partition(second.tables, bound, second.proven and (not first or first.proven))


@dataclass(frozen=True)
class _Solution:
    tables: list[list[int]]
    bound: float
    proven: bool


class _Problem:
    """Choose columns that hold each bot once, and cost little."""

    def __init__(
        self,
        columns: IntArray,
        prices: npt.NDArray[np.floating | np.int64],
        limits: Sequence[tuple[IntArray, int]] = (),
    ) -> None:
        self._columns = columns
        self._prices = prices.astype(np.float64)
        self._limits = limits
        self._bots = int(columns.max()) + 1

    def solved(self, known: list[list[int]]) -> _Solution:
        """Find the cheapest columns; *known* are some."""
        at = _places(self._columns, known)
        bound, reduced = self._relaxed(at)
        by_worth = np.argsort(reduced, kind="stable")
        complete = optimal = False
        while not complete:
            best = float(self._prices[at].sum())
            worth = int(np.count_nonzero(reduced < best - bound + CLOSE))
            complete = worth <= MAX_COLUMNS
            found, optimal = self._integer(np.union1d(by_worth[: worth if complete else FEW_COLUMNS], at))
            if found is None or float(self._prices[found].sum()) > best - CLOSE:
                break
            at = found
        proven = complete and optimal
        tables = [[int(one) for one in self._columns[each]] for each in at]
        return _Solution(tables, float(self._prices[at].sum()) if proven else bound, proven)

    def _relaxed(self, known: IntArray) -> tuple[float, FloatArray]:
        """Find a bound by the linear relaxation, and the reduced cost of every column."""
        solver = _solver()
        solver.passModel(self._model(known))
        inside = np.zeros(len(self._columns), dtype=bool)
        inside[known] = True
        while True:
            solver.run()
            duals = np.array(solver.getSolution().row_dual)
            reduced = self._reduced(duals)
            worth = np.flatnonzero((reduced < -CLOSE / 10) & ~inside)
            if not len(worth):
                tables = self._bots / self._columns.shape[1]
                limits = sum(dual * most for dual, (_, most) in zip(duals[self._bots :], self._limits, strict=True))
                return float(duals[: self._bots].sum() + limits + tables * min(0.0, float(reduced.min()))), reduced
            added = worth[np.argsort(reduced[worth], kind="stable")[:ADDED]]
            inside[added] = True
            self._add(solver, added)

    def _reduced(self, duals: FloatArray) -> FloatArray:
        reduced = self._prices - duals[self._columns].sum(axis=1)
        for dual, (uses, _) in zip(duals[self._bots :], self._limits, strict=True):
            reduced -= dual * uses
        return np.asarray(reduced, dtype=np.float64)

    def _integer(self, chosen: IntArray) -> tuple[IntArray | None, bool]:
        """Find the cheapest of *chosen*, and whether that is proven; None: none was found."""
        model = self._model(chosen)
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(chosen)
        solver = _solver()
        solver.setOptionValue("mip_rel_gap", 0.0)
        solver.setOptionValue("mip_abs_gap", CLOSE)
        solver.setOptionValue("mip_max_nodes", MAX_NODES)
        solver.passModel(model)
        solver.run()
        values = np.array(solver.getSolution().col_value)
        if len(values) != len(chosen) or round(float(values.sum())) * self._columns.shape[1] != self._bots:
            return None, False
        return chosen[values > 0.5], solver.getModelStatus() == highspy.HighsModelStatus.kOptimal

    def _model(self, chosen: IntArray) -> highspy.HighsLp:
        model = highspy.HighsLp()
        rows = self._bots + len(self._limits)
        model.num_col_, model.num_row_ = len(chosen), rows
        model.col_cost_ = self._prices[chosen]
        model.col_lower_, model.col_upper_ = np.zeros(len(chosen)), np.ones(len(chosen))
        model.row_lower_ = np.array([1.0] * self._bots + [-highspy.kHighsInf] * len(self._limits))
        model.row_upper_ = np.array([1.0] * self._bots + [float(most) for _, most in self._limits])
        model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        starts, rows_of, values = self._entries(chosen)
        model.a_matrix_.start_ = np.append(starts, len(rows_of))
        model.a_matrix_.index_, model.a_matrix_.value_ = rows_of, values
        return model

    def _add(self, solver: highspy.Highs, added: IntArray) -> None:
        starts, rows, values = self._entries(added)
        count = len(added)
        prices = self._prices[added]
        solver.addCols(count, prices, np.zeros(count), np.ones(count), len(rows), starts, rows, values)

    def _entries(self, chosen: IntArray) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], FloatArray]:
        """Give the columns as HiGHS takes them: where each begins, its rows, its coefficients."""
        rows = [
            self._columns[chosen],
            *(np.full((len(chosen), 1), self._bots + each) for each in range(len(self._limits))),
        ]
        values = [np.ones(self._columns[chosen].shape), *(uses[chosen][:, None] for uses, _ in self._limits)]
        indices = np.concatenate(rows, axis=1).astype(np.int32)
        starts = np.arange(len(chosen), dtype=np.int32) * indices.shape[1]
        return starts, indices.ravel(), np.concatenate(values, axis=1).astype(np.float64).ravel()


def pairs_bound(cost: IntArray, sides: int) -> float:
    """
    Give a bound for any number of bots: each has sides − 1 partners, and each pair is one or none.

    The linear relaxation of that. It knows nothing of whole tables, so it is lower than what `cheapest` gives.

    Args:
        cost: (n, n) What each pair costs.
        sides: The seats of a table.
    """
    count = len(cost)
    a, b = np.triu_indices(count, 1)
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(a), count
    model.col_cost_ = cost[a, b].astype(np.float64)
    model.col_lower_, model.col_upper_ = np.zeros(len(a)), np.ones(len(a))
    model.row_lower_ = model.row_upper_ = np.full(count, float(sides - 1))
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.arange(len(a) + 1, dtype=np.int32) * 2
    model.a_matrix_.index_ = np.stack([a, b], axis=1).astype(np.int32).ravel()
    model.a_matrix_.value_ = np.ones(2 * len(a))
    solver = _solver()
    solver.passModel(model)
    solver.run()
    return float(solver.getInfo().objective_function_value)


class _SilentSolver(highspy.Highs):
    """HiGHS without its banner, which it prints as soon as it is asked for callbacks."""

    def enableCallbacks(self) -> None:  # noqa: N802
        self.silent()
        super().enableCallbacks()  # type: ignore[no-untyped-call]


def _solver() -> highspy.Highs:
    solver = _SilentSolver()  # type: ignore[no-untyped-call]
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("random_seed", 0)
    return solver


def _columns(count: int, sides: int) -> IntArray:
    """Give all tables, in order: (C(n, k), k)."""
    everyone = combinations(range(count), sides)
    flat = np.fromiter((one for table in everyone for one in table), np.int64, math.comb(count, sides) * sides)
    return flat.reshape(-1, sides)


def _sums(matrix: IntArray, columns: IntArray) -> IntArray:
    """Sum what the pairs of each table have in the matrix."""
    total = np.zeros(len(columns), dtype=np.int64)
    for a, b in combinations(range(columns.shape[1]), 2):
        total += matrix[columns[:, a], columns[:, b]]
    return total


def _places(columns: IntArray, tables: list[list[int]]) -> IntArray:
    """Find the places of the tables among the columns."""
    base = int(columns.max()) + 1
    powers = base ** np.arange(columns.shape[1])[::-1]
    keys = columns @ powers
    return np.sort(np.searchsorted(keys, np.array([sorted(table) for table in tables]) @ powers))

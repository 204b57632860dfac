"""
Margins of places: how far one is before the next, ± what chance does, and how likely it is the better one.

All comes from the boards of the standings. The cards of a board are the same for all bots of its table over its
rotations, so two who sit there are compared by their difference on that board (paired boards, as duplicate bridge and
ACPC do). A board on which one of the two sits alone counts with that one's score.

Scores that add up, such as board places: there are three kinds of boards of a pair: both sit there, only the one, only
the other. The variance of the sum over n boards of a kind is n · s², where s² is the sample variance within tables;
tables of one board each are compared with each other. Each kind begins with one board's worth of the variance that the
same boards have if their scores are dealt out anew by chance: a scaled inverse χ² prior of one degree of freedom
(Gelman and others, Bayesian Data Analysis, 3rd edition, 3.2), so that few boards that are alike prove nothing. Degrees
of freedom of several kinds are those of Welch and Satterthwaite (1946), rounded down.

Performance: the variance of the difference is the sum of squares of what each board adds to it (the sandwich estimator
with a board as a cluster: Liang and Zeger 1986), and one board's worth of the variance by the model.

Half of the 95 % interval and the likelihood of superiority are those of Student's t. It is about the chance of the
cards and of what the bots did with them; against whom each had to play is taken as it was.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist
from typing import TYPE_CHECKING

from ladder.events.scoring import GAME_BOARDS, estimate_of, match_totals, place_points
from ladder.values.events import EventMargin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ladder.events.entrants import TableResult
    from ladder.events.scoring import Ranked, Sums

LIKELY = 0.975
"""From this likelihood of superiority on a place counts as more than chance: 95 % of two-sided intervals."""
NORMAL_FROM = 1000
"""Degrees of freedom from which on Student's t is taken as normal."""
WITHOUT_CRITERION = ("play-off", "level", "lot")
"""Reasons of those who are level by the score, or nearly."""


def with_margins(rows: Sequence[Ranked], sums: Sums, criteria: Sequence[str]) -> list[Ranked]:
    """
    Give standings in which each row that is before the next one by its score, or level with it, has its margin.

    A place that does not follow from the score, such as that of a bot that has left, has none.
    """
    score, found = criteria[0], []
    decisive = {*criteria, *WITHOUT_CRITERION}
    pairs = [(one.number, after.number) for one, after in pairwise(rows) if one.why.partition(": ")[0] in decisive]
    margins = _of_performance(sums, pairs) if score == "performance" else _of_sums(sums, pairs, score)
    for one, after in zip(rows, [*rows[1:], None], strict=True):
        margin = None if after is None else margins.get((one.number, after.number))
        found.append(replace(one, margin=margin if margin is not None and margin.difference >= 0 else None))
    return found


def _of_sums(sums: Sums, pairs: Sequence[tuple[int, int]], score: str) -> dict[tuple[int, int], EventMargin]:
    """Compare by a score that adds up."""
    tables = defaultdict[int, list[_Table]](list)
    for number, result in enumerate(sums.results):
        table = _Table(number, result, score)
        for one in result.table:
            tables[one].append(table)
    found = {}
    for one, other in pairs:
        of_both = {table.number: table for table in (*tables[one], *tables[other])}
        found[one, other] = _margin(of_both.values(), one, other)
    return found


class _Table:
    """The scores of a table, board by board."""

    def __init__(self, number: int, result: TableResult, score: str) -> None:
        self.number = number
        self._place = {one: place for place, one in enumerate(result.table)}
        boards = (match_totals(result),) if score == "match places" else result.boards
        self._scores = [
            tuple(map(float, points)) if score == "points" else tuple(each / 2 for each in place_points(points))
            for points in boards
        ]

    def kind(self, one: int, other: int) -> tuple[bool, bool]:
        """Tell who of a pair sits there."""
        return one in self._place, other in self._place

    def scores(self, one: int, other: int) -> list[float]:
        """Give what each board adds to the difference of a pair."""
        return [
            sum(sign * scores[self._place[each]] for each, sign in ((one, 1), (other, -1)) if each in self._place)
            for scores in self._scores
        ]

    def by_chance(self, *, is_pair: bool) -> list[float]:
        """Give of each board the variance of that if its scores were dealt out by chance."""
        sides, found = len(self._place), list[float]()
        for scores in self._scores:
            mean = math.fsum(scores) / sides
            squares = math.fsum((each - mean) ** 2 for each in scores)
            found.append(2 * squares / (sides - 1) if is_pair else squares / sides)
        return found


def _margin(tables: Iterable[_Table], one: int, other: int) -> EventMargin:
    kinds = defaultdict[tuple[bool, bool], list[_Table]](list)
    for table in tables:
        kinds[table.kind(one, other)].append(table)
    parts, differences, boards, together = list[tuple[float, int]](), list[float](), 0, 0
    for (has_one, has_other), found in kinds.items():
        groups, chance = [table.scores(one, other) for table in found], list[float]()
        for table in found:
            chance += table.by_chance(is_pair=has_one and has_other)
        single = [each for scores in groups if len(scores) == 1 for each in scores]
        groups = [*(scores for scores in groups if len(scores) > 1), *([single] if single else [])]
        count = sum(map(len, groups))
        squares = math.fsum((each - math.fsum(scores) / len(scores)) ** 2 for scores in groups for each in scores)
        freedom = count - len(groups) + 1
        parts.append((count * (squares + math.fsum(chance) / count) / freedom, freedom))
        differences += [each for scores in groups for each in scores]
        boards += count
        together += count if has_one and has_other else 0
    variance = math.fsum(part for part, _ in parts)
    spread = math.fsum(part**2 / freedom for part, freedom in parts)
    freedom = math.floor(variance**2 / spread + 1e-9) if spread else 1
    return _of(math.fsum(differences), variance, freedom, boards, together)


def _of_performance(sums: Sums, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], EventMargin]:
    """Compare by strengths that were estimated from all boards."""
    if not pairs or not sums.results:
        return {}
    import numpy as np

    from ladder.ratings.batch import UNIT, pair_weight
    from ladder.ratings.elo import steepness

    estimate = estimate_of(sums.numbers, sums.results, sums.games)
    steep = steepness(GAME_BOARDS if sums.games else 1)
    place = {int(version): index for index, version in enumerate(estimate.versions)}
    elo = estimate.ratings
    rows = {one: estimate.rows(np.array([place[one]]))[0].astype(np.float64) for pair in pairs for one in pair}
    tables = []
    for result in sums.results:
        seats = np.array([place[one] for one in result.table])
        points = np.array(result.boards, dtype=np.float64)
        scores = (np.sign(points[:, :, None] - points[:, None, :]) + 1) / 2  # a pair beats, or is level
        hopes = 0.5 + 0.5 * np.tanh(steep * (elo[seats][:, None] - elo[seats][None, :]) / UNIT / 2)
        slopes = pair_weight(len(result.table)) * steep / UNIT * (scores - hopes[None]).sum(axis=2)
        tables.append((set(result.table), seats, slopes))
    found = {}
    for one, other in pairs:
        row = rows[one] - rows[other]
        squares = math.fsum(float(each) for _, seats, slopes in tables for each in (slopes @ row[seats]) ** 2)
        shared = [(len(slopes), one in seated, other in seated) for seated, _, slopes in tables]
        boards = sum(count for count, *sits in shared if any(sits))
        together = sum(count for count, *sits in shared if all(sits))
        by_model = max(float(row[place[one]] - row[place[other]]), 0.0)
        difference = round(float(elo[place[one]]), 2) - round(float(elo[place[other]]), 2)
        found[one, other] = _of(difference, squares + by_model / max(boards, 1), max(boards, 1), boards, together)
    return found


def _of(difference: float, variance: float, freedom: int, boards: int, together: int) -> EventMargin:
    error = math.sqrt(max(variance, 0.0))
    better = student(difference / error, freedom) if error else 0.5 + 0.5 * ((difference > 0) - (difference < 0))
    return EventMargin(
        difference=round(difference, 2),
        plus_minus=round(_quantile(freedom) * error, 2),
        superiority=round(better, 3),
        boards=boards,
        together=together,
        is_tied=better < LIKELY,
    )


def student(t: float, freedom: int) -> float:
    """
    Compute P(T ≤ t) of Student's t: the finite series of Abramowitz and Stegun, 26.7.3 and 26.7.4.

    >>> [round(student(t, freedom), 4) for t, freedom in ((0, 3), (12.706, 1), (2.776, 4), (-1.96, 10**6))]
    [0.5, 0.975, 0.975, 0.025]
    """
    if freedom > NORMAL_FROM:
        return NormalDist().cdf(t)
    angle = math.atan2(t, math.sqrt(freedom))
    cosine, term = math.cos(angle), 1.0
    if freedom % 2:
        terms = []
        term = cosine
        for power in range(1, freedom - 1, 2):
            terms.append(term)
            term *= cosine**2 * (power + 1) / (power + 2)
        inside = 2 / math.pi * (angle + math.sin(angle) * math.fsum(terms))
    else:
        terms = []
        for power in range(0, freedom - 1, 2):
            terms.append(term)
            term *= cosine**2 * (power + 1) / (power + 2)
        inside = math.sin(angle) * math.fsum(terms)
    return 0.5 + 0.5 * inside


@lru_cache(maxsize=NORMAL_FROM + 1)
def _quantile(freedom: int) -> float:
    """Compute the t below which 97.5 % are."""
    if freedom > NORMAL_FROM:
        return NormalDist().inv_cdf(LIKELY)
    low, high = 1.9, 13.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if student(middle, freedom) < LIKELY else (low, middle)
    return (low + high) / 2

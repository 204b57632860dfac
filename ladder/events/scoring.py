"""
Scores of an event, and the order of a stage that follows from them.

Scores are by places on each board, because points of one table say little about those of another. On a board a bot
scores 1 for each bot of its table that it beats over all rotations, and ½ for each that it ties with (in bridge:
matchpoints). All scores here are doubled, so that they are integers.

The order is by score, then by the tie-breaks one after another; it can say why one is before the next.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from ladder.events.entrants import is_stand_in
from ladder.values.events import EventPlace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ladder.events.entrants import Lots, TableResult
    from ladder.ratings.batch import Estimate
    from ladder.values.events import Event, EventMargin
    from pigpen.rules import Rules

GAME_BOARDS = 3
"""Boards that say about as much as one game, which is played in one seating."""


def oriented(points: Sequence[int], rules: Rules) -> tuple[int, ...]:
    """Turn points so that more is better: in Hearts few points are good."""
    return tuple(-each for each in points) if rules.low_is_better else tuple(points)


def place_points(points: Sequence[int]) -> tuple[int, ...]:
    """
    Give for each 2 for every other that it beats, and 1 for every tie.

    >>> place_points([7, 3, 3, -5])
    (6, 3, 3, 0)
    """
    return tuple(sum((one > other) * 2 + (one == other) for other in points) - 1 for one in points)


def put_last(points: Sequence[int], places: Sequence[int]) -> tuple[int, ...]:
    """
    Put some behind all others on a board, level with each other.

    >>> put_last([7, 3, 5, -5], [0, 2])
    (-6, 3, -6, -5)
    """
    behind = min((own for place, own in enumerate(points) if place not in places), default=0) - 1
    return tuple(behind if place in places else own for place, own in enumerate(points))


def board_points(result: TableResult) -> dict[int, int]:
    """Give each one's place points over all boards of a table."""
    total = Counter[int](dict.fromkeys(result.table, 0))
    for points in result.boards:
        total.update(dict(zip(result.table, place_points(points), strict=True)))
    return dict(total)


def match_points(result: TableResult) -> dict[int, int]:
    """Give each one's place points by the totals of a table."""
    return dict(zip(result.table, place_points(match_totals(result)), strict=True))


def pair_boards(result: TableResult, *, is_match: bool = False) -> Iterable[tuple[int, int, int, int]]:
    """
    Give for each pair a, b of a table: a, b, twice the boards that a won of b (a tie is half), and the boards.

    Args:
        result: What the table played.
        is_match: Whether the table's totals count as one board.
    """
    boards = (match_totals(result),) if is_match else result.boards
    for i, j in combinations(range(len(result.table)), 2):
        won = sum((points[i] > points[j]) * 2 + (points[i] == points[j]) for points in boards)
        yield result.table[i], result.table[j], won, len(boards)


def performance(numbers: Sequence[int], results: Iterable[TableResult], games: bool) -> dict[int, float]:
    """
    Estimate the strengths that explain all boards best, however strong the opponents were: Elo, of mean 1500.

    It is the estimate of the ladder's standings (`ladder.ratings.batch`), with every board as a match of one board.

    Args:
        numbers: Of all who are to be estimated; stand-ins among their opponents are estimated with them.
        results: What was played.
        games: Whether each result is one game, which says as much as `GAME_BOARDS` boards.
    """
    results = list(results)
    if not results:
        return dict.fromkeys(numbers, 1500.0)
    found = estimate_of(numbers, results, games)
    elo = dict(zip(found.versions.tolist(), found.ratings.tolist(), strict=True))
    return {number: round(elo[number], 2) for number in numbers}


def estimate_of(numbers: Sequence[int], results: Sequence[TableResult], games: bool) -> Estimate:
    """Estimate strengths as `performance` does, with their covariance; there is at least one result."""
    import numpy as np

    from ladder.ratings.batch import fit, pair_weight
    from ladder.ratings.elo import steepness

    pairs = [pair for result in results for pair in pair_boards(result)]
    everyone = sorted({*numbers, *(one for result in results for one in result.table)})
    a, b, won, boards = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    weight = pair_weight(len(results[0].table))
    steep = steepness(GAME_BOARDS if games else 1)
    return fit(everyone, a, b, won / 2.0, boards.astype(np.float64), weight, steep)


@dataclass(frozen=True)
class Sums:
    """The scores of those in a stage."""

    numbers: tuple[int, ...]
    results: tuple[TableResult, ...]
    games: bool

    def board_places(self) -> dict[int, float]:
        """Sum up the place points of all boards."""
        return self._sum(board_points)

    def match_places(self) -> dict[int, float]:
        """Sum up the place points of all matches."""
        return self._sum(match_points)

    def points(self) -> dict[int, float]:
        """Add up card points, more being better."""
        return self._sum(lambda result: dict(zip(result.table, match_totals(result), strict=True)), 1)

    def card_points(self) -> dict[int, float]:
        """Give the card points a deal, more being better."""
        deals = self._sum(lambda result: dict.fromkeys(result.table, result.deals), 1)
        return {number: each / max(deals[number], 1) for number, each in self.points().items()}

    def boards_won(self) -> dict[int, float]:
        """Count the boards that were won outright."""
        return self._sum(_outright, 1)

    def performance(self) -> dict[int, float]:
        """See `performance`."""
        return performance(self.numbers, self.results, self.games)

    def opponents(self) -> dict[int, float]:
        """Give the mean board points of the opponents."""
        own = self.board_places()
        met = defaultdict[int, list[float]](list)
        for result in self.results:
            for one in result.table:
                met[one] += [own[other] for other in result.table if other != one and other in own]
        return {number: math.fsum(met[number]) / max(len(met[number]), 1) for number in self.numbers}

    def head_to_head(self, tied: Sequence[int]) -> dict[int, float]:
        """Give what the *tied* won of each other, if each met each on as many boards; else 0 for all."""
        won, met = dict.fromkeys(tied, 0), Counter[tuple[int, int]]()
        for result in self.results:
            for a, b, half, boards in pair_boards(result):
                if a in won and b in won:
                    won[a] += half
                    won[b] += 2 * boards - half
                    met[min(a, b), max(a, b)] += boards
        every = {met[pair] for pair in combinations(sorted(tied), 2)}
        return {number: won[number] / 2 if len(every) == 1 else 0.0 for number in tied}

    def _sum(self, of: Callable[[TableResult], Mapping[int, int]], unit: int = 2) -> dict[int, float]:
        total = dict.fromkeys(self.numbers, 0)
        for result in self.results:
            for number, each in of(result).items():
                if number in total:
                    total[number] += each
        return {number: each / unit for number, each in total.items()}


def match_totals(result: TableResult) -> tuple[int, ...]:
    """Add up the points of each over all boards."""
    return tuple(map(sum, zip(*result.boards, strict=True)))


def _outright(result: TableResult) -> dict[int, int]:
    best = 2 * (len(result.table) - 1)
    won = Counter[int](dict.fromkeys(result.table, 0))
    for points in result.boards:
        won.update(one for one, each in zip(result.table, place_points(points), strict=True) if each == best)
    return dict(won)


def competing(numbers: Iterable[int]) -> list[int]:
    """Leave out stand-ins."""
    return [number for number in numbers if not is_stand_in(number)]


AFTER_PLAY_OFF = ("card points", "lot")
"""Tie-breaks that decide only where there is no play-off."""
SCORES = {
    "board places": "board points",
    "match places": "match places",
    "performance": "performance",
    "points": "points",
}
"""By a stage's standings: the criterion."""


Figures = tuple[float | None, ...]
"""By criterion; None: that criterion says nothing of this entrant."""


@dataclass(frozen=True)
class Reason:
    """The reason that one entrant is before the next."""

    criterion: str
    own: float | None = None
    """None: no figures decided."""
    next: float | None = None

    def text(self, own: float | None, following: float | None) -> str:
        """Write it; with figures only if they are those that the standings show of the two."""
        if self.own is None or self.next is None or (self.own, self.next) != (own, following):
            return self.criterion
        return f"{self.criterion}: {figure(self.own)} to {figure(self.next)}"


@dataclass(frozen=True)
class Ranked:
    """One place of the standings."""

    number: int
    place: int
    """Those who are level have the same."""
    values: Figures
    why: str
    """The reason that it is before the next one; empty for the last."""
    stage: int | None = None
    """The place in the file of the stage whose figures these are; None: it has played in none."""
    out_after: int | None = None
    """The round of that stage after which it went out; None: it is still in, or has played the last one."""
    margin: EventMargin | None = None
    """Its distance from the next one (`ladder.events.margins`); None: the score does not say it."""

    def shown(self, names: Mapping[int, str], event: Event) -> EventPlace:
        """Give it as users see it."""
        stage = "" if self.stage is None else event.stages[self.stage].name
        return EventPlace(
            place=self.place, name=names[self.number], values=self.values, why=self.why, stage=stage,
            out_after=self.out_after, margin=self.margin,
        )  # fmt: skip


def figure(value: float) -> str:
    """
    Write a figure of the standings, with as many of its six decimals as it needs.

    >>> figure(1234567.5), figure(2.0), figure(-5.333333)
    ('1234567.5', '2', '-5.333333')
    """
    return f"{value + 0.0:.6f}".rstrip("0").rstrip(".")


def criteria_of(standings: str, tie_breaks: Sequence[str]) -> tuple[str, ...]:
    """Give what decides, in order: the score, then the tie-breaks, those last that count only without a play-off."""
    first = SCORES[standings]
    criteria = (first, *(each for each in tie_breaks if each != first))
    return (*before_play_off(criteria), *(each for each in criteria if each in AFTER_PLAY_OFF))


def before_play_off(criteria: Sequence[str]) -> tuple[str, ...]:
    """Give the criteria that count before anybody plays off."""
    return tuple(each for each in criteria if each not in AFTER_PLAY_OFF)


def tied_groups(sums: Sums, criteria: Sequence[str], lots: Lots, *words: str | int) -> list[list[int]]:
    """Give the numbers in order, those in one list who are level by all *criteria*."""
    return list(_split(list(sums.numbers), sums, criteria, lots, words))


def ranked(
    sums: Sums,
    criteria: Sequence[str],
    groups: Sequence[Sequence[int]],
    reasons: Mapping[tuple[int, int], str],
    lots: Lots,
    *words: str | int,
    among: Sequence[Sequence[int]] = (),
) -> list[Ranked]:
    """
    Describe an order.

    Args:
        sums: What was scored.
        criteria: What decided.
        groups: The order, those who are level together.
        reasons: Why the first of a pair is before the second, where not the criteria decided.
        lots: Where lots come from.
        words: What they are for.
        among: Those who were compared among themselves alone; all others with all.
    """
    parts = [replace(sums, numbers=tuple(part)) for part in among]
    part_of = {number: part for part in parts for number in part.numbers}
    figures: dict[int, Figures] = {}
    for part in [sums, *parts]:
        figures |= _figures(part, criteria, lots, words)
    rows, place = list[Ranked](), 1
    order = [number for group in groups for number in group]
    group_of = {number: index for index, group in enumerate(groups) for number in group}
    for index, number in enumerate(order):
        after = order[index + 1] if index + 1 < len(order) else None
        level = after is not None and group_of[number] == group_of[after]
        why = ""
        if level:
            why = "level"
        elif after is not None and not (why := reasons.get((number, after), "")):
            part = part_of.get(number, sums)
            found = reason(number, after, part if after in part.numbers else sums, criteria, lots, *words)
            column = criteria.index(found.criterion) if found.criterion in criteria else None
            why = found.criterion if column is None else found.text(figures[number][column], figures[after][column])
        rows.append(Ranked(number, place, figures[number], why))
        place = place if level else len(rows) + 1
    return rows


def _figures(sums: Sums, criteria: Sequence[str], lots: Lots, words: tuple[str | int, ...]) -> dict[int, Figures]:
    """
    Give what each has of all criteria.

    Head to head is told of those who are level by what comes before it, as it decides among them.
    """
    columns, level = list[dict[int, float | None]](), [list(sums.numbers)]
    for criterion in criteria:
        column: dict[int, float | None] = {}
        for tied in level if criterion == "head to head" else [list(sums.numbers)]:
            values = _values(sums, criterion, tied, lots, words)
            says = criterion != "head to head" or any(values.values())
            column |= {number: values[number] if says else None for number in tied}
        columns.append(column)
        level = [
            [number for number in tied if column[number] == value]
            for tied in level
            for value in dict.fromkeys(column[number] for number in tied)
        ]
    return {number: tuple(column[number] for column in columns) for number in sums.numbers}


def reason(a: int, b: int, sums: Sums, criteria: Sequence[str], lots: Lots, *words: str | int) -> Reason:
    """Say why *a* is before *b*: the first of the *criteria* that separates them, else a lot."""
    tied = list(sums.numbers)
    for criterion in criteria:
        values = _values(sums, criterion, tied, lots, words)
        if values[a] != values[b]:
            return Reason(criterion, values[a], values[b]) if criterion != "lot" else Reason("lot")
        tied = [number for number in tied if values[number] == values[a]]
    return Reason("lot")


def _split(
    tied: list[int], sums: Sums, criteria: Sequence[str], lots: Lots, words: tuple[str | int, ...]
) -> Iterator[list[int]]:
    if len(tied) <= 1 or not criteria:
        yield from [tied] * bool(tied)
        return
    values = _values(sums, criteria[0], tied, lots, words)
    for value in sorted({values[number] for number in tied}, reverse=True):
        yield from _split([number for number in tied if values[number] == value], sums, criteria[1:], lots, words)


def _values(
    sums: Sums, criterion: str, tied: Sequence[int], lots: Lots, words: tuple[str | int, ...]
) -> dict[int, float]:
    """Give what each has of a criterion; more is better."""
    match criterion:
        case "head to head":
            return sums.head_to_head(tied) if len(tied) < len(sums.numbers) else dict.fromkeys(tied, 0.0)
        case "lot":
            return {number: float(lots.number(*words, "lot", number) >> 12) for number in tied}
        case "board points":
            return sums.board_places()
        case "match places":
            return sums.match_places()
        case "boards won":
            return sums.boards_won()
        case "card points":
            return {number: round(each, 6) for number, each in sums.card_points().items()}
        case "opponents":
            return {number: round(each, 6) for number, each in sums.opponents().items()}
        case "performance":
            return sums.performance()
        case _:
            return sums.points()

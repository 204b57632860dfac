"""The order of a stage: its score, then the tie-breaks one after another, and why one is before the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ladder.values.events import EventPlace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ladder.events.lots import Lots
    from ladder.events.scoring import Sums
    from ladder.values.events import Event

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

    def shown(self, names: Mapping[int, str], event: Event) -> EventPlace:
        """Give it as users see it."""
        stage = "" if self.stage is None else event.stages[self.stage].name
        return EventPlace(place=self.place, name=names[self.number], values=self.values, why=self.why, stage=stage)


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

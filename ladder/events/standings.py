"""The order of a stage: its score, then the tie-breaks one after another, and why one is before the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ladder.events.lots import Lots
    from ladder.events.scoring import Sums

AFTER_PLAY_OFF = ("card points", "lot")
"""Tie-breaks that decide only where there is no play-off."""
SCORES = {
    "board places": "board points",
    "match places": "match places",
    "performance": "performance",
    "points": "points",
}
"""By a stage's standings: the criterion."""


@dataclass(frozen=True)
class Ranked:
    """One place of the standings."""

    number: int
    place: int
    """Those who are level have the same."""
    values: tuple[float, ...]
    """By criterion."""
    why: str
    """Why it is before the next one; empty for the last."""


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
    """
    columns = [_values(sums, each, list(sums.numbers), lots, words) for each in criteria]
    rows, place = list[Ranked](), 1
    order = [number for group in groups for number in group]
    group_of = {number: index for index, group in enumerate(groups) for number in group}
    for index, number in enumerate(order):
        after = order[index + 1] if index + 1 < len(order) else None
        level = after is not None and group_of[number] == group_of[after]
        why = ""
        if after is not None:
            why = (
                "level"
                if level
                else reasons.get((number, after)) or reason(number, after, sums, criteria, lots, *words)
            )
        rows.append(Ranked(number, place, tuple(column[number] for column in columns), why))
        place = place if level else len(rows) + 1
    return rows


def reason(a: int, b: int, sums: Sums, criteria: Sequence[str], lots: Lots, *words: str | int) -> str:
    """Say why *a* is before *b*: the first of the *criteria* that separates them, else a lot."""
    tied = list(sums.numbers)
    for criterion in criteria:
        values = _values(sums, criterion, tied, lots, words)
        if values[a] != values[b]:
            return f"{criterion}: {values[a]:g} to {values[b]:g}" if criterion != "lot" else "lot"
        tied = [number for number in tied if values[number] == values[a]]
    return "lot"


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

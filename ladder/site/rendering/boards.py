"""The boards of a match side by side: what each brought every bot, how far bots differ there, and which decided."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.matches import DealScores, MatchScores

SHADES = 3
"""Shades of each of two colours, for how far a bot is from the mean of a board."""
FEW = 3
"""The most boards that are said to have decided a match."""


@dataclass(frozen=True)
class BoardRow:
    """One board, in all its rotations; in a match without boards, one deal."""

    board: int
    deals: tuple[DealScores, ...]
    """By rotation."""
    points: tuple[float, ...]
    """Of each bot, the mean of its deals."""
    ahead: tuple[float, ...]
    """By how many points a deal each bot did better than the mean of all; more is better in every variant."""
    faults: tuple[int, ...]
    """Of each bot."""

    @property
    def swing(self) -> float:
        """Points a deal between the best bot and the worst."""
        return max(self.ahead) - min(self.ahead)


@dataclass(frozen=True)
class Decisive:
    """A few boards that decided a match."""

    boards: tuple[int, ...]
    """Their numbers. Without them the second would have done at least as well as the first."""
    first: str
    second: str


def board_rows(scores: MatchScores) -> list[BoardRow]:
    """Give the boards of a match, those with the greatest swing first; without boards, its deals in order."""
    sign = -1 if scores.low_is_better else 1
    rows = [_row(board, tuple(deals), sign) for board, deals in groupby(scores.deals, lambda deal: deal.board)]
    has_rotations = any(len(row.deals) > 1 for row in rows)
    return sorted(rows, key=lambda row: -row.swing) if has_rotations else rows


def shades(rows: Sequence[BoardRow]) -> dict[int, tuple[int, ...]]:
    """
    Give the shade of each bot at each board: 0 near the mean, up to `SHADES` far ahead, down to -`SHADES` far behind.

    The greatest difference of the match has the strongest shade.
    """
    most = max((abs(ahead) for row in rows for ahead in row.ahead), default=0.0)
    return {row.board: tuple(round(SHADES * ahead / most) if most else 0 for ahead in row.ahead) for row in rows}


def decisive(scores: MatchScores, rows: Sequence[BoardRow]) -> Decisive | None:
    """Find the boards that decided who is first; None if they are many, or most of the match, or two bots are equal."""
    sums = [sum(row.ahead[bot] for row in rows) for bot in range(len(scores.bots))]
    first, second = sorted(range(len(sums)), key=lambda bot: -sums[bot])[:2]
    lead, found = sums[first] - sums[second], list[int]()
    gains = sorted(((row.ahead[first] - row.ahead[second], row.board) for row in rows), reverse=True)
    if lead <= 0:
        return None
    for gain, board in gains:
        if lead <= 0:
            break
        lead -= gain
        found.append(board)
    if len(found) > min(FEW, len(rows) // 3):
        return None
    return Decisive(tuple(sorted(found)), scores.bots[first], scores.bots[second])


def _row(board: int, deals: tuple[DealScores, ...], sign: int) -> BoardRow:
    points = tuple(sum(each) / len(deals) for each in zip(*(deal.scores for deal in deals), strict=True))
    mean = sum(points) / len(points)
    return BoardRow(
        board,
        deals,
        points,
        tuple(sign * (each - mean) for each in points),
        tuple(map(sum, zip(*(deal.faults for deal in deals), strict=True))),
    )

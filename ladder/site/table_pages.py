"""What the page of the standings shows: one page of rows, and the scale of their bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.site import VariantSummary
    from ladder.values.standings import StandingRow, Standings

ROWS = 100
"""Rows on one page."""
MEAN = 1500.0
"""The mean of the active ones (docs/ratings.md)."""
LEAST_SPAN = 50.0
"""Elo to both sides of the mean that the bands show at least."""


@dataclass(frozen=True)
class Span:
    """The part of the Elo scale that the bands of a page show."""

    low: float
    high: float

    def at(self, elo: float, width: float) -> float:
        """Where a rating lies, from 0 to *width*."""
        part = (elo - self.low) / (self.high - self.low)
        return round(width * min(1.0, max(0.0, part)), 1)


def span_of(rows: Sequence[StandingRow]) -> Span:
    """The scale on which all rows, their errors and the mean lie."""
    ends = [row.elo + sign * (row.error or 0.0) for row in rows for sign in (-1, 1)]
    return Span(min([*ends, MEAN - LEAST_SPAN]), max([*ends, MEAN + LEAST_SPAN]))


def standings(
    table: Standings, variants: Sequence[VariantSummary], search: str, everyone: bool, page: int
) -> dict[str, object]:
    """Choose the rows that a reader has asked for, by name or owner."""
    wanted = search.casefold()
    rows = [row for row in table.standings if wanted in row.bot.casefold() or wanted in row.owner.casefold()]
    pages = max(1, -(-len(rows) // ROWS))
    page = min(page, pages)
    return {
        "table": table,
        "variants": variants,
        "rows": rows[(page - 1) * ROWS : page * ROWS],
        "found": len(rows),
        "span": span_of(table.standings),
        "mean": MEAN,
        "search": search,
        "everyone": everyone,
        "page": page,
        "pages": pages,
    }

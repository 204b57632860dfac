"""What pages with long tables show: some of the rows, and the scale of their bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.values.bots import BotRow
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
    scale = {"span": span_of(table.standings), "mean": MEAN}
    return {"table": table, "variants": variants, "everyone": everyone, **scale, **_page(table.standings, search, page)}


def bots(all_bots: Sequence[BotRow], search: str, page: int) -> dict[str, object]:
    """Do the same with all bots of a ladder."""
    return _page(all_bots, search, page)


def _page(all_rows: Sequence[StandingRow] | Sequence[BotRow], search: str, page: int) -> dict[str, object]:
    wanted = search.casefold()
    rows = [row for row in all_rows if wanted in row.bot.casefold() or wanted in row.owner.casefold()]
    pages = max(1, -(-len(rows) // ROWS))
    page = min(page, pages)
    shown = rows[(page - 1) * ROWS : page * ROWS]
    return {"rows": shown, "found": len(rows), "search": search, "page": page, "pages": pages}

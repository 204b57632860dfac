"""What pages with long tables show: some of the rows, and the scale of their bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app import overview
from ladder.app.standings_page import ROWS, named, number_of, standings_page
from ladder.ratings.elo import START

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.bots import BotRow

LEAST_SPAN = 50.0
"""Elo to both sides of `START` that the bands show at least."""


@dataclass(frozen=True)
class Span:
    """The part of the Elo scale that the bands of a page show."""

    low: float
    high: float

    def at(self, elo: float, width: float) -> float:
        """Give the position of a rating, from 0 to *width*."""
        part = (elo - self.low) / (self.high - self.low)
        return round(width * min(1.0, max(0.0, part)), 1)


def span_of(low: float | None, high: float | None) -> Span:
    """The scale on which all rows, their errors and `START` lie; *low* and *high* are their ends, if there are any."""
    ends = [end for end in (low, high) if end is not None]
    return Span(min([*ends, START - LEAST_SPAN]), max([*ends, START + LEAST_SPAN]))


def standings(ladder: Ladder, variant: str, search: str, everyone: bool, page: int) -> dict[str, object]:
    """
    Read the rows that a reader has asked for, by name or owner.

    Raises:
        LadderError: If the ladder does not play that variant.
    """
    found = standings_page(ladder, variant, search, everyone, page)
    return {
        "table": found.table,
        "rows": found.table.standings,
        "likely": found.likely,
        "page": found.page,
        "pages": found.pages,
        "span": span_of(found.extent.low, found.extent.high),
        "start": START,
        "variants": overview.variants(ladder, first=0),
        "search": search,
        "everyone": everyone,
    }


def bots(all_bots: Sequence[BotRow], search: str, page: int) -> dict[str, object]:
    """Do the same with all bots of a ladder."""
    rows = named(all_bots, search)
    page, pages = number_of(len(rows), page)
    shown = rows[(page - 1) * ROWS : page * ROWS]
    return {"rows": shown, "found": len(rows), "search": search, "page": page, "pages": pages}

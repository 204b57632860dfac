"""Contents of pages with long tables: some of the rows, and the scale of their bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.app import bots as bots_of_ladder
from ladder.app import overview
from ladder.app.accounts.groups import groups
from ladder.app.standings_page import ROWS, named, number_of, standings_page
from ladder.ratings.elo import START
from ladder.values.order import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.app.ladder import Ladder
    from ladder.values.bots import BotRow
    from ladder.values.order import Column

TOP = 10
"""Bots whose ratings are drawn."""
MIN_SPAN = 50.0
"""Elo to both sides of `START` that the bands show at least."""
MIN_POINTS = 1.0
"""Points a deal to both sides of the field that they show at least."""


@dataclass(frozen=True)
class Span:
    """The part of the scale that the bands of a page show: Elo, or points a deal."""

    low: float
    high: float

    def at(self, value: float, width: float) -> float:
        """Give the position of a rating or margin, from 0 to *width*."""
        part = (value - self.low) / (self.high - self.low)
        return round(width * min(1.0, max(0.0, part)), 1)


def span_of(low: float | None, high: float | None, start: float = START, least: float = MIN_SPAN) -> Span:
    """
    Give the scale on which all rows, their errors and *start* lie.

    Args:
        low: Where they begin, if there are any.
        high: Where they end.
        start: What is in it in any case, with *least* to both sides.
        least: In the unit of the rows.
    """
    ends = [end for end in (low, high) if end is not None]
    return Span(min([*ends, start - least]), max([*ends, start + least]))


def standings(
    ladder: Ladder,
    variant: str,
    search: str,
    everyone: bool,
    page: int,
    by: Order | None = None,
    sort: Column | None = None,
    group: str | None = None,
) -> dict[str, object]:
    """
    Read the rows that a reader has asked for, by name or owner, or by the owner's group.

    They are in the order *by* (None: as the organiser has set it), or sorted by the column *sort*.

    Raises:
        LadderError: If the ladder does not play that variant, or has no such group.
    """
    found = standings_page(ladder, variant, search, everyone, page, by, sort, group)
    scale = (0.0, MIN_POINTS) if found.table.by == Order.POINTS else (START, MIN_SPAN)
    return {
        "table": found.table,
        "rows": found.table.standings,
        "likely": found.likely,
        "page": found.page,
        "pages": found.pages,
        "span": span_of(found.extent.low, found.extent.high, *scale),
        "start": scale[0],
        "chosen": by,
        "sort": sort,
        "top": bots_of_ladder.top_curves(ladder, variant, TOP) if found.page == 1 and not search and not group else (),
        "variants": overview.variants(ladder, first=0),
        "has_old_seasons": found.has_old_seasons,
        "search": search,
        "everyone": everyone,
        "group": group,
        "groups": [row.name for row in groups(ladder)],
    }


def bots(all_bots: Sequence[BotRow], search: str, page: int) -> dict[str, object]:
    """Do the same with all bots of a ladder."""
    rows = named(all_bots, search)
    page, pages = number_of(len(rows), page)
    shown = rows[(page - 1) * ROWS : page * ROWS]
    return {"rows": shown, "found": len(rows), "search": search, "page": page, "pages": pages}

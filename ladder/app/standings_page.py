"""
Standings of a variant in two forms: pages of some rows, and CSV.

A page has some rows at a time, because a thousand bots take ten times as long as a hundred. The CSV is the one that
`pigpen standings --csv` prints and that the site offers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from ladder.store import lookup
from ladder.store.commands.groups import group_owners
from ladder.store.queries.standings import extent, neighbours, standings
from ladder.values.order import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ladder.app.ladder import Ladder
    from ladder.store.queries.standings import Extent
    from ladder.values.bots import BotRow
    from ladder.values.order import Order
    from ladder.values.standings import StandingRow, Standings


Row = TypeVar("Row", "StandingRow", "BotRow")
ROWS = 100
"""Rows on one page."""

KEYS: dict[Column, Callable[[StandingRow], float | None]] = {
    Column.MATCHES: lambda row: -row.matches,
    Column.PLACES: lambda row: -row.shares[0] if row.shares else None,
    Column.FAULTS: lambda row: row.fault_rate,
    Column.TREND: lambda row: None if row.change is None else -row.change,
}
"""Sort keys of rows; the smallest comes first."""


@dataclass(frozen=True)
class StandingsPage:
    """Some rows of the standings of a variant."""

    table: Standings
    """The variant, and the rows of this page."""
    page: int
    """From 1."""
    pages: int
    extent: Extent
    """Of all that are ranked, whatever was searched for."""
    likely: dict[tuple[str, int], float]
    """Probability, 0 to 1, that each is stronger than the one ranked next, by bot and number of the version."""
    has_old_seasons: bool
    """True if a season of the variant is over."""


def standings_page(
    ladder: Ladder,
    variant: str,
    search: str = "",
    everyone: bool = False,
    page: int = 1,
    by: Order | None = None,
    sort: Column | None = None,
    group: str | None = None,
) -> StandingsPage:
    """
    Read one page of the standings of a variant.

    Args:
        ladder: The ladder.
        variant: Its name.
        search: A part of the name of the bot or of its owner; empty: all of them.
        everyone: With those that are suspended or retired, behind the others.
        page: From 1; the last one if there are fewer.
        by: What to order them by; None: what the organiser has set.
        sort: The column by which to sort them instead; None: none.
        group: Only bots of accounts in this group; None: all.

    Raises:
        LadderError: If the ladder does not play that variant, or has no such group.
    """
    with ladder.database.read() as session:
        there = lookup.find_variant(session, variant)
        by, house = by or ladder.settings.standings_by, ladder.settings.fill_with_house_bots
        scale = extent(session, there, everyone, by)
        if search or sort or group:
            owners = group_owners(session, group) if group else None
            table = standings(session, there, everyone, by=by, house_bots=house, owners=owners)
            rows = in_order(named(table.standings, search), sort)
            number, pages = number_of(len(rows), page)
            shown = rows[(number - 1) * ROWS : number * ROWS]
            table = table.model_copy(update={"standings": shown})
            return StandingsPage(table, number, pages, scale, neighbours(session, variant, by=by), there.season > 1)
        number, pages = number_of(scale.rows, page)
        skipped = (number - 1) * ROWS
        table = standings(session, there, everyone, ROWS, skipped, by, house)
        likely = neighbours(session, variant, ROWS, skipped, by)
        return StandingsPage(table, number, pages, scale, likely, there.season > 1)


def named(rows: Sequence[Row], search: str) -> tuple[Row, ...]:
    """Give the rows whose name, or whose owner's name, contains the search text, in capitals or not."""
    wanted = search.casefold()
    return tuple(row for row in rows if wanted in row.bot.casefold() or wanted in row.owner.casefold())


def in_order(rows: tuple[StandingRow, ...], sort: Column | None) -> tuple[StandingRow, ...]:
    """Sort rows by a column; those that have nothing there are last, equal ones stay in their order."""
    if sort is None:
        return rows
    if sort is Column.BOT:
        return tuple(sorted(rows, key=lambda row: (row.bot.casefold(), row.bot, row.version)))
    key = KEYS[sort]
    return tuple(sorted(rows, key=lambda row: (key(row) is None, key(row) or 0.0)))


def number_of(rows: int, page: int) -> tuple[int, int]:
    """Give the number of the page that is shown when *page* is asked for, and how many there are."""
    pages = max(1, -(-rows // ROWS))
    return min(page, pages), pages

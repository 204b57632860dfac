"""The match-up matrix of a variant, and the page of an owner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app import bots
from ladder.site.server.viewer import NO_PAGE

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.site.server.context import Site
    from ladder.values.bots import Matchup
    from ladder.values.standings import StandingRow

router = APIRouter()
FIRST = 12
"""Bots of the matrix: what fits a page."""
SHADES = 3
STRONGEST = 0.3
"""Difference of a share of boards from one half at which the shade is strongest."""


@router.get("/v/{variant}/matchups")
def matchups(request: Request, variant: str) -> Response:
    """Show how the best bots of a variant have done against each other."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = bots.matchups(site.ladder, variant, FIRST)
        pairs = {(each.bot, each.other): each for each in found.pairs}
        return {"found": found, "pairs": pairs, "share_of": share_of, "shade_of": shade_of}

    return site.pages.page(request, "matchups.html", make)


@router.get("/o/{name}")
def owner(request: Request, name: Annotated[str, Path(max_length=64)]) -> Response:
    """Show the bots of an owner, and how they stand."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = bots.bots(site.ladder, owner=name)
        if not found:
            raise HTTPException(404, NO_PAGE)
        return {"owner": name, "bots": found, "rows": standing_rows(site.ladder, name)}

    return site.pages.page(request, "owner.html", make)


def standing_rows(ladder: Ladder, owner: str) -> list[tuple[str, StandingRow]]:
    """Give the rows of an owner's bots in the standings, with their variants; those that are not active last."""
    found = [
        (table.variant, row)
        for table in bots.standings(ladder, everyone=True)
        for row in table.standings
        if row.owner == owner
    ]
    return sorted(found, key=lambda each: (each[1].rank is None, each[0], each[1].rank or 0))


def share_of(pair: Matchup) -> float:
    """Give the share of boards on which the first was better; of matches, where no board is known."""
    return pair.board_score / pair.boards if pair.boards else pair.score / pair.matches


def shade_of(share: float) -> int:
    """
    Give the shade of a share: 0 near one half, up to 3 far above it, down to -3 far below it.

    >>> [shade_of(share) for share in (0.5, 0.53, 0.62, 0.9, 0.1)]
    [0, 0, 1, 3, -3]
    """
    return max(-SHADES, min(SHADES, round(SHADES * (share - 0.5) / STRONGEST)))

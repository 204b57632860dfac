"""The seasons of a variant, and the standings of those that are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request

from ladder.app import bots
from ladder.app.seasons import seasons as read_seasons

if TYPE_CHECKING:
    from starlette.responses import Response

    from ladder.site.server.context import Site

router = APIRouter()


@router.get("/v/{variant}/seasons")
def seasons(
    request: Request, variant: str, name: Annotated[str | None, Query(alias="season", max_length=64)] = None
) -> Response:
    """List the seasons of a variant, with the standings at the end of one of them; by default of the last one."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = read_seasons(site.ladder, variant)
        over = [each.name for each in found if each.ended is not None]
        chosen = name or (over[-1] if over else None)
        table = bots.standings(site.ladder, variant, season=chosen)[0] if chosen else None
        return {"variant": found[-1].variant, "seasons": found[::-1], "chosen": chosen, "table": table}

    return site.pages.page(request, "seasons.html", make)

"""The pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app import bots, overview
from ladder.site import table_pages

if TYPE_CHECKING:
    from ladder.site.context import Site

router = APIRouter()


@router.get("/")
def home(request: Request) -> Response:
    """What is played here, and who is best."""
    site: Site = request.app.state.site
    return site.pages.page(request, "home.html", lambda: {"variants": overview.variants(site.ladder)})


@router.get("/v")
def first_variant(request: Request) -> Response:
    """The standings of the variant that has the most matches."""
    site: Site = request.app.state.site
    found = overview.variants(site.ladder, first=1)
    if not found:
        return RedirectResponse("/")
    return RedirectResponse(f"/v/{max(found, key=lambda one: one.matches).variant}")


@router.get("/v/{variant}")
def standings(
    request: Request,
    variant: str,
    search: Annotated[str, Query(alias="q", max_length=64)] = "",
    everyone: Annotated[bool, Query(alias="all")] = False,
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """Who is best in a variant."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        (table,) = bots.standings(site.ladder, variant, everyone)
        return table_pages.standings(table, overview.variants(site.ladder, first=0), search, everyone, page)

    return site.pages.page(request, "standings.html", make)

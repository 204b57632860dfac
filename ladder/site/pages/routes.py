"""The pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app import bots, matches, overview
from ladder.app.accounts.links import site_address
from ladder.app.dataset.offered import has_dataset
from ladder.errors import LadderError
from ladder.site.pages import bots as bot_pages
from ladder.site.pages import help as help_pages
from ladder.site.pages import matches as match_pages
from ladder.site.rendering import long_tables as table_pages
from ladder.site.server.context import MAX_NUMBER
from ladder.values.order import Column, Order
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()


@router.get("/v")
def first_variant(request: Request) -> Response:
    """Show the standings of the variant that has the most matches, in the language that is asked for."""
    site: Site = request.app.state.site
    found = overview.variants(site.ladder, first=1)
    path = f"/v/{max(found, key=lambda one: one.matches).variant}" if found else "/"
    return RedirectResponse(str(request.url.replace(scheme="", netloc="", path=path)))


@router.get("/v/{variant}")
def standings(
    request: Request,
    variant: str,
    search: Annotated[str, Query(alias="q", max_length=64)] = "",
    everyone: Annotated[bool, Query(alias="all")] = False,
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
    by: Annotated[Order | None, Query()] = None,
    sort: Annotated[Column | None, Query()] = None,
) -> Response:
    """Show the standings of a variant."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        return table_pages.standings(site.ladder, variant, search, everyone, page, by, sort)

    try:
        return site.pages.page(request, "standings.html", make)
    except LadderError:
        if variant == variant.lower():
            raise
        return RedirectResponse(str(request.url.replace(scheme="", netloc="", path=f"/v/{quote(variant.lower())}")))


@router.get("/b")
def all_bots(
    request: Request,
    search: Annotated[str, Query(alias="q", max_length=64)] = "",
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """Show every bot, by name."""
    site: Site = request.app.state.site
    return site.pages.page(request, "bots.html", lambda: table_pages.bots(bots.bots(site.ladder), search, page))


@router.get("/b/{name}")
def one_bot(request: Request, name: str, variant: Annotated[str, Query(alias="v", max_length=64)] = "") -> Response:
    """Show all there is to know of a bot, or of one of its versions, in one variant."""
    site: Site = request.app.state.site
    try:
        return site.pages.page(request, "bot.html", lambda: bot_pages.bot(site.ladder, name, variant))
    except LadderError:
        spelled = bots.spelled(site.ladder, name)
        if spelled is None or spelled == name:
            raise
        return RedirectResponse(str(request.url.replace(scheme="", netloc="", path=f"/b/{quote(spelled)}")))


@router.get("/m")
def all_matches(
    request: Request,
    variant: Annotated[str, Query(max_length=64)] = "",
    bot: Annotated[str, Query(max_length=80)] = "",
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
) -> Response:
    """Show results, the newest first."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = matches.newest(site.ladder, variant or None, bot or None, before)
        names = overview.variants(site.ladder, first=0)
        return {"list": found, "variants": names, "variant": variant, "bot": bot, "before": before}

    return site.pages.page(request, "matches.html", make)


@router.get("/m/{number}")
def one_match(request: Request, number: Annotated[int, Path(ge=1, le=MAX_NUMBER)]) -> Response:
    """Show a match: its result, its boards, why the ratings moved, its seed."""
    site: Site = request.app.state.site
    return site.pages.page(request, "match.html", lambda: match_pages.match(site.ladder, number))


@router.get("/rules/{variant}")
def rules(request: Request, variant: str) -> Response:
    """Show the rules of a variant in words."""
    site: Site = request.app.state.site
    return site.pages.page(request, "rules.html", lambda: help_pages.rules(site.ladder, variant))


@router.get("/help")
def helping(request: Request) -> Response:
    """Explain how to enter a bot, how ratings work, and why deals can be trusted."""
    site: Site = request.app.state.site
    return site.pages.page(request, "help.html", lambda: help_values(site))


def help_values(site: Site) -> dict[str, object]:
    """Give what the help shows: rules, commands, and whether there is a data set."""
    return {"presets": PRESETS.values(), "has_data": has_dataset(site.ladder.settings.data_dir), **entering(site)}


def entering(site: Site) -> dict[str, object]:
    """Give the values for the commands that install Pigpen and enter a bot."""
    return {"address": site_address(site.ladder.settings), "has_wheels": bool(site.wheels)}


@router.get("/api")
def api(request: Request) -> Response:
    """List the addresses of the API."""
    site: Site = request.app.state.site
    return site.pages.page(request, "api.html", lambda: {"operations": help_pages.operations(request.app.openapi())})

"""
Pages and API routes that compare bots: two beside each other, the matrix of match-ups, an owner's, a bot's style.

Records, for two bots beside each other and for the style of a bot, are read by the process that computes. The match-up
matrix is that of a variant.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app import bots, overview
from ladder.app.computing.comparing import compare_bots, style
from ladder.errors import LadderError
from ladder.matches.compared_records import MIN_BOARDS
from ladder.ratings.means import MIN_SIDES
from ladder.site.rendering.cache import key_of
from ladder.site.rendering.long_tables import span_of
from ladder.site.server.headers import json_of
from ladder.site.server.problems import DOCUMENTED_COMPUTING as DOCUMENTED
from ladder.site.server.problems import NOT_SERVED, again, asker_of
from ladder.site.server.routing import Router
from ladder.site.server.viewer import NO_PAGE
from ladder.values.bot_comparison import BotComparison, BotStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.site.rendering.long_tables import Span
    from ladder.site.server.context import Site
    from ladder.values.bot_comparison import DealCost, MeanOfBoards, SeatPoints
    from ladder.values.bots import Matchup

api = Router()
style_api = Router()
style_pages = Router()
matchups_router = Router()
pages = Router()
JSON = "application/json"
OFFERED = 100
"""Bots that the form proposes at most."""
MIN_SPAN = 1.0
"""Points a deal to both sides of 0 that bars show at least."""
SURE = 0.05
"""Below it a difference is more than chance allows."""
Name = Annotated[str, Path(max_length=80)]
AnyName = Annotated[str, Query(max_length=80)]
AnyVariant = Annotated[str, Query(alias="v", max_length=64)]


@api.get("/bots/{name}/against/{other}", response_model=BotComparison, responses=DOCUMENTED)
def against(
    request: Request, name: Name, other: Name, variant: Annotated[str | None, Query(max_length=64)] = None
) -> Response:
    """Compare two bots in a variant: what they scored against each other, when, and whether they favour each other."""
    site: Site = request.app.state.site
    asker = asker_of(request)
    try:
        return site.answers.respond(
            request, key_of(request), lambda: (json_of(_whole(site, name, other, variant, asker)), JSON)
        )
    except _NotWhole as some:
        return Response(json_of(some.found), 200 if some.found.sources else 202, again(request), JSON)


@pages.get("/compare")
def choose(request: Request, one: AnyName = "", two: AnyName = "", variant: AnyVariant = "") -> Response:
    """Let a visitor choose two bots; both chosen, lead to their comparison."""
    site: Site = request.app.state.site
    one, two = one.strip(), two.strip()
    if one and two:
        return RedirectResponse(address(one, two, variant), 303)
    values = {"found": None, "one": one, "two": two, **_form(site, variant)}
    return site.pages.page(request, "compare.html", lambda: values)


@pages.get("/compare/{one}/{two}")
def compare(request: Request, one: Name, two: Name, variant: AnyVariant = "") -> Response:
    """Compare two bots, as far as that is known."""
    site: Site = request.app.state.site
    asker = asker_of(request)

    def values(found: BotComparison) -> dict[str, Any]:
        return {"found": found, "one": one, "two": two, "not_served": NOT_SERVED, "spans": _spans(found), "sure": SURE,
                "min_boards": MIN_BOARDS, "min_sides": MIN_SIDES, **_form(site, found.variant)}  # fmt: skip

    try:
        return site.pages.page(request, "compare.html", lambda: values(_whole(site, one, two, variant or None, asker)))
    except _NotWhole as some:
        return site.pages.fresh_page(request, "compare.html", values(some.found))
    except LadderError:
        first, second = (bots.spelled(site.ladder, name) or name for name in (one, two))
        if (first, second) == (one, two):
            raise
        return RedirectResponse(address(first, second, variant))


def address(one: str, two: str, variant: str = "") -> str:
    """
    Give the address of a comparison.

    >>> address("Trotter@2", "a/b", "gongzhu")
    '/compare/Trotter%402/a%2Fb?v=gongzhu'
    """
    query = f"?{urlencode({'v': variant})}" if variant else ""
    return f"/compare/{quote(one, safe='')}/{quote(two, safe='')}{query}"


class _NotWhole(Exception):
    """A comparison of which some is still being computed: it is given as it is, and not kept."""

    def __init__(self, found: BotComparison) -> None:
        super().__init__()
        self.found = found


def _whole(site: Site, one: str, two: str, variant: str | None, asker: str) -> BotComparison:
    """Compare two bots, for an answer that is kept until the ladder changes."""
    found = compare_bots(site.ladder, one, two, variant, asker)
    if found.computing is not None:
        raise _NotWhole(found)
    return found


def _form(site: Site, variant: str) -> dict[str, Any]:
    """Give what can be chosen: the variants, and the best bots of the one that is looked at."""
    variants = overview.variants(site.ladder, first=0)
    known = variant if variant in {each.variant for each in variants} else ""
    offered: list[str] = []
    if known or variants:
        most = known or max(variants, key=lambda each: each.matches).variant
        (table,) = bots.standings(site.ladder, most, first=OFFERED)
        offered = sorted(row.bot for row in table.standings)
    return {"variant": known, "variants": variants, "offered": offered}


def _spans(found: BotComparison) -> dict[str, Any]:
    """Give the scales on which the bars of each table lie."""
    return {
        "phases": _span([each.difference for each in found.phases]),
        "favours": _span([each.points for each in found.favours]),
    }


def _span(means: list[MeanOfBoards]) -> object:
    low = min((each.mean - each.error for each in means), default=None)
    high = max((each.mean + each.error for each in means), default=None)
    return span_of(low, high, 0.0, MIN_SPAN)


FIRST = 12
"""Bots of the matrix: what fits a page."""
SHADES = 3
STRONGEST = 0.3
"""Difference of a share of boards from one half at which the shade is strongest."""


@matchups_router.get("/v/{variant}/matchups")
def matchups(request: Request, variant: str) -> Response:
    """Show how the best bots of a variant have done against each other."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = bots.matchups(site.ladder, variant, FIRST)
        pairs = {(each.bot, each.other): each for each in found.pairs}
        return {"found": found, "pairs": pairs, "share_of": share_of, "shade_of": shade_of}

    return site.pages.page(request, "matchups.html", make)


@matchups_router.get("/o/{name}")
def owner(request: Request, name: Annotated[str, Path(max_length=64)]) -> Response:
    """Show the bots of an owner, and how they stand."""
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        found = bots.bots(site.ladder, owner=name)
        if not found:
            raise HTTPException(404, NO_PAGE)
        return {"owner": name, "bots": found, "rows": bots.standings_of_owner(site.ladder, name)}

    return site.pages.page(request, "owner.html", make)


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


@style_api.get("/bots/{name}/style", response_model=BotStyle, responses=DOCUMENTED)
def bot_style(request: Request, name: str, variant: Annotated[str | None, Query(max_length=64)] = None) -> Response:
    """Say how a bot plays in a variant: shares of its decisions beside those of the bots that it has met."""
    site: Site = request.app.state.site
    found = style(site.ladder, name, variant, asker_of(request))
    body = json_of(found)
    if found.computing is not None:
        return Response(body, 200 if found.sources else 202, again(request), JSON)
    return site.fixed.respond(request, f"{request.url.path} {hashlib.sha256(body).hexdigest()}", lambda: (body, JSON))


@style_pages.get("/b/{name}/style")
def style_page(request: Request, name: str, variant: Annotated[str, Query(alias="v", max_length=64)] = "") -> Response:
    """Show how a bot plays, as far as that is known."""
    site: Site = request.app.state.site
    found = style(site.ladder, name, variant or None, asker_of(request))
    others = [each.others.mean for each in found.costs if each.others]
    values = {
        "found": found,
        "name": name,
        "not_served": NOT_SERVED,
        "span": _span_of_bars(found.seats),
        "cost_span": _span_of_bars([each.own for each in found.costs], others),
    }
    return site.pages.fresh_page(request, "style.html", values)


def _span_of_bars(bars: Sequence[SeatPoints | DealCost], marks: Sequence[float] = ()) -> Span:
    """Choose a scale on which all bars and marks are seen."""
    low = min((*(each.mean - each.error for each in bars), *marks), default=None)
    high = max((*(each.mean + each.error for each in bars), *marks), default=None)
    return span_of(low, high, 0.0, MIN_SPAN)

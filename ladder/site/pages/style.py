"""The style of a bot; records are read by the process that computes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ladder.app.computing.style import style
from ladder.site.rendering.long_tables import span_of
from ladder.site.server.computing import DOCUMENTED, NOT_SERVED, again, asker_of
from ladder.site.server.fresh import json_of
from ladder.values.style import BotStyle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ladder.site.rendering.long_tables import Span
    from ladder.site.server.context import Site
    from ladder.values.style import DealCost, SeatPoints

api = APIRouter()
pages = APIRouter()
JSON = "application/json"
MIN_SPAN = 1.0
"""Points a deal to both sides of 0 that bars show at least."""


@api.get("/bots/{name}/style", response_model=BotStyle, responses=DOCUMENTED)
def bot_style(request: Request, name: str, variant: Annotated[str | None, Query(max_length=64)] = None) -> Response:
    """Say how a bot plays in a variant: shares of its decisions beside those of the bots that it has met."""
    site: Site = request.app.state.site
    found = style(site.ladder, name, variant, asker_of(request))
    body = json_of(found)
    if found.computing is not None:
        return Response(body, 200 if found.sources else 202, again(request), JSON)
    return site.fixed.respond(request, f"{request.url.path} {hashlib.sha256(body).hexdigest()}", lambda: (body, JSON))


@pages.get("/b/{name}/style")
def style_page(request: Request, name: str, variant: Annotated[str, Query(alias="v", max_length=64)] = "") -> Response:
    """Show how a bot plays, as far as that is known."""
    site: Site = request.app.state.site
    found = style(site.ladder, name, variant or None, asker_of(request))
    others = [each.others.mean for each in found.costs if each.others]
    values = {
        "found": found,
        "name": name,
        "not_served": NOT_SERVED,
        "span": _span(found.seats),
        "cost_span": _span([each.own for each in found.costs], others),
    }
    return site.pages.fresh_page(request, "style.html", values)


def _span(bars: Sequence[SeatPoints | DealCost], marks: Sequence[float] = ()) -> Span:
    """Choose a scale on which all bars and marks are seen."""
    low = min((*(each.mean - each.error for each in bars), *marks), default=None)
    high = max((*(each.mean + each.error for each in bars), *marks), default=None)
    return span_of(low, high, 0.0, MIN_SPAN)

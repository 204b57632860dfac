"""The API's answer to what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from ladder.app.whats_new import whats_new
from ladder.site.server.fresh import fresh
from ladder.site.server.viewer import viewer_of
from ladder.values.value import Time
from ladder.values.whats_new import WhatsNew

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()
Since = Annotated[Time | None, Query(description="With its time zone: 2026-11-27T20:00:00Z.")]


@router.get("/new", response_model=WhatsNew)
def new(request: Request, since: Since = None) -> Response:
    """Give upsets and bots that came and went; with `since` what has happened since then, with a token to own bots."""
    site: Site = request.app.state.site
    return fresh(whats_new(site.ladder, since.timestamp() if since else None, viewer_of(request).name))

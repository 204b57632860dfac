"""The page of what is new: since the reader's last visit, upsets of the day, bots that came and went, feeds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.app import overview
from ladder.app.whats_new import whats_new
from ladder.site.server.last_visit import keep_visit, visit_of
from ladder.site.server.viewer import viewer_of

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()


@router.get("/new")
def new(request: Request) -> Response:
    """Show what is new; the browser remembers when it was here, in a cookie."""
    site: Site = request.app.state.site
    now = time.time()
    visit, account = visit_of(request, now), viewer_of(request).name

    def make() -> dict[str, object]:
        found = whats_new(site.ladder, visit.before or None, account)
        return {
            "since": found.since,
            "upsets": found.upsets,
            "news": found.news,
            "variants": overview.names_of(site.ladder),
            "account": account,
        }

    response = site.pages.page(request, "new.html", make, about=f"{visit.before} {account}")
    keep_visit(request, response, visit, now)
    return response

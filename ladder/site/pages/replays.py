"""The pages that show recorded deals card by card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.app.replay import deal_replayed, sees_more
from ladder.site.api.replays import BoardNumber, MatchNumber, RotationNumber
from ladder.site.pages import recorded_deal as replay_pages
from ladder.site.server.viewer import viewer_of

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()


@router.get("/m/{match}/boards/{board}/{rotation}")
def deal(request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Show one deal of a match."""
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    if sees_more(site.ladder, match, viewer):
        shown = deal_replayed(site.ladder, match, board, rotation, viewer=viewer)
        return site.pages.fresh_page(request, "replay.html", replay_pages.deal(shown))

    def make() -> dict[str, object]:
        return replay_pages.deal(deal_replayed(site.ladder, match, board, rotation))

    return site.pages.page(request, "replay.html", make)


@router.get("/replay")
def file(request: Request) -> Response:
    """Replay and verify a record that stays on the reader's computer."""
    site: Site = request.app.state.site
    return site.pages.page(request, "replay_file.html", dict)

"""The pictures that previews of links show; each shows what its page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request

from ladder.app import matches
from ladder.app.replay import deal_replayed
from ladder.site.api.replays import BoardNumber, MatchNumber, RotationNumber
from ladder.site.pictures import previews
from ladder.site.server.context import MAX_NUMBER

if TYPE_CHECKING:
    from starlette.responses import Response

    from ladder.site.server.context import Site

router = APIRouter()
PNG = "image/png"


@router.get("/picture.png")
def site_picture(request: Request) -> Response:
    """Draw what stands for pages without a picture of their own."""
    site: Site = request.app.state.site
    return site.fixed.respond(request, request.url.path, lambda: (previews.of_site(), PNG))


@router.get("/m/{number}/picture.png")
def match_picture(request: Request, number: Annotated[int, Path(ge=1, le=MAX_NUMBER)]) -> Response:
    """Draw a match."""
    site: Site = request.app.state.site
    return site.answers.respond(
        request, request.url.path, lambda: (previews.of_match(matches.match(site.ladder, number)), PNG)
    )


@router.get("/m/{match}/boards/{board}/{rotation}/picture.png")
def deal_picture(request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Draw one deal of a match."""
    site: Site = request.app.state.site
    return site.answers.respond(
        request,
        request.url.path,
        lambda: (previews.of_deal(deal_replayed(site.ladder, match, board, rotation)), PNG),
    )

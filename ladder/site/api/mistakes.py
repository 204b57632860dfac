"""The API's mistakes in a recorded deal: estimated on request by the process that computes, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder.app.computing.mistakes import mistakes as find_mistakes
from ladder.site.api.replays import BoardNumber, MatchNumber, RotationNumber
from ladder.site.server.computing import DOCUMENTED, asker_of
from ladder.site.server.fresh import json_of
from ladder.values.why import Mistakes

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()
JSON = "application/json"


@router.get(
    "/matches/{match}/boards/{board}/rotations/{rotation}/mistakes", response_model=Mistakes, responses=DOCUMENTED
)
def mistakes(request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Find the decisions of a deal, by all its bots, that cost points by an estimate from what each seat knew."""
    site: Site = request.app.state.site

    def make() -> tuple[bytes, str]:
        return json_of(find_mistakes(site.ladder, match, board, rotation, asker_of(request))), JSON

    return site.fixed.respond(request, request.url.path, make)

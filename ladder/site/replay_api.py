"""The API's deals of recorded matches, and the records themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import FileResponse, Response

from ladder.app import matches
from ladder.app.replay import deal_replayed
from ladder.errors import UserError
from ladder.site.api import answer
from ladder.values.replay import DealReplayed

if TYPE_CHECKING:
    from ladder.site.context import Site

router = APIRouter()
MatchNumber = Annotated[int, Path(ge=0, le=2**31 - 1, description="The number of the match.")]
BoardNumber = Annotated[
    int, Path(ge=0, le=100_000, description="The number of the board; where there are none, of the deal.")
]
TableNumber = Annotated[
    int, Path(ge=0, le=7, description="The number of the table, which is the board's rotation; else 0.")
]
Seat = Annotated[int | None, Query(ge=0, le=7, description="Only what this seat knew; else all hands.")]


@router.get("/matches/{match}/boards/{board}/tables/{table}", response_model=DealReplayed)
def deal(request: Request, match: MatchNumber, board: BoardNumber, table: TableNumber, seat: Seat = None) -> Response:
    """Give one deal at one table of a match, moment by moment."""
    site: Site = request.app.state.site
    return answer(request, lambda: deal_replayed(site.ladder, match, board, table, seat))


@router.get("/matches/{match}/record", response_class=FileResponse)
def record(request: Request, match: MatchNumber) -> Response:
    """Give the record of a match as it is stored: JSON Lines, packed with gzip."""
    site: Site = request.app.state.site
    path = matches.record_of(site.ladder, match)
    if not path.is_file():
        raise UserError(f"The record of match {match} is not there any more.")
    name = f"match-{match}.jsonl.gz"
    return FileResponse(
        path, media_type="application/gzip", filename=name, headers={"Cache-Control": "private, no-cache"}
    )

"""The API's deals of recorded matches, and the records themselves."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import FileResponse, Response

from ladder.app import matches
from ladder.app.replay import deal_replayed, sees_more
from ladder.errors import UserError
from ladder.site.api.routes import answer
from ladder.site.server.fresh import fresh
from ladder.site.server.viewer import viewer_of
from ladder.values.replay import DealReplayed

if TYPE_CHECKING:
    from pathlib import Path as PathOnDisk

    from ladder.site.server.context import Site

router = APIRouter()
MatchNumber = Annotated[int, Path(ge=0, le=10**15, description="The number of the match.")]
BoardNumber = Annotated[
    int,
    Path(ge=1, le=100_001, description="The number of the board, from 1; in a match without boards, of the deal."),
]
RotationNumber = Annotated[
    int, Path(ge=1, le=8, description="The number of the board's rotation, from 1; in a match without boards, 1.")
]
Seat = Annotated[int | None, Query(ge=0, le=7, description="Only what this seat knew; else all hands.")]


@router.get("/matches/{match}/boards/{board}/rotations/{rotation}", response_model=DealReplayed)
def deal(
    request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber, seat: Seat = None
) -> Response:
    """Give one deal of a match, moment by moment."""
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    if sees_more(site.ladder, match, viewer):
        return fresh(deal_replayed(site.ladder, match, board, rotation, seat, viewer))
    return answer(request, lambda: deal_replayed(site.ladder, match, board, rotation, seat))


@router.get("/matches/{match}/record", response_class=FileResponse)
def record(request: Request, match: MatchNumber) -> Response:
    """Give the record of a match as it is stored: JSON Lines, packed with gzip; `Repr-Digest` has its SHA-256."""
    site: Site = request.app.state.site
    path = matches.record_of(site.ladder, match)
    if not path.is_file():
        raise UserError(f"The record of match {match} is not there any more.")
    found = path.stat()
    digest = _sha256(path, found.st_mtime_ns, found.st_size)
    headers = {
        "Cache-Control": "private, no-cache",
        "ETag": f'"{digest.hex()}"',
        "Repr-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:",
    }
    if digest.hex() in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return FileResponse(path, media_type="application/gzip", filename=f"match-{match}.jsonl.gz", headers=headers)


@lru_cache(maxsize=1024)
def _sha256(path: PathOnDisk, changed: int, size: int) -> bytes:
    """Hash a file; it is another one when its time or size is."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()

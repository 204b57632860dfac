"""
The API's recorded matches: their deals, the records themselves, the mistakes in them, and the data set.

Mistakes in a recorded deal are estimated on request by the process that computes, and kept. The routes for the data set
give its manifest and its files.
"""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import FileResponse, Response

from ladder.app import matches
from ladder.app.computing.why import mistakes as find_mistakes
from ladder.app.dataset.offered import dataset_file, offered_dataset
from ladder.app.match_replay import deal_replayed, sees_more
from ladder.errors import LadderError, UserError
from ladder.site.api.routes import answer
from ladder.site.server.headers import fresh, json_of
from ladder.site.server.problems import DOCUMENTED_COMPUTING as DOCUMENTED
from ladder.site.server.problems import asker_of
from ladder.site.server.routing import Router
from ladder.site.server.viewer import viewer_of
from ladder.values.matches import DealReplayed
from ladder.values.reports import DatasetManifest
from ladder.values.why import Mistakes

if TYPE_CHECKING:
    from pathlib import Path as PathOnDisk

    from ladder.site.server.context import Site

router = Router()
mistakes_router = Router()
dataset_router = Router()
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


JSON = "application/json"


@mistakes_router.get(
    "/matches/{match}/boards/{board}/rotations/{rotation}/mistakes", response_model=Mistakes, responses=DOCUMENTED
)
def mistakes(request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Find the decisions of a deal, by all its bots, that cost points by an estimate from what each seat knew."""
    site: Site = request.app.state.site

    def make() -> tuple[bytes, str]:
        return json_of(find_mistakes(site.ladder, match, board, rotation, asker_of(request))), JSON

    return site.fixed.respond(request, request.url.path, make)


PARQUET = "application/vnd.apache.parquet"
CHECKED = {"Cache-Control": "no-cache"}
"""Kept, but looked after each time: an export writes some files anew."""
Name = Annotated[str, Path(max_length=80)]


@dataset_router.get("/data", response_model=DatasetManifest)
def manifest(request: Request) -> Response:
    """Give the manifest of the data set: licence, rows of each table, size and SHA-256 of each file."""
    site: Site = request.app.state.site
    return fresh(offered_dataset(site.ladder.settings.data_dir))


@dataset_router.get(
    "/data/{table}/{part}",
    response_class=FileResponse,
    responses={200: {"content": {PARQUET: {}}, "description": "A Parquet file"}},
)
def part(request: Request, table: Name, part: Name) -> Response:
    """Give a file of the data set."""
    site: Site = request.app.state.site
    path = dataset_file(site.ladder.settings.data_dir, f"{table}/{part}")
    if not path.is_file():
        raise LadderError(f"The data set has no file '{table}/{part}'.")
    return FileResponse(path, media_type=PARQUET, filename=f"{table}-{part}", headers=CHECKED)

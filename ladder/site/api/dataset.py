"""The API's routes for the data set: its manifest and its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import FileResponse, Response

from ladder.app.dataset.offered import dataset_file, offered_dataset
from ladder.errors import LadderError
from ladder.site.server.fresh import fresh
from ladder.values.dataset import DatasetManifest

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()
PARQUET = "application/vnd.apache.parquet"
CHECKED = {"Cache-Control": "no-cache"}
"""Kept, but looked after each time: an export writes some files anew."""
Name = Annotated[str, Path(max_length=80)]


@router.get("/data", response_model=DatasetManifest)
def manifest(request: Request) -> Response:
    """Give the manifest of the data set: licence, rows of each table, size and SHA-256 of each file."""
    site: Site = request.app.state.site
    return fresh(offered_dataset(site.ladder.settings.data_dir))


@router.get(
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

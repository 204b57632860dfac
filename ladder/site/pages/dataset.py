"""The page of the data set."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request

from ladder.app.accounts.links import site_address
from ladder.app.dataset.offered import offered_dataset

if TYPE_CHECKING:
    from starlette.responses import Response

    from ladder.site.server.context import Site

router = APIRouter()
SHOWN = 60
"""Files listed on the page; the manifest has all."""


@router.get("/data")
def dataset(request: Request) -> Response:
    """Give what the data set holds, under which licence, and its files."""
    site: Site = request.app.state.site
    found = offered_dataset(site.ladder.settings.data_dir)
    sizes: Counter[str] = Counter()
    for each in found.files:
        sizes[each.name.partition("/")[0]] += each.bytes
    newest = sorted(found.files, key=lambda each: each.name.partition("/")[2], reverse=True)[:SHOWN]
    values = {"found": found, "sizes": sizes, "newest": newest, "address": site_address(site.ladder.settings)}
    return site.pages.fresh_page(request, "dataset.html", values)

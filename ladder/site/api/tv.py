"""The API's ladder TV: which board to watch next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app.tv import MATCHES, tv_next
from ladder.site.api.routes import answer
from ladder.site.server.context import MAX_NUMBER
from ladder.values.tv import TvNext

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()
Seen = Annotated[
    str,
    Query(max_length=20 * MATCHES, pattern=r"^(\d{1,18}(,\d{1,18})*)?$", description="Matches watched: 17,18,21."),
]
First = Annotated[int | None, Query(ge=1, le=MAX_NUMBER, description="The match to begin with.")]


@router.get("/tv", response_model=TvNext)
def tv(request: Request, seen: Seen = "", first: First = None) -> Response:
    """Choose a board of the newest matches to watch: by how close the match was, how strong its bots, its swing."""
    site: Site = request.app.state.site
    numbers = {int(each) for each in seen.split(",") if each}
    if len(numbers) > MATCHES:
        raise HTTPException(422, f"Name at most {MATCHES} matches.")
    return answer(request, lambda: tv_next(site.ladder, numbers, first))

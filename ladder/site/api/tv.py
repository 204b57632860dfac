"""The API's ladder TV: which board to watch next."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app.computing.asking import computing_files
from ladder.app.tv import MATCHES, tv_next
from ladder.site.api.routes import answer
from ladder.site.server.context import MAX_NUMBER
from ladder.values.tv import TvNext

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
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
    return answer(request, lambda: _next(site.ladder, numbers, first))


def _next(ladder: Ladder, seen: set[int], first: int | None) -> TvNext:
    """Choose the board, and see whether its decisions may be asked for."""
    is_estimating = computing_files(ladder).is_alive(time.time())
    return TvNext(board=tv_next(ladder, seen, first), is_estimating=is_estimating)

"""The worth of decisions: estimated on request by the process that computes, and kept."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from ladder.app import matches
from ladder.app.computing import why as estimates
from ladder.app.local.reading import Where
from ladder.site.api.replays import BoardNumber, RotationNumber
from ladder.site.server.computing import DOCUMENTED, NOT_SERVED, again, asker_of
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.fresh import json_of
from ladder.values.why import Costliest, Inbox, Why

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.site.server.context import Site
    from ladder.values.value import Value

api = APIRouter()
pages = APIRouter()
JSON = "application/json"
MAX_INBOX_MATCHES = 5
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
SeatNumber = Annotated[int, Path(ge=0, le=MAX_NUMBER)]


def estimated(request: Request, make: Callable[[], Value], worst: int = 0) -> Response:
    """Answer with an estimate, which stays as it is: it follows from the record, and from *worst*."""
    site: Site = request.app.state.site
    return site.fixed.respond(request, f"{request.url.path} {worst}", lambda: (json_of(make()), JSON))


@api.get(
    "/matches/{number}/boards/{board}/rotations/{rotation}/steps/{step}/why", response_model=Why, responses=DOCUMENTED
)
def why(request: Request, number: Number, board: BoardNumber, rotation: RotationNumber, step: Number) -> Response:
    """Estimate what each choice of a decision was worth, from what its seat knew; steps count from 1."""
    site: Site = request.app.state.site

    def make() -> Why:
        has_boards = matches.public_match(site.ladder, number).format.startswith("boards:")
        where = Where(board=board, rotation=rotation) if has_boards else Where(deal=board)
        return estimates.why(site.ladder, number, step, where, asker=asker_of(request))

    return estimated(request, make)


@api.get("/matches/{number}/seats/{seat}/costliest", response_model=Costliest, responses=DOCUMENTED)
def costliest(
    request: Request, number: Number, seat: SeatNumber, worst: Annotated[int, Query(ge=1, le=20)] = 5
) -> Response:
    """Find the decisions that cost a bot most in a match, by estimate."""
    site: Site = request.app.state.site
    asker = asker_of(request)
    return estimated(request, lambda: estimates.costliest(site.ladder, number, str(seat), worst, asker=asker), worst)


@api.get("/bots/{name}/inbox", response_model=Inbox, responses=DOCUMENTED)
def inbox(request: Request, name: str) -> Response:
    """Give the costliest decisions of a bot in its newest matches, as far as they are found, and its newest faults."""
    site: Site = request.app.state.site
    found = estimates.inbox(site.ladder, name, MAX_INBOX_MATCHES, asker=asker_of(request))
    body = json_of(found)
    if found.computing is not None:
        return Response(body, 200 if found.matches else 202, again(request), JSON)
    return site.fixed.respond(request, f"{request.url.path} {hashlib.sha256(body).hexdigest()}", lambda: (body, JSON))


@pages.get("/b/{name}/inbox")
def inbox_page(request: Request, name: str) -> Response:
    """Show what the owner of a bot should look at: its costliest decisions, as far as found, and its faults."""
    site: Site = request.app.state.site
    found = estimates.inbox(site.ladder, name, MAX_INBOX_MATCHES, asker=asker_of(request))
    return site.pages.fresh_page(request, "inbox.html", {"inbox": found, "name": name, "not_served": NOT_SERVED})

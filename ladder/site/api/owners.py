"""The API's routes for owners of bots: what their bots printed, and taking them out of the ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from ladder.app.logs import logs as read_logs
from ladder.app.states import allow_people, retire
from ladder.entry.policy import Act
from ladder.site.api.routes import Number
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.fresh import fresh
from ladder.site.server.viewer import FOR_PEOPLE, demand, viewer_of
from ladder.values.bots import PeopleAllowed, PeoplePermission, Retired, Retirement
from ladder.values.logs import SeatLog

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()
Seat = Annotated[str, Path(max_length=80, description="The bot's number in the match, or its name.")]


@router.get("/matches/{number}/seats/{seat}/logs", response_model=list[SeatLog])
def logs(
    request: Request, number: Number, seat: Seat, rotation: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None
) -> Response:
    """Give the end of what a bot printed in a match, to its owner and to organisers."""
    site: Site = request.app.state.site
    return fresh(read_logs(site.ladder, viewer_of(request), number, seat, rotation))


@router.post("/bots/{name}/retirement", response_model=list[Retired], dependencies=FOR_PEOPLE)
def retirement(request: Request, name: Annotated[str, Path(max_length=80)], wanted: Retirement) -> Response:
    """Take a bot, or one of its versions, out of the matches to come; it must be one's own, or one is an organiser."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.SUBMIT)
    return fresh(retire(site.ladder, viewer, name, wanted.variants, wanted.reason))


@router.post("/bots/{name}/people", response_model=PeopleAllowed, dependencies=FOR_PEOPLE)
def people(request: Request, name: Annotated[str, Path(max_length=80)], wanted: PeoplePermission) -> Response:
    """Let people play with a bot at their tables, or no longer; it must be one's own, or one is an organiser."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.SUBMIT)
    return fresh(allow_people(site.ladder, viewer, name, wanted.allowed))

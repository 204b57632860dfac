"""The API of events: everybody reads them, owners enter their bots, organisers hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Path, Request
from starlette.responses import Response, StreamingResponse

from ladder.app.event import export_file, holding, reading
from ladder.entry.policy import Act
from ladder.site.api.submissions import not_taken
from ladder.site.server.headers import fresh, json_of
from ladder.site.server.routing import Router, parts_in_turn
from ladder.site.server.viewer import FOR_PEOPLE, demand
from ladder.values.accounts import ANONYMOUS
from ladder.values.held_events import EventAct, EventDone, EventOrder, EventPage, EventRow
from referee.records.rules_file import rules_from

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.site.server.context import Site

router = Router()
personal = Router(dependencies=FOR_PEOPLE)
Name = Annotated[str, Path(max_length=64)]
JSON = "application/json"
CSV = "text/csv; charset=utf-8"
CSV_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "A heading, then the lines"}
}
BY_OWNERS = ("enter", "check-in", "withdraw", "reveal")


def revision(request: Request, event: str | None = None) -> str:
    """Give what answers about events depend on besides the ladder's own revision."""
    site: Site = request.app.state.site
    return reading.revision(site.ladder, event)


@router.get("/events", response_model=list[EventRow])
def all_events(request: Request) -> Response:
    """Give all events, the newest first."""
    site: Site = request.app.state.site
    key = f"{request.url.path} {revision(request)}"
    return site.answers.respond(request, key, lambda: (json_of(reading.events(site.ladder)), JSON))


@router.get("/events/{event}", response_model=EventPage)
def one_event(request: Request, event: Name) -> Response:
    """Give one event: its file, entrants, rounds, results and standings, as far as they are public."""
    site: Site = request.app.state.site
    key = f"{request.url.path} {revision(request, event)}"
    return site.answers.respond(request, key, lambda: (json_of(reading.event(site.ladder, ANONYMOUS, event)), JSON))


@router.get("/events/{event}/standings.csv", response_class=Response, responses=CSV_RESPONSE)
def standings(request: Request, event: Name) -> Response:
    """Give the standings of an event as CSV, a line for each bot."""
    return _csv(request, event, reading.standings_csv)


@router.get("/events/{event}/tables.csv", response_class=Response, responses=CSV_RESPONSE)
def tables(request: Request, event: Name) -> Response:
    """Give all tables of an event as CSV, a line for each bot at each table, as far as they are public."""
    return _csv(request, event, reading.tables_csv)


def _csv(request: Request, event: str, write: Callable[[EventPage], str]) -> Response:
    site: Site = request.app.state.site
    key = f"{request.url.path} {revision(request, event)}"
    return site.answers.respond(
        request, key, lambda: (write(reading.event(site.ladder, ANONYMOUS, event)).encode(), CSV)
    )


@router.get(
    "/events/{event}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}, "description": "Its seed, draws, results and records"}},
)
def export(request: Request, event: Name) -> Response:
    """Give an event that is over as one file, with which anyone can verify it: `pigpen event verify FILE`."""
    site: Site = request.app.state.site
    _, chunks = export_file.exported_chunks(site.ladder, event)
    headers = {"Content-Disposition": f'attachment; filename="{event}.zip"', "Cache-Control": "no-store"}
    return StreamingResponse(parts_in_turn(request, chunks), headers=headers, media_type="application/zip")


@personal.get("/events/{event}/everything", response_model=EventPage)
def everything(request: Request, event: Name) -> Response:
    """Give one event to an organiser, with all that the public may not know yet."""
    site: Site = request.app.state.site
    return fresh(reading.event(site.ladder, demand(request, Act.ADMINISTER), event, everything=True))


@personal.post("/events", response_model=EventPage, status_code=201)
def open_event(request: Request, order: EventOrder) -> Response:
    """Open the registration of an event, for an organiser."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.ADMINISTER)
    with not_taken():
        holding.open_event(site.ladder, viewer, order.name, order.file, rules_from(order.rules))
    return fresh(reading.event(site.ladder, viewer, order.name), 201)


@personal.post("/events/{event}/acts", response_model=EventDone)
def act(request: Request, event: Name, wanted: EventAct) -> Response:
    """Enter, check in or withdraw a bot of one's own; or, as an organiser, do what holding the event needs."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.SUBMIT if wanted.act in BY_OWNERS else Act.ADMINISTER)
    with not_taken():
        return fresh(holding.act(site.ladder, viewer, event, wanted))

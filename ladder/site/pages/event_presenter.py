"""The presenter's page: an organiser shows the results of an event table by table to an audience."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app.event import holding, reading
from ladder.entry.policy import Act
from ladder.site.api.events import Name
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.forms import Form, form_page
from ladder.site.server.viewer import FOR_PEOPLE, demand
from ladder.values.accounts import ANONYMOUS
from ladder.values.held_events import EventState

if TYPE_CHECKING:
    from ladder.site.server.context import Site
    from ladder.values.held_events import EventPage, EventRoundPage, EventTableRow

    Place = tuple[EventRoundPage, EventTableRow]

router = APIRouter(prefix="/events")
Number = Annotated[int | None, Query(ge=1, le=MAX_NUMBER)]


@router.get("/{event}/present", dependencies=FOR_PEOPLE)
def present(request: Request, event: Name, number: Annotated[Number, Query(alias="round")] = None,
            table: Number = None) -> Response:  # fmt: skip
    """Show the result that was released last, and who sits at the next table."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.ADMINISTER)
    public = reading.event(site.ladder, ANONYMOUS, event)
    found = [each for each in _places(public) if each[1].points]
    wanted = [each for each in found if number is None or (each[0].number, each[1].number) == (number, table)]
    is_over = public.state is EventState.OVER
    values = {
        "event": public,
        "shown": wanted[-1] if wanted else None,
        "following": _following(public, reading.event(site.ladder, viewer, event, everything=True)),
        "winner": public.standings[0].name if is_over and public.standings else "",
    }
    return form_page(request, "event_present.html", values)


@router.post("/{event}/present", dependencies=FOR_PEOPLE)
def release(request: Request, event: Name, form: Form) -> Response:
    """Show the next result to everybody."""
    site: Site = request.app.state.site
    shown = holding.release(site.ladder, demand(request, Act.ADMINISTER), event)
    where = f"?round={shown[0]}&table={shown[1]}" if shown else ""
    return RedirectResponse(f"/events/{event}/present{where}", 303)


def _places(page: EventPage) -> list[Place]:
    return [(one, table) for one in page.round_list for table in one.tables]


def _following(public: EventPage, everything: EventPage) -> Place | None:
    """Find the table whose result is to be shown next; None: none that is not shown has a result."""
    done = {(one.number, table.number) for one, table in _places(everything) if table.boards is not None}
    hidden = (each for each in _places(public) if each[1].status == "sealed")
    return next((each for each in hidden if (each[0].number, each[1].number) in done), None)

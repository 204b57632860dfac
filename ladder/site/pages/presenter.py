"""
The presenter's page of an event, on which an organiser shows its results table by table to an audience.

It shows the table whose result was released last with what each bot has now, and who sits at the next one. A style
sheet uncovers the places one after the other, the last one first, and then everything that follows from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app.event import holding, reading
from ladder.entry.policy import Act
from ladder.site.api.events import Name
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, demand, form_page
from ladder.values.accounts import ANONYMOUS
from ladder.values.held_events import EventState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ladder.site.server.context import Site
    from ladder.values.held_events import EventPage, EventRoundPage, EventTableRow

    Place = tuple[EventRoundPage, EventTableRow]

router = Router(prefix="/events")
Number = Annotated[int | None, Query(ge=1, le=MAX_NUMBER)]


@dataclass(frozen=True)
class PresentedBot:
    """A bot at a table."""

    name: str
    before: float
    """Board points from the tables of the stage that were shown before this one."""
    points: float | None
    """Board points of this table; None: they are not shown yet."""
    place: int
    """At the table, from 1; those who are level have the same. 0: not shown yet."""

    @property
    def total(self) -> float:
        """Board points of the stage with those of this table."""
        return self.before + (self.points or 0.0)


@router.get("/{event}/present", dependencies=FOR_PEOPLE)
def present(
    request: Request, event: Name, number: Annotated[Number, Query(alias="round")] = None, table: Number = None
) -> Response:
    """Show the result that was released last, and who sits at the next table."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.ADMINISTER)
    public = reading.event(site.ladder, ANONYMOUS, event)
    found = [each for each in _places(public) if each[1].points]
    wanted = [each for each in found if number is None or (each[0].number, each[1].number) == (number, table)]
    shown = wanted[-1] if wanted else None
    following = _following(public, reading.event(site.ladder, viewer, event, everything=True))
    is_over = public.state is EventState.OVER
    values = {
        "event": public,
        "shown": shown,
        "shown_bots": seated(shown, found) if shown else (),
        "following": following,
        "following_bots": seated(following, found) if following else (),
        "winner": public.standings[0].name if is_over and public.standings else "",
    }
    return form_page(request, "event_present.html", values)


@router.post("/{event}/present", dependencies=FOR_PEOPLE)
def release(request: Request, event: Name, form: Form) -> Response:
    """
    Show the next result to everybody.

    The form names the table that is meant. So a form that is sent again after an answer was lost, or by a second
    organiser, shows no further result.
    """
    site: Site = request.app.state.site
    meant = _number(form.get("round", "")), _number(form.get("table", ""))
    shown = holding.release(site.ladder, demand(request, Act.ADMINISTER), event, only=meant)
    where = f"?round={shown[0]}&table={shown[1]}" if shown else ""
    return RedirectResponse(f"/events/{event}/present{where}", 303)


def _number(text: str) -> int:
    return int(text) if re.fullmatch("[0-9]{1,8}", text) else 0


def seated(place: Place, found: Iterable[Place]) -> Sequence[PresentedBot]:
    """
    Give the bots of a table, the best first, or before its result in the order of what they have.

    Args:
        place: The table.
        found: All tables with results that are shown, in order.
    """
    one, table = place
    earlier = [
        each for other, each in found
        if other.stage == one.stage and (other.number, each.number) < (one.number, table.number)
    ]  # fmt: skip
    totals = dict.fromkeys(table.entrants, 0.0)
    for each in earlier:
        for entrant, points in zip(each.entrants, each.points or (), strict=True):
            if entrant in totals and entrant > 0:
                totals[entrant] += points
    own = table.points or [None] * len(table.bots)
    bots = [
        PresentedBot(name, totals[entrant], points, _place(points, table.points))
        for name, entrant, points in zip(table.bots, table.entrants, own, strict=True)
    ]
    return sorted(bots, key=lambda bot: (bot.place, -bot.total))


def _place(points: float | None, of_all: Sequence[float] | None) -> int:
    return 0 if points is None else 1 + sum(other > points for other in of_all or ())


def _places(page: EventPage) -> list[Place]:
    return [(one, table) for one in page.round_list for table in one.tables]


def _following(public: EventPage, everything: EventPage) -> Place | None:
    """Find the table whose result is to be shown next; None: none that is not shown has a result."""
    done = {(one.number, table.number) for one, table in _places(everything) if table.boards is not None}
    hidden = (each for each in _places(public) if each[1].status == "sealed")
    return next((each for each in hidden if (each[0].number, each[1].number) in done), None)

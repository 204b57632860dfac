"""The pages of events: a list, each event with its rounds, cross table and certificates, and one's own entries."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app import bots
from ladder.app.event import acts, reading
from ladder.entry.policy import Act
from ladder.errors import LadderError
from ladder.events.event_file import parse_event
from ladder.site.accounts.browser_sessions import site_address
from ladder.site.api.events import Name, revision
from ladder.site.pages.event_bracket import bracket, going_on
from ladder.site.pages.event_feeds import calendar, news
from ladder.site.pages.feeds import Feed, newest
from ladder.site.pages.feeds import feed as answer_feed
from ladder.site.server.forms import Form, form_page
from ladder.site.server.viewer import FOR_PEOPLE, NO_PAGE, demand
from ladder.values.accounts import ANONYMOUS
from ladder.values.held_events import EventAct, EventState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer
    from ladder.values.held_events import EventPage, EventRoundPage

router = APIRouter(prefix="/events")
Number = Annotated[int, Path(ge=1, le=10_000)]
Bot = Annotated[str, Path(max_length=80)]
IN_FEED = 10
"""Events of which the feed tells."""
CROSS = 40
"""Entrants of a cross table at most: more do not fit a page."""
NEWEST = 2
"""Rounds on the page of an event; each has a page of its own, too."""


@router.get("")
def all_events(request: Request) -> Response:
    """List all events."""
    site: Site = request.app.state.site
    return site.pages.page(
        request, "events.html", lambda: {"events": reading.events(site.ladder)}, about=revision(request)
    )


@router.get("/feed.atom")
def feed(request: Request) -> Response:
    """Tell feed readers what has happened in the newest events."""
    site: Site = request.app.state.site

    def make() -> Feed:
        pages = [reading.event(site.ladder, ANONYMOUS, each.name) for each in reading.events(site.ladder)[:IN_FEED]]
        return Feed("Events", "/events", newest(news(pages)))

    return answer_feed(request, make, revision(request))


@router.get("/{event}/event.ics")
def times(request: Request, event: Name) -> Response:
    """Give the times of an event for a calendar."""
    site: Site = request.app.state.site
    address = site_address(request)[:-1]

    def make() -> tuple[bytes, str]:
        return calendar(reading.event(site.ladder, ANONYMOUS, event), address), "text/calendar; charset=utf-8"

    return site.answers.respond(request, f"{request.url.path} {address} {revision(request, event)}", make)


@router.get("/{event}")
def one_event(request: Request, event: Name) -> Response:
    """Show an event: what is next, standings, a bracket, the newest rounds, the entrants, and what proves it."""

    def values(page: EventPage) -> dict[str, object]:
        return {"bracket": bracket(page), "newest": tuple(reversed(page.round_list[-NEWEST:]))}

    return _page(request, event, "event.html", values)


@router.get("/{event}/rounds/{number}")
def one_round(request: Request, event: Name, number: Number) -> Response:
    """Show all tables of a round."""

    def values(page: EventPage) -> dict[str, object]:
        if number > len(page.round_list):
            raise HTTPException(404, NO_PAGE)
        return {"round": page.round_list[number - 1]}

    return _page(request, event, "event_round.html", values)


@router.get("/{event}/cross")
def cross(request: Request, event: Name) -> Response:
    """Show how often each beat each."""

    def values(page: EventPage) -> dict[str, object]:
        if not 0 < page.entrants <= CROSS:
            raise HTTPException(404, NO_PAGE)
        return {"numbers": numbers_in_order(page), "points": cross_table(page.round_list)}

    return _page(request, event, "event_cross.html", values)


@router.get("/{event}/certificate/{bot}")
def certificate(request: Request, event: Name, bot: Bot) -> Response:
    """Show a certificate, to be printed on one page, of a bot of an event that is over."""

    def values(page: EventPage) -> dict[str, object]:
        found = [one for one in page.standings if one.name == bot]
        if page.state is not EventState.OVER or not found:
            raise HTTPException(404, NO_PAGE)
        (entrant,) = (one for one in page.entrant_list if one.name == bot)
        return {"one": found[0], "entrant": entrant}

    return _page(request, event, "event_certificate.html", values)


@router.get("/{event}/entries", dependencies=FOR_PEOPLE)
def entries(request: Request, event: Name) -> Response:
    """List one's bots, to enter or withdraw them."""
    return _entries(request, event, demand(request, Act.SUBMIT))


@router.post("/{event}/entries", dependencies=FOR_PEOPLE)
def change_entry(request: Request, event: Name, form: Form) -> Response:
    """Enter one of one's bots, or withdraw it."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.SUBMIT)
    act = EventAct(act="withdraw" if form.get("act") == "withdraw" else "enter", bot=form.get("bot", "")[:80])
    try:
        acts.act(site.ladder, viewer, event, act)
    except LadderError as error:
        return _entries(request, event, viewer, str(error), 422)
    return RedirectResponse(f"/events/{event}/entries", 303)


def _entries(request: Request, event: str, viewer: Viewer, error: str = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    page = reading.event(site.ladder, ANONYMOUS, event)
    own = bots.bots(site.ladder, owner=str(viewer.name))
    play = [one for one in own if any(entry.variant == page.variant for entry in one.entries)]
    entered = {one.name: one for one in page.entrant_list}
    values = {"event": page, "bots": play, "entered": entered, "viewer": viewer, "error": error}
    return form_page(request, "event_entries.html", values, status)


def _page(request: Request, event: str, template: str, more: Callable[[EventPage], Mapping[str, object]]) -> Response:
    site: Site = request.app.state.site

    def make() -> dict[str, object]:
        page = reading.event(site.ladder, ANONYMOUS, event)
        is_over = page.state is EventState.OVER
        values = {"event": page, "winner": page.standings[0].name if is_over and page.standings else ""}
        values["prizes"] = parse_event(page.file).prizes
        return {**values, "has_cross": 0 < page.entrants <= CROSS, "on": going_on(page), **more(page)}

    return site.pages.page(request, template, make, about=revision(request, event))


def numbers_in_order(page: EventPage) -> list[int]:
    """Give the entrants by number, in the order of the standings; before there are any, in that of the list."""
    by_name = {one.name: one.number for one in page.entrant_list}
    return [by_name[one.name] for one in page.standings] or list(by_name.values())


def cross_table(rounds: Sequence[EventRoundPage]) -> dict[tuple[int, int], tuple[float, int]]:
    """
    Give for each two entrants by number the board points of the first against the second, and of how many boards.

    A board is 1 for who has more points on it, and ½ for both if they are level. Stand-ins are left out.
    """
    found: dict[tuple[int, int], tuple[float, int]] = {}
    for table in (each for one in rounds for each in one.tables):
        for seats in combinations(range(len(table.entrants)), 2):
            first, second = (table.entrants[seat] for seat in seats)
            if first < 0 or second < 0:
                continue
            for board in table.boards or ():
                one, other = (board[seat] for seat in seats)
                won = 1 if one > other else 0 if one < other else 0.5
                for pair, points in (((first, second), won), ((second, first), 1 - won)):
                    before, boards = found.get(pair, (0.0, 0))
                    found[pair] = before + points, boards + 1
    return found

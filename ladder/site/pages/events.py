"""
The pages of events: a list, each event with its rounds, cross table and certificates, and one's own entries.

The bracket is of an event whose stages bots leave round by round: it shows who sat at which table, and where each
advanced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app import bots
from ladder.app.event import holding, reading
from ladder.entry.policy import Act
from ladder.errors import LadderError
from ladder.events.event_file import parse_event
from ladder.site.accounts.login import site_address
from ladder.site.api.events import Name, revision
from ladder.site.pages.feeds import Feed, calendar, newest, news
from ladder.site.pages.feeds import feed as answer_feed
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, NO_PAGE, Form, demand, form_page
from ladder.values.accounts import ANONYMOUS
from ladder.values.held_events import EventAct, EventState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer
    from ladder.values.held_events import EventPage, EventRoundPage, EventTableRow


LEAVING = ("pods", "halving")
"""Kinds of stages that bots leave after each round."""
HASH = re.compile("[0-9a-f]{64}")
MAX_SEATS = 64
"""The most seats of a column, play-offs aside; greater rounds have pages of their own only."""


@dataclass(frozen=True)
class Seat:
    """A bot at a table of the bracket."""

    number: int
    """In the event; negative: a stand-in."""
    name: str
    points: float | None
    """Board points; None: not shown yet."""
    to: int | None = None
    """The table of the next column at which it sits, from 1; 0: its next stage has several rounds; None: at none."""


@dataclass(frozen=True)
class Pod:
    """A table of the bracket, or all tables of a stage of several rounds."""

    round: int
    """Within the event, from 1; of a stage its first one."""
    table: int
    """Within the round, from 1; 0: all tables of a stage."""
    is_play_off: bool
    seats: tuple[Seat, ...]
    """The best first, as far as results are shown."""


@dataclass(frozen=True)
class Column:
    """A round and its play-offs, or a stage of several rounds."""

    stage: str
    round: int
    """Within its stage, from 1; 0: all of them."""
    pods: tuple[Pod, ...]

    @property
    def tables(self) -> int:
        """Number of its tables, play-offs aside."""
        return sum(not pod.is_play_off for pod in self.pods)

    def where(self) -> dict[int, int]:
        """Give for each bot by number the table at which it begins: `Seat.to` of the column before."""
        return {
            seat.number: pod.table for pod in self.pods if not pod.is_play_off for seat in pod.seats if seat.number > 0
        }


def going_on(page: EventPage) -> dict[int, frozenset[int]]:
    """Give for each round that bots leave, of pods or halving, who sits at a table of the next one, by number."""
    kinds = _kinds(page)
    rounds = [one for one in page.round_list if one.kind == "round"]
    return {
        one.number: frozenset(number for table in following.tables for number in table.entrants if number > 0)
        for one, following in pairwise(rounds)
        if kinds[one.stage] in LEAVING
    }


def bracket(page: EventPage) -> tuple[Column, ...]:
    """Give the columns from the first round of pods or halving on; none if an event has no such stage, or not yet."""
    kinds = _kinds(page)
    first = next((place for place, one in enumerate(page.round_list) if kinds[one.stage] in LEAVING), None)
    if first is None:
        return ()
    columns = [_column(rounds, kinds) for rounds in _columns(page.round_list[first:], kinds)]
    linked = [_linked(one, following.where()) for one, following in pairwise(columns)] + columns[-1:]
    return tuple(one for one in linked if sum(len(pod.seats) for pod in one.pods if not pod.is_play_off) <= MAX_SEATS)


def _kinds(page: EventPage) -> dict[str, str]:
    return {stage.name: stage.kind for stage in parse_event(page.file).stages}


def _columns(rounds: Iterable[EventRoundPage], kinds: Mapping[str, str]) -> Iterator[list[EventRoundPage]]:
    """Yield the rounds in columns, each with the play-offs after it; a stage that no bot leaves meanwhile is one."""
    found: list[EventRoundPage] = []
    for one in rounds:
        is_same = bool(found) and one.stage == found[-1].stage
        if found and not (one.kind == "play-off" or (is_same and kinds[one.stage] not in LEAVING)):
            yield found
            found = []
        found.append(one)
    if found:
        yield found


def _column(rounds: Sequence[EventRoundPage], kinds: Mapping[str, str]) -> Column:
    plain = [one for one in rounds if one.kind == "round"]
    play_offs = [_pod(one, table) for one in rounds if one.kind == "play-off" for table in one.tables]
    first = plain[0]
    if len(plain) == 1 and (kinds[first.stage] in LEAVING or len(first.tables) == 1):
        return Column(first.stage, first.round, (*(_pod(first, table) for table in first.tables), *play_offs))
    return Column(first.stage, 0, (_whole(plain), *play_offs))


def _pod(one: EventRoundPage, table: EventTableRow) -> Pod:
    points = table.points or [None] * len(table.bots)
    seats = (Seat(*each) for each in zip(table.entrants, table.bots, points, strict=True))
    return Pod(one.number, table.number, one.kind == "play-off", _in_order(seats))


def _whole(rounds: Sequence[EventRoundPage]) -> Pod:
    """Make one of all tables of a stage: its bots, and the sums of their board points as far as they are shown."""
    seats: dict[int, Seat] = {}
    for seat in (seat for one in rounds for table in one.tables for seat in _pod(one, table).seats if seat.number > 0):
        before = seats.get(seat.number, Seat(seat.number, seat.name, None))
        known = [each for each in (before.points, seat.points) if each is not None]
        seats[seat.number] = replace(before, points=sum(known) if known else None)
    return Pod(rounds[0].number, 0, False, _in_order(seats.values()))


def _in_order(seats: Iterable[Seat]) -> tuple[Seat, ...]:
    return tuple(sorted(seats, key=lambda seat: -(seat.points or 0)))


def _linked(column: Column, where: Mapping[int, int]) -> Column:
    pods = (
        replace(pod, seats=tuple(replace(seat, to=where.get(seat.number)) for seat in pod.seats)) for pod in column.pods
    )
    return replace(column, pods=tuple(pods))


router = Router(prefix="/events")
RoundOfEvent = Annotated[int, Path(ge=1, le=10_000)]
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
def one_round(request: Request, event: Name, number: RoundOfEvent) -> Response:
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
        first = page.standings[:2]
        is_about = len(first) == 2 and found[0] in first and first[0].margin is not None
        return {"one": found[0], "entrant": entrant, "first_places": first if is_about else ()}

    return _page(request, event, "event_certificate.html", values)


@router.get("/{event}/entries", dependencies=FOR_PEOPLE)
def entries(request: Request, event: Name) -> Response:
    """List one's bots, to enter, check in or withdraw them."""
    return _entries(request, event, demand(request, Act.SUBMIT))


@router.post("/{event}/entries", dependencies=FOR_PEOPLE)
def change_entry(request: Request, event: Name, form: Form) -> Response:
    """Enter one of one's bots, check it in, or withdraw it."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.SUBMIT)
    try:
        holding.act(site.ladder, viewer, event, _wanted(form))
    except LadderError as error:
        return _entries(request, event, viewer, error, 422)
    return RedirectResponse(f"/events/{event}/entries", 303)


def _wanted(form: Mapping[str, str]) -> EventAct:
    """Read what the page asks for; a nonce, or its SHA-256, that is none counts as missing."""
    fields = {name: word if HASH.fullmatch(word := form.get(name, "")) else "" for name in ("commitment", "nonce")}
    name = form.get("act", "")
    if name == "reveal" and fields["nonce"]:
        return EventAct(act="reveal", nonce=fields["nonce"])
    if name in ("withdraw", "check-in"):
        return EventAct(act="withdraw" if name == "withdraw" else "check-in", bot=form.get("bot", "")[:80])
    return EventAct(act="enter", bot=form.get("bot", "")[:80], commitment=fields["commitment"])


def _entries(request: Request, event: str, viewer: Viewer, error: str | Exception = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    page = reading.event(site.ladder, ANONYMOUS, event)
    own = [row for owner in sorted(viewer.owners) for row in bots.bots(site.ladder, owner=owner)]
    play = [one for one in own if any(entry.variant == page.variant for entry in one.entries)]
    entered = {one.name: one for one in page.entrant_list}
    now = site.ladder.clock()
    checks_in = page.state is EventState.OPEN and page.check_in is not None and now >= page.check_in.timestamp()
    values = {"event": page, "bots": play, "entered": entered, "viewer": viewer, "error": error, "checks_in": checks_in}
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

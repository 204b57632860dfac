"""Matches that are being played: a page of all of them, a page for each, and the stream of its events."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from ladder.app import live_matches, matches
from ladder.app.overview import rules_of
from ladder.site.rendering.translations import language_of
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.event_streams import STOP, event, event_stream, retry_after
from ladder.site.server.routing import Router, in_turn
from ladder.values.live_events import LivePage, LiveRow

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ladder.site.server.context import Site

api = Router()
pages = Router()
RETRY_MS = 2000
"""After how many milliseconds a browser tries again."""
EVENTS = "text/event-stream"
NOT_KEPT = {"Cache-Control": "no-store"}
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
Mark = Annotated[str, Query(max_length=40)]


@pages.get("/live")
def all_running(request: Request) -> Response:
    """Show the matches that are being played."""
    site: Site = request.app.state.site
    return site.pages.fresh_page(request, "live.html", {"rows": live_matches.running(site.ladder)})


async def _lists(request: Request) -> AsyncGenerator[str]:
    site: Site = request.app.state.site
    language = language_of(request)

    def now() -> str:
        return site.pages.text(request, language, "live_rows.html", {"rows": live_matches.running(site.ladder)})

    yield retry_after(RETRY_MS)
    shown = ""
    while not site.hub.is_closed:
        before, shown = shown, await asyncio.to_thread(site.recent.get, ("running", language), now)
        if shown != before:
            yield event(json.dumps(shown))
        await asyncio.sleep(site.look_seconds)


@pages.get("/live/rows")
def rows(request: Request) -> Response:
    """Give that list as a part of a page; as server-sent events, whenever it changes, to who can take them."""
    if EVENTS in request.headers.get("accept", ""):
        return event_stream(request, _lists(request))
    site: Site = request.app.state.site
    return site.pages.fresh_page(request, "live_rows.html", {"rows": live_matches.running(site.ladder)})


@pages.get("/live/{number}")
def one_running(request: Request, number: Number) -> Response:
    """Show a match while it is played."""
    site: Site = request.app.state.site
    match = matches.public_match(site.ladder, number)
    row = next((row for row in live_matches.running(site.ladder) if row.match == number), None)
    rules = rules_of(site.ladder, match.variant).to_plain() if row else None
    return site.pages.fresh_page(request, "live_match.html", {"match": match, "row": row, "rules": rules})


@api.get("/live", response_model=list[LiveRow])
def running(request: Request) -> Response:
    """Give the matches that are being played, the oldest first."""
    site: Site = request.app.state.site
    return JSONResponse([row.model_dump(mode="json") for row in live_matches.running(site.ladder)], headers=NOT_KEPT)


@api.get("/live/{number}/events", response_model=LivePage)
def events(request: Request, number: Number, after: Mark = "") -> Response:
    """Give some events of a match that is being played, from the one after a mark on: `attempt-id`."""
    site: Site = request.app.state.site
    return JSONResponse(live_matches.events(site.ladder, number, after).model_dump(mode="json"), headers=NOT_KEPT)


@api.get(
    "/live/{number}/stream",
    response_class=StreamingResponse,
    responses={200: {"content": {EVENTS: {"schema": {"type": "string"}}}, "description": "Events"}},
)
async def stream(request: Request, number: Number, after: Mark = "") -> Response:
    """Send the events of a match as they happen (server-sent events); resumes after the header `Last-Event-ID`."""
    site: Site = request.app.state.site
    await in_turn(request, matches.public_match, site.ladder, number)  # says now if there is none
    after = request.headers.get("last-event-id", after)[:40]
    return event_stream(request, _messages(site, number, after))


async def _messages(site: Site, number: int, after: str) -> AsyncGenerator[str]:
    """Yield the messages of the stream: an event of ours is a message whose id is its mark."""
    yield retry_after(RETRY_MS)
    async with site.hub.follow(number, after) as viewer:
        async for each in viewer:
            yield event(each.line, each.mark)
    yield STOP

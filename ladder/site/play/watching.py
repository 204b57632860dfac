"""Watching a table with people: what everybody there can see, some seconds late if the organiser wants that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app.tables.watched_table import watched
from ladder.errors import Busy, LadderError
from ladder.site.play.requests import JSON
from ladder.site.play.tab_streams import MAX_STREAMS, tab_messages
from ladder.site.rendering.words import to_translate
from ladder.site.server.packed_stream import event_stream

if TYPE_CHECKING:
    from ladder.app.tables.tabs import Tab
    from ladder.site.server.context import Site
    from ladder.values.watch_state import WatchState

router = APIRouter(prefix="/play")
Name = Annotated[str, Path(max_length=32)]
Key = Annotated[str, Query(max_length=64)]
FIRST_SECONDS = 2.0
"""Seconds that a request for a table waits for the first state."""
NOT_WATCHED = to_translate("There is no such table to watch, or it has been removed.")


@router.get("/{name}/watch")
def watch(request: Request, name: Name, key: Key = "") -> Response:
    """Watch a table."""
    site: Site = request.app.state.site
    try:
        table = watched(site.ladder, name, key)
    except LadderError:
        raise HTTPException(404, NOT_WATCHED) from None
    values = {
        "table": table,
        "key": key,
        "title": str(table.rules.get("title", "")),
        "delay": site.ladder.settings.live_delay,
    }
    return site.pages.fresh_page(request, "play_watch.html", values)


@router.get("/{name}/watch/state")
async def watch_state(request: Request, name: Name, key: Key = "") -> Response:
    """Give the table as a spectator sees it now; 204: there is nothing to be seen yet."""
    tab = await _tab(request, name, key)
    try:
        async with asyncio.timeout(FIRST_SECONDS):
            state = await anext(tab, None)
    except TimeoutError:
        state = None
    finally:
        tab.close()
    headers = {"Cache-Control": "no-store"}
    return (
        Response(status_code=204, headers=headers)
        if state is None
        else Response(state.model_dump_json(), headers=headers, media_type=JSON)
    )


@router.get("/{name}/watch/stream")
async def watch_stream(request: Request, name: Name, key: Key = "") -> Response:
    """Send the table as a spectator sees it, now and whenever that changes (server-sent events)."""
    site: Site = request.app.state.site
    tab = await _tab(request, name, key)
    return event_stream(request, tab_messages(site.metrics, tab, lambda state: state.is_over))


async def _tab(request: Request, name: str, key: str) -> Tab[WatchState]:
    """Watch a table in one more tab, if it may be watched with this key."""
    site: Site = request.app.state.site
    if site.watches.tabs + site.seat_sessions.tabs >= MAX_STREAMS:
        raise HTTPException(503, "Too many visitors watch at the same time; try again soon.", {"Retry-After": "10"})
    try:
        return await site.watches.open_tab(name, key)
    except Busy:
        raise
    except LadderError:
        raise HTTPException(404, NOT_WATCHED) from None

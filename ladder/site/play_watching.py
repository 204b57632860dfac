"""Watching a table with people: what everybody there can see, some seconds late if the organiser wants that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app.tables.watching import watched
from ladder.errors import Busy, LadderError
from ladder.site.packed_stream import event_stream
from ladder.site.tab_streams import MOST_STREAMS, tab_messages
from ladder.site.words import to_translate

if TYPE_CHECKING:
    from ladder.site.context import Site

router = APIRouter(prefix="/play")
Name = Annotated[str, Path(max_length=32)]
Key = Annotated[str, Query(max_length=64)]
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


@router.get("/{name}/watch/stream")
async def watch_stream(request: Request, name: Name, key: Key = "") -> Response:
    """Send the table as a spectator sees it, now and whenever that changes (server-sent events)."""
    site: Site = request.app.state.site
    if site.watches.tabs + site.seat_sessions.tabs >= MOST_STREAMS:
        raise HTTPException(503, "Too many watch at once; try again soon.", {"Retry-After": "10"})
    try:
        tab = await site.watches.open_tab(name, key)
    except Busy:
        raise
    except LadderError:
        raise HTTPException(404, NOT_WATCHED) from None
    return event_stream(request, tab_messages(site.metrics, tab, lambda state: state.is_over))

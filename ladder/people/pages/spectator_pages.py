"""Watching a table with people: what everybody there can see, some seconds late if the organiser wants that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.errors import Busy, LadderError
from ladder.people.pages.order_form import rules_path
from ladder.people.pages.request_parts import NOT_KEPT, Name
from ladder.people.pages.tab_streams import tab_messages
from ladder.people.sessions.watched_table import watched
from ladder.site.rendering.words import to_translate
from ladder.site.server.event_streams import event_stream
from ladder.site.server.fresh import fresh
from ladder.site.server.viewer import address_of

if TYPE_CHECKING:
    from ladder.people.sessions.open_tabs import OpenTabs
    from ladder.people.sessions.tabs import Tab
    from ladder.site.server.context import Site
    from ladder.values.watch_state import WatchState

router = APIRouter(prefix="/play")
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
        "rules_at": rules_path(site.ladder, table, key),
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
    return Response(status_code=204, headers=NOT_KEPT) if state is None else fresh(state)


@router.get("/{name}/watch/stream")
async def watch_stream(request: Request, name: Name, key: Key = "") -> Response:
    """Send the table as a spectator sees it, now and whenever that changes (server-sent events)."""
    tab = await _tab(request, name, key)
    return event_stream(request, tab_messages(tab, lambda state: state.is_over), tab.close)


async def _tab(request: Request, name: str, key: str) -> Tab[WatchState]:
    """Watch a table in one more tab, if it may be watched with this key."""
    tabs: OpenTabs = request.app.state.open_tabs
    try:
        return await tabs.watches.open_tab(name, key, address_of(request))
    except Busy:
        raise
    except LadderError:
        raise HTTPException(404, NOT_WATCHED) from None

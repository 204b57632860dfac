"""
Messages of a table's page while it is played: states and answers, of its people and of its spectators.

`tab_messages` is the stream of one open tab: its states as server-sent events. Spectators see what everybody at the
table can see, some seconds late if the organiser wants that.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, TypeVar

from fastapi import Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from ladder.errors import Busy, Conflict, LadderError, TooOften, UserError
from ladder.people.pages.request_parts import (
    NOT_KEPT,
    AnswerMessage,
    Name,
    PhraseMessage,
    PresenceMessage,
    message_of,
    my_seat_session,
    settled_session,
)
from ladder.people.pages.table_pages import rules_path
from ladder.people.sessions.spectators import watched
from ladder.people.tables.chairs import players_of
from ladder.site.rendering.translations import to_translate
from ladder.site.server.event_streams import STOP, event, event_stream, retry_after
from ladder.site.server.headers import fresh
from ladder.site.server.routing import Router
from ladder.site.server.viewer import address_of
from ladder.values.person_state import ENDS, PersonState, TableShown

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from ladder.people.sessions.session_pool import OpenTabs
    from ladder.people.sessions.table_info import Tab
    from ladder.site.server.context import Site

S = TypeVar("S", PersonState, TableShown)
RETRY_MS = 500
"""After how many milliseconds a browser tries again."""


async def tab_messages(tab: Tab[S], is_last: Callable[[S], bool]) -> AsyncGenerator[str]:
    """
    Give the stream: each state is a message whose id is its number.

    `stop` says that nothing more will come; a stream that ends without it ended with the site, which may come again.
    """
    try:
        yield retry_after(RETRY_MS)
        last: S | None = None
        async for state in tab:
            last = state
            yield event(state.model_dump_json(), state.number)
        if last is not None and is_last(last):
            yield STOP
    finally:
        tab.close()


router = Router(prefix="/play")
spectator_router = Router(prefix="/play")


@router.get("/{name}/state")
async def state(request: Request, name: Name) -> Response:
    """Give the table as the person may see it now."""
    session = await settled_session(request, name)
    return fresh(session.tracker.state())


@router.get("/{name}/stream")
async def stream(request: Request, name: Name) -> Response:
    """Send the table as the person may see it, now and whenever that changes (server-sent events)."""
    tab = (await my_seat_session(request, name)).open_tab()
    return event_stream(request, tab_messages(tab, lambda state: state.status in ENDS), tab.close)


@router.post("/{name}/answer")
async def answer(request: Request, name: Name) -> Response:
    """Answer a question: 204; 409 with the table as it is now if it is no longer open, 422 if the rules forbid it."""
    message = await message_of(request, AnswerMessage)
    session = await settled_session(request, name)
    try:
        session.answer(message.decision, message.action)
    except Conflict:
        return fresh(session.tracker.state(), 409)
    except UserError as error:
        return _refused(422, str(error))
    return Response(status_code=204)


@router.post("/{name}/presence")
async def presence(request: Request, name: Name) -> Response:
    """Say that one is here, or away, or has looked at the end of a deal."""
    message = await message_of(request, PresenceMessage)
    session = await settled_session(request, name)
    try:
        session.say(message.state, message.deal)
    except TooOften as error:
        return _refused(429, str(error))
    return Response(status_code=204)


@router.post("/{name}/say")
async def say(request: Request, name: Name) -> Response:
    """Say one of a few phrases to the other people at the table: 204; 409 during a deal."""
    message = await message_of(request, PhraseMessage)
    session = await settled_session(request, name)
    try:
        await session.say_phrase(message.phrase)
    except Conflict as error:
        return _refused(409, str(error))
    except TooOften as error:
        return _refused(429, str(error))
    return Response(status_code=204)


def _refused(status: int, detail: str) -> Response:
    return JSONResponse({"detail": detail}, status, NOT_KEPT)


Key = Annotated[str, Query(max_length=64)]
FIRST_SECONDS = 2.0
"""Seconds that a request for a table waits for the first state."""
NOT_WATCHED = to_translate("There is no such table to watch, or it has been removed.")


@spectator_router.get("/{name}/watch")
def watch(request: Request, name: Name, key: Key = "") -> Response:
    """Watch a table."""
    site: Site = request.app.state.site
    try:
        table = watched(site.ladder, name, key)
    except LadderError:
        raise HTTPException(404, NOT_WATCHED) from None
    values = {
        "table": table,
        "players": players_of(table.chairs),
        "key": key,
        "title": str(table.rules.get("title", "")),
        "rules_at": rules_path(site.ladder, table, key),
        "delay": site.ladder.settings.live_delay,
    }
    return site.pages.fresh_page(request, "play_watch.html", values)


@spectator_router.get("/{name}/watch/state")
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


@spectator_router.get("/{name}/watch/stream")
async def watch_stream(request: Request, name: Name, key: Key = "") -> Response:
    """Send the table as a spectator sees it, now and whenever that changes (server-sent events)."""
    tab = await _tab(request, name, key)
    return event_stream(request, tab_messages(tab, lambda state: state.status in ENDS), tab.close)


async def _tab(request: Request, name: str, key: str) -> Tab[TableShown]:
    """Watch a table in one more tab, if it may be watched with this key."""
    tabs: OpenTabs = request.app.state.open_tabs
    try:
        return await tabs.watches.open_tab(name, key, address_of(request))
    except Busy:
        raise
    except LadderError:
        raise HTTPException(404, NOT_WATCHED) from None

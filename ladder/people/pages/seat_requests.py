"""Messages of a table's page while it is played: states and answers."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from ladder.errors import Conflict, TooOften, UserError
from ladder.people.pages.request_parts import NOT_KEPT, AnswerMessage, Name, PhraseMessage, PresenceMessage, message_of
from ladder.people.pages.seat_cookies import my_seat_session, settled_session
from ladder.people.pages.tab_streams import tab_messages
from ladder.site.server.event_streams import event_stream
from ladder.site.server.fresh import fresh

router = APIRouter(prefix="/play")


@router.get("/{name}/state")
async def state(request: Request, name: Name) -> Response:
    """Give the table as the person may see it now."""
    session = await settled_session(request, name)
    return fresh(session.tracker.state())


@router.get("/{name}/stream")
async def stream(request: Request, name: Name) -> Response:
    """Send the table as the person may see it, now and whenever that changes (server-sent events)."""
    tab = (await my_seat_session(request, name)).open_tab()
    return event_stream(request, tab_messages(tab, lambda state: state.status in ("over", "ended")), tab.close)


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

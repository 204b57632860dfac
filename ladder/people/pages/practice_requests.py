"""The worth of decisions: asked before one plays, at tables for practice, and after a deal, at all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app.computing.asking import BeingComputed
from ladder.errors import Conflict, Forbidden, UserError
from ladder.people.pages.request_parts import DecisionMessage, Name, message_of
from ladder.people.pages.seat_cookies import my_seat_session, my_table, secret_of, settled_session
from ladder.people.review.practice import ask_before
from ladder.people.review.table_replays import costliest_of_deal
from ladder.people.tables.chairs import take_back
from ladder.site.rendering.words import to_translate
from ladder.site.server.computing import asker_of
from ladder.site.server.forms import FOREIGN_PAGE
from ladder.site.server.fresh import fresh
from ladder.site.server.origin import is_same_origin

if TYPE_CHECKING:
    from ladder.site.server.context import Site
    from ladder.values.why import Hint
    from pigpen.values.view import View

router = APIRouter(prefix="/play")
DealNumber = Annotated[int, Query(ge=0, le=100_000)]
NOT_ASKED = to_translate("You are not asked that now.")


@router.get("/{name}/costliest")
def costliest(request: Request, name: Name, deal: DealNumber) -> Response:
    """Find the person's costliest decisions in a deal that is over, by estimate."""
    site: Site = request.app.state.site
    my_table(request, name)
    return fresh(costliest_of_deal(site.ladder, name, secret_of(request), deal, asker_of(request)))


@router.post("/{name}/why")
async def ask(request: Request, name: Name) -> Response:
    """Estimate what each choice of the open decision is worth: at tables for practice, before one plays."""
    message = await message_of(request, DecisionMessage)
    session = await settled_session(request, name)
    question = session.tracker.question
    if question is None or question.view.decision != message.decision:
        raise HTTPException(409, NOT_ASKED)
    try:
        hint = await run_in_threadpool(_hint, request, name, question.view)
    except BeingComputed:
        session.assisted(message.decision)
        raise
    except Forbidden as error:
        raise HTTPException(403, str(error)) from None
    except UserError as error:
        raise HTTPException(422, str(error)) from None
    session.assisted(message.decision)
    return fresh(hint)


@router.post("/{name}/back")
async def back(request: Request, name: Name) -> Response:
    """Take one's last decision of this deal back: the table begins again before it; at tables for practice."""
    site: Site = request.app.state.site
    if not is_same_origin(request):
        raise HTTPException(403, FOREIGN_PAGE)
    session = await my_seat_session(request, name)
    try:
        await run_in_threadpool(take_back, site.ladder, name, secret_of(request))
    except Forbidden as error:
        raise HTTPException(403, str(error)) from None
    except Conflict as error:
        raise HTTPException(409, str(error)) from None
    session.taken_back()
    return Response(status_code=204)


def _hint(request: Request, name: str, view: View) -> Hint:
    site: Site = request.app.state.site
    return ask_before(site.ladder, name, secret_of(request), view, asker_of(request))

"""A person's own games: the list, and forgetting them; the same table once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from ladder.errors import LadderError, TooOften, UserError
from ladder.people.pages.request_parts import NOT_KEPT, Name
from ladder.people.pages.seat_cookies import keep_opened, my_table, visitor_of
from ladder.people.review.own_games import MAX_GAMES, forget, own_games, own_records
from ladder.people.review.own_rating import MIN_GAMES
from ladder.people.review.same_again import same_order
from ladder.people.tables.limits import GUEST_DAYS
from ladder.people.tables.opening import open_table
from ladder.site.server.attempts import Attempt
from ladder.site.server.forms import Form, form_page
from ladder.site.server.viewer import address_of, viewer_of

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter(prefix="/play")


@router.get("/games")
def games(request: Request) -> Response:
    """Show the visitor's own games."""
    return _games(request)


@router.post("/games/delete")
def delete(request: Request, form: Form) -> Response:
    """Delete them."""
    site: Site = request.app.state.site
    if form.get("sure"):
        forget(site.ladder, visitor_of(request))
        return RedirectResponse("/play/games", 303, NOT_KEPT)
    return _games(request, is_unsure=True)


@router.post("/{name}/again")
def again(request: Request, name: Name, form: Form) -> Response:
    """Open a table like one that is over."""
    site: Site = request.app.state.site
    state = my_table(request, name)
    try:
        site.attempts.count(Attempt.OPEN_TABLE, address_of(request), viewer_of(request).name or "")
        who = visitor_of(request, state.chairs[state.mine or 0].name)
        opened = open_table(site.ladder, same_order(site.ladder, state), who)
    except (LadderError, TooOften, UserError):  # the form says why, or offers what is there now
        return RedirectResponse(f"/play?variant={state.variant}", 303, NOT_KEPT)
    response = RedirectResponse(f"/play/{opened.name}", 303, NOT_KEPT)
    keep_opened(request, response, opened)
    return response


def _games(request: Request, is_unsure: bool = False) -> Response:
    site: Site = request.app.state.site
    found = own_games(site.ladder, visitor_of(request))
    values = {
        "games": found,
        "records": own_records(found),
        "most": MAX_GAMES,
        "least": MIN_GAMES,
        "account": viewer_of(request).name,
        "is_unsure": is_unsure,
        "kept_days": GUEST_DAYS,
    }
    return form_page(request, "play_games.html", values, 422 if is_unsure else 200)

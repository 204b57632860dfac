"""
Pages about games of people: their replay, the worth of their decisions, and the list of a person's own games.

The replay of a table, card by card, has pages, and what their scripts ask for. The worth of decisions is estimated
before one plays, at tables for practice, and after a deal, at all of them. A person may delete these games, or open the
same table once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app.computing.asking import BeingComputed
from ladder.errors import Conflict, Forbidden, LadderError, TooOften, UserError
from ladder.people.boards.played_boards import YOU
from ladder.people.pages.request_parts import (
    NOT_KEPT,
    DecisionMessage,
    Name,
    keep_opened,
    message_of,
    my_seat_session,
    my_table,
    secret_in_turn,
    secret_of,
    settled_session,
    visitor_of,
)
from ladder.people.review.own_games import MAX_GAMES, MIN_GAMES, forget, own_games, own_records
from ladder.people.review.table_replays import (
    ask_before,
    costliest_of_deal,
    costliest_of_game,
    file_name,
    first_place,
    same_order,
    table_position,
    table_replayed,
    table_why,
)
from ladder.people.tables.chairs import players_of, take_back
from ladder.people.tables.table_opening import open_table
from ladder.site.api.replays import BoardNumber, RotationNumber, Seat
from ladder.site.pages import replays as replay_pages
from ladder.site.pages.analysis import address_of_position
from ladder.site.rendering.translations import language_of, player, to_translate
from ladder.site.server.attempts import Attempt
from ladder.site.server.headers import fresh
from ladder.site.server.problems import asker_of
from ladder.site.server.routing import Router, in_turn
from ladder.site.server.viewer import FOREIGN_PAGE, Form, address_of, form_page, is_same_origin, viewer_of
from ladder.values.matches import DealPlace
from ladder.values.people import GUEST_DAYS

if TYPE_CHECKING:
    from ladder.site.server.context import Site
    from ladder.values.matches import DealReplayed
    from ladder.values.why import Hint
    from pigpen.values.view import View

router = Router(prefix="/play")
own_router = Router(prefix="/play")
practice_router = Router(prefix="/play")
DealNumber = Annotated[int | None, Query(ge=0, le=100_000)]
NOT_ASKED = to_translate("You are not asked that now.")


@practice_router.get("/{name}/costliest")
def costliest(request: Request, name: Name, deal: DealNumber = None) -> Response:
    """Find the person's costliest decisions in a deal that is over, or in all deals of a game that is; by estimate."""
    site: Site = request.app.state.site
    my_table(request, name)
    secret, asker = secret_of(request), asker_of(request)
    if deal is None:
        return fresh(costliest_of_game(site.ladder, name, secret, asker))
    return fresh(costliest_of_deal(site.ladder, name, secret, deal, asker))


@practice_router.post("/{name}/why")
async def ask(request: Request, name: Name) -> Response:
    """Estimate what each choice of the open decision is worth: at tables for practice, before one plays."""
    message = await message_of(request, DecisionMessage)
    session = await settled_session(request, name)
    question = session.tracker.question
    if question is None or question.view.decision != message.decision:
        raise HTTPException(409, NOT_ASKED)
    try:
        hint = await in_turn(request, _hint, request, name, question.view)
    except BeingComputed:
        session.assisted(message.decision)
        raise
    except Forbidden as error:
        raise HTTPException(403, str(error)) from None
    except UserError as error:
        raise HTTPException(422, str(error)) from None
    session.assisted(message.decision)
    return fresh(hint)


@practice_router.post("/{name}/back")
async def back(request: Request, name: Name) -> Response:
    """Take one's last decision of this deal back: the table begins again before it; at tables for practice."""
    site: Site = request.app.state.site
    if not is_same_origin(request):
        raise HTTPException(403, FOREIGN_PAGE)
    session = await my_seat_session(request, name)
    try:
        await in_turn(request, take_back, site.ladder, name, await secret_in_turn(request))
    except Forbidden as error:
        raise HTTPException(403, str(error)) from None
    except Conflict as error:
        raise HTTPException(409, str(error)) from None
    session.taken_back()
    return Response(status_code=204)


def _hint(request: Request, name: str, view: View) -> Hint:
    site: Site = request.app.state.site
    return ask_before(site.ladder, name, secret_of(request), view, asker_of(request))


@own_router.get("/games")
def games(request: Request) -> Response:
    """Show the visitor's own games."""
    return _games(request)


@own_router.post("/games/delete")
def delete(request: Request, form: Form) -> Response:
    """Delete them."""
    site: Site = request.app.state.site
    if form.get("sure"):
        forget(site.ladder, visitor_of(request))
        return RedirectResponse("/play/games", 303, NOT_KEPT)
    return _games(request, is_unsure=True)


@own_router.post("/{name}/again")
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


Key = Annotated[str, Path(max_length=100)]
Step = Annotated[int, Path(ge=1, le=1000)]


@router.get("/{name}/replay")
def replay(request: Request, name: Name) -> Response:
    """Lead to the first deal of a table."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = first_place(site.ladder, name, secret_of(request))
    return RedirectResponse(f"/play/{name}/replay/{YOU}/boards/{place.board}/{place.rotation}", 303, NOT_KEPT)


@router.get("/{name}/replay/{key}/boards/{board}/{rotation}")
def deal(request: Request, name: Name, key: Key, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Show a deal that was played at a table, or by another person with the same cards."""
    site: Site = request.app.state.site
    state = my_table(request, name)
    place = DealPlace(board=board, rotation=rotation)
    shown = _named(request, table_replayed(site.ladder, name, secret_of(request), key, place, asker=asker_of(request)))
    base = f"/play/{name}"
    here = f"{base}/replay/{key}"
    values = replay_pages.deal_without_script(shown) | {
        "source": f"{here}/boards/{board}/{rotation}/deal",
        "back": here,
        "base": base,
        "players": players_of(state.chairs),
        "is_mine": key == YOU,
        "record": f"{base}/record",
        "record_name": file_name(name),
        "variant": shown.variant,
        "analysis": f"{here}/boards/{board}/{rotation}/analysis"
        if same_order(site.ladder, state).rules is None
        else "",
    }
    return site.pages.fresh_page(request, "play_replay.html", values)


@router.get("/{name}/replay/{key}/boards/{board}/{rotation}/analysis")
def analysis(request: Request, name: Name, key: Key, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Lead to the analysis board with this deal."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = DealPlace(board=board, rotation=rotation)
    position = table_position(site.ladder, name, secret_of(request), key, place, asker_of(request))
    return RedirectResponse(address_of_position(position), 303, NOT_KEPT)


@router.get("/{name}/replay/{key}/boards/{board}/{rotation}/deal")
def deal_as_json(
    request: Request, name: Name, key: Key, board: BoardNumber, rotation: RotationNumber, seat: Seat = None
) -> Response:
    """Give the same as JSON, for the page's script."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = DealPlace(board=board, rotation=rotation)
    found = table_replayed(site.ladder, name, secret_of(request), key, place, seat, asker_of(request))
    return fresh(_named(request, found))


def _named(request: Request, deal: DealReplayed) -> DealReplayed:
    """Call guests so in the reader's language."""
    language = language_of(request)
    return deal.model_copy(update={"bots": tuple(player(name, language) for name in deal.bots)})


@router.get("/{name}/replay/{key}/boards/{board}/{rotation}/deal/steps/{step}/why")
def why(request: Request, name: Name, key: Key, board: BoardNumber, rotation: RotationNumber, step: Step) -> Response:
    """Estimate what each choice of a decision was worth, from what its seat knew."""
    site: Site = request.app.state.site
    my_table(request, name)
    place = DealPlace(board=board, rotation=rotation)
    return fresh(table_why(site.ladder, name, secret_of(request), key, place, step, asker_of(request)))

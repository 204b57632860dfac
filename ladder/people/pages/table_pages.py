"""Tables for people: the form that opens one, its page, and what its people do besides playing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response

from ladder.errors import LadderError, TooOften, UserError
from ladder.people.pages import order_form
from ladder.people.pages.order_form import USUAL_VARIANT
from ladder.people.pages.request_parts import NOT_KEPT, EmptyMessage, Name, is_json, message_of
from ladder.people.pages.seat_cookies import (
    LONGEST_SECRET,
    NOT_YOURS,
    invitations,
    keep_opened,
    keep_seat,
    my_table,
    secret_of,
    visitor_of,
)
from ladder.people.review.table_record import record_of, sheet_of
from ladder.people.sessions.watched_table import watch_key, watched
from ladder.people.tables import chairs, opening
from ladder.people.tables.table_states import open_tables_of, table_page
from ladder.site.accounts.browser_sessions import site_address
from ladder.site.pages.help import explained
from ladder.site.pages.lesson import exposable
from ladder.site.server.attempts import Attempt
from ladder.site.server.forms import Form, form_of, form_page
from ladder.site.server.viewer import address_of, viewer_of
from ladder.values.people import PERSON_NAME_LENGTH, TableStatus
from referee.records.rules_file import RulesFileError, rules_from

if TYPE_CHECKING:
    from ladder.site.server.context import Site
    from ladder.values.people import TableState

router = APIRouter(prefix="/play")


@router.get("")
def choose(request: Request, variant: Annotated[str, Query(max_length=64)] = USUAL_VARIANT) -> Response:
    """Choose what to play, and with whom."""
    return _form(request, variant, {}, "", 200)


@router.post("")
def open_one(request: Request, form: Form) -> Response:
    """Open a table."""
    site: Site = request.app.state.site
    try:
        site.attempts.count(Attempt.OPEN_TABLE, address_of(request), viewer_of(request).name or "")
        order = order_form.order_of(site.ladder, form)
        opened = opening.open_table(site.ladder, order, visitor_of(request, form.get("shown", "")))
    except TooOften as error:
        return _form(request, form.get("variant", ""), form, error.sentence, 429, error.minutes)
    except (LadderError, RulesFileError, UserError) as error:
        return _form(request, form.get("variant", ""), form, str(error), 422)
    response = RedirectResponse(f"/play/{opened.name}", 303, NOT_KEPT)
    keep_opened(request, response, opened)
    return response


@router.get("/{name}")
def one_table(request: Request, name: Name, seat: Annotated[str, Query(max_length=LONGEST_SECRET)] = "") -> Response:
    """Show the table to a person who has a chair there: before, during and after the match."""
    if seat:
        return _take_seat(request, name, seat)
    return _page(request, my_table(request, name))


@router.get("/{name}/rules")
def rules(request: Request, name: Name, key: Annotated[str, Query(max_length=64)] = "") -> Response:
    """Explain the rules of a table to its people, and to spectators with their key."""
    site: Site = request.app.state.site
    try:
        state = watched(site.ladder, name, key) if key else my_table(request, name)
    except LadderError:
        raise HTTPException(404, NOT_YOURS) from None
    return site.pages.fresh_page(request, "rules.html", explained(rules_from(state.rules)))


@router.post("/{name}/join")
def join(request: Request, name: Name, form: Form) -> Response:
    """Sit down."""
    site: Site = request.app.state.site
    my_table(request, name)
    try:
        chairs.join(site.ladder, name, secret_of(request), visitor_of(request, form.get("shown", "")))
    except UserError as error:
        return _page(request, my_table(request, name), str(error), form.get("shown", ""), 422)
    return _back(name)


@router.post("/{name}/start")
def start(request: Request, name: Name, form: Form) -> Response:
    """Let bots play in the chairs of people who have not come."""
    site: Site = request.app.state.site
    my_table(request, name)
    chairs.start_now(site.ladder, name, secret_of(request))
    return _back(name)


@router.post("/{name}/leave")
def leave(request: Request, name: Name, form: Form) -> Response:
    """Get up before the table has begun."""
    site: Site = request.app.state.site
    my_table(request, name)
    chairs.leave(site.ladder, name, secret_of(request))
    return RedirectResponse("/play", 303, NOT_KEPT)


@router.post("/{name}/end")
async def end(request: Request, name: Name) -> Response:
    """End the table for all: with a form of a page, or by its script, which sends JSON."""
    by_script = is_json(request)
    await (message_of(request, EmptyMessage) if by_script else form_of(request))
    await to_thread.run_sync(_end, request, name)
    return Response(status_code=204) if by_script else _back(name)


@router.get("/{name}/record")
def record(request: Request, name: Name) -> Response:
    """Give the record of a table that is over."""
    site: Site = request.app.state.site
    path = record_of(site.ladder, my_table(request, name))
    return FileResponse(path, media_type="application/jsonl", filename=f"table-{name}.jsonl", headers=NOT_KEPT)


def _end(request: Request, name: str) -> None:
    site: Site = request.app.state.site
    my_table(request, name)
    chairs.end(site.ladder, name, secret_of(request))


def _take_seat(request: Request, name: str, secret: str) -> Response:
    """Let a browser have the chair of a link, if it has none at this table yet."""
    site: Site = request.app.state.site
    try:
        found, kept = (table_page(site.ladder, name, each) for each in (secret, secret_of(request)))
    except LadderError:
        raise HTTPException(404, NOT_YOURS) from None
    if found.mine is None:
        raise HTTPException(404, NOT_YOURS)
    response = _back(name)
    if kept.mine is None or not kept.chairs[kept.mine].joined:
        keep_seat(request, response, name, secret)
    return response


def _page(request: Request, state: TableState, error: str = "", shown: str = "", status: int = 200) -> Response:
    base, ladder = f"/play/{state.name}", request.app.state.site.ladder
    rules = rules_from(state.rules)
    values = {
        "table": state,
        "base": base,
        "variant": state.variant,
        "title": rules.title,
        "rules_at": order_form.rules_path(ladder, state),
    }
    if state.status is TableStatus.WAITING:
        chairs.stay(ladder, state.name)
        links = {
            chair: f"{site_address(request)[:-1]}{base}?seat={secret}" for chair, secret in invitations(request).items()
        }
        more = {
            "links": links,
            "error": error,
            "shown": shown or viewer_of(request).name or "",
            "longest": PERSON_NAME_LENGTH,
        }
        return form_page(request, "play_wait.html", values | more, status)
    if state.status in (TableStatus.OVER, TableStatus.ENDED):
        variant = order_form.OWN if order_form.are_own(ladder, rules) else state.variant
        return form_page(request, "play_end.html", values | {"sheet": sheet_of(ladder, state), "form": variant})
    return form_page(
        request,
        "play_table.html",
        values | {"watch": _watch_link(request, state.name), "exposable": exposable(rules)},
    )


def _watch_link(request: Request, name: str) -> str:
    """Give the link for spectators; empty if there are to be none."""
    key = watch_key(request.app.state.site.ladder, name)
    return f"{site_address(request)[:-1]}/play/{name}/watch?key={key}" if key else ""


def _form(request: Request, variant: str, form: Form, error: str, status: int, minutes: str = "") -> Response:
    site: Site = request.app.state.site
    try:
        values = order_form.form_values(site.ladder, variant, form)
    except LadderError:
        if request.method == "GET":
            raise
        values = order_form.form_values(site.ladder, USUAL_VARIANT, {})
    shown = form.get("shown") or viewer_of(request).name or ""
    more = {
        "error": error,
        "minutes": minutes,
        "shown": shown,
        "longest": PERSON_NAME_LENGTH,
        "account": viewer_of(request).name,
        "mine": open_tables_of(site.ladder, visitor_of(request)),
    }
    return form_page(request, "play.html", values | more, status)


def _back(name: str) -> Response:
    return RedirectResponse(f"/play/{name}", 303, NOT_KEPT)

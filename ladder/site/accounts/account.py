"""The page of one's account: password, sessions, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Request
from starlette.responses import RedirectResponse, Response

from ladder.app.accounts import sessions
from ladder.entry.policy import Act
from ladder.errors import Forbidden, UserError
from ladder.site.accounts.login import in_hashing_turn, site_address
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, address_of, demand, form_page
from ladder.values.accounts import NewSecret, Scope, Viewer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.site.server.context import Site
    from ladder.values.accounts import Kind

router = Router(prefix="/me/account", dependencies=FOR_PEOPLE)
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
PLACE = "/me/account"


@router.get("")
def account(request: Request) -> Response:
    """Show what opens the visitor's account: sessions, tokens, the password."""
    return _page(request, demand(request, Act.CHANGE_ACCOUNT))


@router.post("/password")
async def change_password(request: Request, form: Form) -> Response:
    """Change one's password."""
    site: Site = request.app.state.site

    def work() -> Response:
        viewer = demand(request, Act.CHANGE_ACCOUNT)
        site.attempts.count(Attempt.CHANGE_PASSWORD, address_of(request), str(viewer.name))
        try:
            sessions.change_password(site.ladder, site.passwords, viewer, form.get("old", ""), form.get("new", ""))
        except (Forbidden, UserError) as error:
            return _page(request, viewer, {"error": str(error)}, 403 if isinstance(error, Forbidden) else 422)
        return _page(request, viewer, {"done": "password"})

    return await in_hashing_turn(request, work)


@router.post("/sessions/{number}")
def end_session(request: Request, number: Number, form: Form) -> Response:
    """End one of one's sessions."""
    return _revoke(request, number, "session")


@router.post("/tokens")
def create_token(request: Request, form: Form) -> Response:
    """Make a token; it is shown once."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    site.attempts.count(Attempt.CREATE_TOKEN, address_of(request), str(viewer.name))
    try:
        made = sessions.create_token(site.ladder, viewer, form.get("name", ""), _scopes(form), _days(form))
    except UserError as error:
        return _page(request, viewer, {"error": str(error)}, 422)
    return _page(request, viewer, {"made": made})


@router.post("/tokens/{number}")
def revoke_token(request: Request, number: Number, form: Form) -> Response:
    """Revoke one of one's tokens."""
    return _revoke(request, number, "token")


@router.post("/revoke")
def revoke_every(request: Request, form: Form) -> Response:
    """Revoke all tokens, and end all sessions but this one."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    sessions.revoke_every(site.ladder, viewer, str(viewer.name))
    return RedirectResponse(PLACE, 303)


def _revoke(request: Request, number: int, kind: Kind) -> Response:
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    sessions.revoke_one(site.ladder, viewer, str(viewer.name), number, kind)
    return RedirectResponse(PLACE if number != viewer.credential else "/login", 303)


def _scopes(form: Mapping[str, str]) -> set[Scope]:
    return {scope for scope in Scope if f"scope_{scope}" in form}


def _days(form: Mapping[str, str]) -> int:
    given = form.get("days", "").strip()
    if not (given.isascii() and given.isdigit() and len(given) < 6):
        raise UserError("Write the days as a number, such as 90.")
    return int(given)


def _page(request: Request, viewer: Viewer, more: Mapping[str, object] | None = None, status: int = 200) -> Response:
    site: Site = request.app.state.site
    made: NewSecret | None = None
    values = {
        "viewer": viewer,
        "rows": sessions.credentials(site.ladder, viewer, str(viewer.name)),
        "days": site.ladder.settings.token_days,
        "has_password": sessions.has_password(site.ladder, viewer),
        "address": site_address(request),
        "error": "",
        "done": "",
        "made": made,
    }
    return form_page(request, "account.html", values | dict(more or {}), status)

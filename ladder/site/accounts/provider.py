"""Pages that log people in with the ladder's identity provider (OpenID Connect)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app.accounts.registering import log_in_known, register_known
from ladder.errors import Forbidden, LadderError
from ladder.site.accounts.login import begin_in_browser, next_of, site_address, visit_of
from ladder.site.server.attempts import Attempt
from ladder.site.server.flows import Flow, ProviderState
from ladder.site.server.routing import Router, in_turn
from ladder.site.server.viewer import NO_PAGE, Form, address_of, form_page

if TYPE_CHECKING:
    from ladder.app.accounts.oidc import KnownPerson
    from ladder.site.server.context import Site

router = Router(prefix="/login/oidc")
COOKIE = "pigpen_flow"


@router.get("")
async def begin(
    request: Request,
    place: Annotated[str, Query(alias="next", max_length=600)] = "",
    invitation: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """Send the browser to the identity provider."""
    state = _state(request)
    _site(request).attempts.count(Attempt.LOG_IN, address_of(request))

    def work() -> Response:
        try:
            address, begun = state.provider.begin(f"{site_address(request)}login/oidc/callback")
        except LadderError as error:
            return _name_page(request, None, error, "", 503)
        return _remember(request, RedirectResponse(address, 303), _keep(request, Flow(place, invitation, begun)))

    return await state.turns.do(address_of(request), work)


@router.get("/callback")
async def come_back(request: Request) -> Response:
    """Take the browser back from the identity provider: log in, or make an account."""
    from ladder.app.accounts.oidc import NOT_BEGUN

    state = _state(request)
    flow = _taken(request)
    if flow is None or flow.begun is None:  # who has begun one was counted then
        _site(request).attempts.count(Attempt.LOG_IN, address_of(request))
        return await in_turn(request, _name_page, request, None, NOT_BEGUN, "", 403)
    begun = flow.begun

    def work() -> Response:
        try:
            known = state.provider.finish(begun, dict(request.query_params))
        except LadderError as error:
            return _name_page(request, None, error, "", 403 if isinstance(error, Forbidden) else 503)
        return _let_in_or_ask(request, Flow(flow.place, flow.invitation, known=known))

    return await state.turns.do(address_of(request), work)


@router.post("/name")
def choose_name(request: Request, form: Form) -> Response:
    """Make an account with the name that a person chose whom the provider identified."""
    from ladder.app.accounts.oidc import NOT_BEGUN

    _state(request)
    _site(request).attempts.count(Attempt.REGISTER, address_of(request))
    flow, name = _taken(request), form.get("name", "")
    if flow is None or flow.known is None:
        return _name_page(request, None, NOT_BEGUN, "", 403)
    return _register(request, flow, flow.known, name, is_chosen=True)


def _let_in_or_ask(request: Request, flow: Flow) -> Response:
    assert flow.known is not None
    try:
        logged_in = log_in_known(_site(request).ladder, flow.known.subject, visit_of(request))
    except Forbidden as error:
        return _name_page(request, None, error, "", 403)
    if logged_in is not None:
        return _forget(request, begin_in_browser(request, logged_in, next_of(flow.place)))
    return _register(request, flow, flow.known, flow.known.name, is_chosen=False)


def _register(request: Request, flow: Flow, known: KnownPerson, name: str, *, is_chosen: bool) -> Response:
    """Make the account; if its name cannot be, ask for another one."""
    site = _site(request)
    try:
        logged_in = register_known(site.ladder, known.subject, name, flow.invitation, visit_of(request))
    except LadderError as error:
        sentence = error if is_chosen or flow.invitation else ""
        return _name_page(request, flow, sentence, name, 422 if is_chosen else 200)
    return _forget(request, begin_in_browser(request, logged_in, next_of(flow.place)))


def _name_page(request: Request, flow: Flow | None, error: str | Exception, name: str, status: int) -> Response:
    response = form_page(request, "oidc_name.html", {"asks": flow is not None, "error": error, "name": name}, status)
    if flow is None:
        return response
    return _remember(request, response, _keep(request, flow))


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


def _state(request: Request) -> ProviderState:
    state = _site(request).provider
    if state is None:
        raise HTTPException(404, NO_PAGE)
    return state


def _cookie(request: Request) -> str:
    return f"__Host-{COOKIE}" if request.url.scheme == "https" else COOKIE


def _keep(request: Request, flow: Flow) -> str:
    return _state(request).flows.keep(flow, address_of(request))


def _taken(request: Request) -> Flow | None:
    return _state(request).flows.take(request.cookies.get(_cookie(request), ""))


def _remember(request: Request, response: Response, secret: str) -> Response:
    secure = request.url.scheme == "https"
    response.set_cookie(_cookie(request), secret, max_age=600, httponly=True, samesite="lax", secure=secure)
    response.headers["Cache-Control"] = "no-store"
    return response


def _forget(request: Request, response: Response) -> Response:
    secure = request.url.scheme == "https"
    response.delete_cookie(_cookie(request), httponly=True, samesite="lax", secure=secure)
    return response

"""The account behind a request, and the check of its permissions: for every route that is not for everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import Depends, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from ladder.app.accounts.viewers import viewer_by
from ladder.entry.policy import ORGANISERS_ONLY, SCOPES, Act, may
from ladder.site.rendering.words import to_translate
from ladder.site.server.origin import CSRF_HEADER, SAFE, has_csrf, is_same_origin, session_secret
from ladder.values.accounts import ANONYMOUS, Viewer

if TYPE_CHECKING:
    from starlette.responses import Response

    from ladder.site.server.context import Site

API = "/api/"
BAD_TOKEN = "This token is not valid: it is wrong, expired or revoked. Log in again: pigpen login"
LOG_IN = "Log in first: send a token in the header Authorization: Bearer …"
ORGANISERS = "Only an organiser of this ladder may do that."
NO_PAGE = to_translate("There is no such page.")


class LogInFirst(Exception):
    """A page is for people who have logged in."""


def viewer_of(request: Request) -> Viewer:
    """
    Find out who asks: by the header ``Authorization: Bearer …``, or else by the session's cookie.

    It reads the database, once for each request; an asynchronous route calls it in a thread.

    Raises:
        HTTPException: 401 if there is a token, and it is not good.
    """
    if not hasattr(request.state, "viewer"):
        request.state.viewer = _look(request)
    viewer: Viewer = request.state.viewer
    return viewer


def demand(request: Request, act: Act, owner: str | None = None, missing: str = NO_PAGE) -> Viewer:
    """
    Make sure that the visitor may do something.

    Args:
        request: What is asked.
        act: What for.
        owner: Whose thing it is; None: it is a whole area, where all see their own.
        missing: What is said where there is no such thing; whose it is not hears the same.

    Raises:
        HTTPException: 401: the visitor has not logged in; 403: the token is not good for that, or a request of the
            API is for organisers; 404: it is not theirs.
        LogInFirst: The visitor has not logged in, and it is a page.
    """
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    is_area = owner is None
    whose = viewer.name if is_area and act not in ORGANISERS_ONLY else owner
    if may(viewer, act, whose, public_output=site.ladder.settings.public_logs):
        return viewer
    if not is_area or (viewer.name is not None and act in ORGANISERS_ONLY and not viewer.is_organiser):
        if act in ORGANISERS_ONLY and request.url.path.startswith(API):  # which names its organisers' requests to all
            raise HTTPException(403, ORGANISERS)
        raise HTTPException(404, missing)
    logged_in(request)
    raise HTTPException(403, _needs(act), {"WWW-Authenticate": 'Bearer error="insufficient_scope"'})


def logged_in(request: Request) -> Viewer:
    """
    Make sure that the visitor has logged in, with a session or a token of any scope.

    Raises:
        HTTPException: 401: the visitor has not.
        LogInFirst: The visitor has not, and it is a page.
    """
    viewer = viewer_of(request)
    if viewer.name is None:
        if request.url.path.startswith(API):
            raise HTTPException(401, LOG_IN, {"WWW-Authenticate": "Bearer"})
        raise LogInFirst
    return viewer


def log_in_first(request: Request) -> None:
    """
    Make sure that the visitor has logged in before what it sends is read or judged: a stranger learns nothing of that.

    A form from a page of another site is refused by `forms.form_of`, logged in or not.

    Raises:
        HTTPException, LogInFirst: As `logged_in`.
    """
    if request.method in SAFE or request.url.path.startswith(API) or is_same_origin(request):
        logged_in(request)


FOR_PEOPLE = (Depends(log_in_first),)
"""For routes, or routers, of which nothing is for visitors who have not logged in."""


def needs_log_in(request: Request) -> bool:
    """Tell whether a route is marked by `FOR_PEOPLE`: what is no JSON at all is refused before that is looked at."""
    found = getattr(request.scope.get("route"), "dependencies", ())
    return any(each.dependency is log_in_first for each in found)


def still_may(request: Request, act: Act, owner: str | None = None) -> bool:
    """
    Ask again, in the middle of a stream, whether who opened it may read on: sessions end, accounts are disabled.

    It reads the database; an asynchronous route calls it in a thread, before each event and each pulse.
    """
    try:
        viewer = _look(request)
    except HTTPException:
        return False
    return may(viewer, act, owner, public_output=request.app.state.site.ladder.settings.public_logs)


def on_log_in_first(request: Request, _: Exception) -> Response:
    """Send a reader to the page where one logs in, and from there back."""
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    place = f"/login?next={quote(wanted, safe='/')}" if request.method in SAFE else "/login"
    return RedirectResponse(place, 303, {"Cache-Control": "no-store"})


def address_of(request: Request) -> str:
    """Give the address from which a request comes."""
    return request.client.host[:64] if request.client else ""


def _look(request: Request) -> Viewer:
    site: Site = request.app.state.site
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":  # another kind is for a proxy before the site
        viewer = viewer_by(site.ladder, token.strip(), address_of(request))
        if not viewer.by_token:
            raise HTTPException(401, BAD_TOKEN, {"WWW-Authenticate": 'Bearer error="invalid_token"'})
        return viewer
    secret = session_secret(request)
    if not secret or (request.method not in SAFE and not _is_from_a_page(request)):
        return ANONYMOUS
    viewer = viewer_by(site.ladder, secret, address_of(request))
    return ANONYMOUS if viewer.by_token else viewer


def _is_from_a_page(request: Request) -> bool:
    """Tell whether a page of this site sent what is to change something; forms prove more in `forms.form_of`."""
    if not is_same_origin(request):
        return False
    return not request.url.path.startswith(API) or has_csrf(request, request.headers.get(CSRF_HEADER, ""))


def _needs(act: Act) -> str:
    scope = SCOPES[act]
    if scope is None:
        return "No token is good for that; log in with a browser."
    return f"This token is not good for that: it lacks the scope {str(scope)!r}. Make one that has it: /me/account"

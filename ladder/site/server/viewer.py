"""
The viewer behind a request: account, permissions, last visit, and proof that a page of this site sent the request.

The proof protects against CSRF. The permissions are checked for every route that is not for everybody. The time of a
browser's last visit is a cookie with two times, and nothing that tells one visitor from another. Forms of the site are
read within limits, and taken only from a page of the site.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlsplit

from fastapi import Depends, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from ladder.app.accounts.sessions import viewer_by
from ladder.entry.policy import ORGANISERS_ONLY, SCOPES, Act, may
from ladder.site.rendering.translations import to_translate
from ladder.values.accounts import ANONYMOUS, Viewer
from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from starlette.responses import Response

    from ladder.site.server.context import Site

SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""
PLAIN_COOKIE, SAFE_COOKIE = "pigpen_session", "__Host-pigpen_session"
"""The session's, over HTTP and over HTTPS; a browser takes the second from this very host only, over HTTPS."""
CSRF_HEADER = "x-pigpen-csrf"
"""The header in which a script of the site sends what forms have in their field `csrf`."""


def cookie_name(request: Request) -> str:
    """Give the name of the session's cookie."""
    return SAFE_COOKIE if request.url.scheme == "https" else PLAIN_COOKIE


def session_secret(request: Request) -> str:
    """Give the secret in the session's cookie; empty if there is none."""
    return request.cookies.get(cookie_name(request), "")


def csrf_of(request: Request) -> str:
    """Give the token that a form must send back. It follows from the session's secret: other sites do not know it."""
    secret = session_secret(request)
    return hmac.new(secret.encode(errors="surrogatepass"), b"pigpen csrf", hashlib.sha256).hexdigest() if secret else ""


def has_csrf(request: Request, given: str) -> bool:
    """Tell whether a form, or the header of a script, has the token of the session."""
    return hmac.compare_digest(csrf_of(request).encode(), given.encode(errors="surrogatepass"))


def is_same_origin(request: Request) -> bool:
    """
    Tell whether a page of this site sent a request, by what browsers say of it.

    All browsers send at least one of the two headers with what changes something; who sends none is refused.
    """
    origin, fetch = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if fetch is not None and fetch not in ("same-origin", "none"):
        return False
    return _is_ours(request, origin) if origin is not None else fetch is not None


def _is_ours(request: Request, origin: str) -> bool:
    try:
        given = urlsplit(origin)
    except ValueError:  # brackets that hold no IPv6 address
        return False
    if request.url.scheme == "https" and given.scheme != "https":
        return False
    ours = request.app.state.site.ladder.settings.site_url
    return given.netloc in {request.headers.get("host"), urlsplit(ours).netloc} - {"", None}


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


def account_shown(request: Request) -> str:
    """
    Give the name of the account whose page this is, for the page's header; empty: a guest's.

    It reads the database, but only for a browser with a session. A page that says what is wrong names no account if
    that cannot be found out.
    """
    if not session_secret(request):
        return ""
    try:
        return viewer_of(request).name or ""
    except (HTTPException, PigpenError):
        return ""


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


async def _log_in_first_in_turn(request: Request) -> None:
    site: Site = request.app.state.site
    await site.turns.do(address_of(request), partial(log_in_first, request))


FOR_PEOPLE = (Depends(_log_in_first_in_turn),)
"""For routes, or routers, of which nothing is for visitors who have not logged in."""


def needs_log_in(request: Request) -> bool:
    """Tell whether a route is marked by `FOR_PEOPLE`: what is no JSON at all is refused before that is looked at."""
    found = getattr(request.scope.get("route"), "dependencies", ())
    return any(each.dependency is _log_in_first_in_turn for each in found)


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


COOKIE = "pigpen_visit"
COOKIE_SECONDS = 90 * 24 * 3600
VISIT_SECONDS = 1800
"""A visit is over when the browser has asked for nothing new for this long."""
WRITE_SECONDS = 60
"""The cookie is written again after this long."""
TIMES = re.compile(r"(\d{1,10})-(\d{1,10})", re.ASCII)


class Visit(NamedTuple):
    """The current visit, in Unix time."""

    before: int
    """The end of the visit before it; 0: there was none."""
    last: int
    """The time of the last request for something new; 0: never."""


def visit_of(request: Request, now: float) -> Visit:
    """Read which visit this is; a cookie that makes no sense is none."""
    found = TIMES.fullmatch(request.cookies.get(COOKIE, ""))
    before, last = (int(each) for each in found.groups()) if found else (0, 0)
    if not before <= last <= now:
        return Visit(0, 0)
    return Visit(last, last) if now - last > VISIT_SECONDS else Visit(before, last)


def keep_visit(request: Request, response: Response, visit: Visit, now: float) -> None:
    """Let the browser remember that it was here."""
    if now - visit.last > WRITE_SECONDS:
        response.set_cookie(
            COOKIE,
            f"{visit.before}-{int(now)}",
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )


MEDIA_TYPE = "application/x-www-form-urlencoded"
MAX_BYTES, MAX_FIELDS = 64 * 1024, 50
FOREIGN_PAGE = to_translate("This form does not come from a page of this site. Load the page again, and try again.")
TOO_LARGE = to_translate("This form is too large.")


async def form_of(request: Request) -> Mapping[str, str]:
    """
    Read a form: for routes that change something, which get it as a parameter of the type `Form`.

    Raises:
        HTTPException: 403 if it does not come from a page of this site, or not from this session; 413, 415, 422 if it
            is no such form.
    """
    if not is_same_origin(request):
        raise HTTPException(403, FOREIGN_PAGE)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise HTTPException(415, f"A form is sent as {MEDIA_TYPE}.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise HTTPException(413, TOO_LARGE)
    try:
        form = dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS))
    except ValueError:
        raise HTTPException(422, "This form cannot be read.") from None
    if not has_csrf(request, form.get("csrf", "")):
        raise HTTPException(403, FOREIGN_PAGE)
    return form


Form = Annotated[Mapping[str, str], Depends(form_of)]


def form_page(request: Request, template: str, values: Mapping[str, Any], status: int = 200) -> Response:
    """Answer with a page that has forms: templates put `csrf` into each of them; tabs need `has_teams`."""
    site: Site = request.app.state.site
    found = {"csrf": csrf_of(request), "has_teams": site.ladder.settings.team_size > 0, **values}
    return site.pages.fresh_page(request, template, found, status)

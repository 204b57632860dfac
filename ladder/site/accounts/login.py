"""
Pages where people log in and out, register, and confirm log-ins of the command.

Logging in and registering share their parts: slow work out of the way of pages, the cookie, where to go next.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, TypeVar
from urllib.parse import urlsplit

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app.accounts import device, registering, sessions
from ladder.app.accounts.passwords import AT_ONCE, BUSY, MAX_WAITING, known_device, made_known
from ladder.app.accounts.sessions import Visit
from ladder.entry.policy import Act
from ladder.errors import Forbidden, LadderError, TooOften, UserError
from ladder.site.server.attempts import Attempt
from ladder.site.server.places import Turns
from ladder.site.server.routing import Router, in_turn
from ladder.site.server.viewer import FOR_PEOPLE, Form, address_of, cookie_name, demand, form_page, viewer_of
from ladder.values.accounts import Scope
from ladder.values.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.app.accounts.sessions import LoggedIn
    from ladder.site.server.context import Site

T = TypeVar("T")
HOME = "/me"
DEVICE_COOKIE, DEVICE_SECONDS = "pigpen_device", 365 * 24 * 3600
LONGEST_NEXT = 500


def hashing_turns() -> Turns:
    """Limit the threads that hash passwords, so that others are left to make pages."""
    return Turns(AT_ONCE, MAX_WAITING, BUSY)


async def in_hashing_turn(request: Request, work: Callable[[], T]) -> T:
    """
    Do what hashes a password, when it is its turn.

    Raises:
        Busy: If very many wait, and no other visitors have more that do.
    """
    site: Site = request.app.state.site
    return await site.hashing.do(address_of(request), work)


def visit_of(request: Request) -> Visit:
    """Say where a log-in comes from: address and browser."""
    return Visit(address_of(request), sanitize(request.headers.get("user-agent", ""))[:200])


def begin_in_browser(request: Request, logged_in: LoggedIn, place: str) -> Response:
    """Give a browser its session, and lead it on."""
    response = RedirectResponse(next_of(place), 303, {"Cache-Control": "no-store"})
    response.set_cookie(
        cookie_name(request),
        logged_in.secret,
        max_age=int(logged_in.seconds),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    _keep_known(request, response, logged_in.name)
    return response


def device_of(request: Request, name: str) -> str:
    """Find the number by which this browser is known to an account of that name, in a file; empty: it is not."""
    site: Site = request.app.state.site
    with suppress(LadderError, UserError):  # without the ladder's secret no browser is known
        return known_device(site.ladder.settings.data_dir, request.cookies.get(DEVICE_COOKIE, ""), name)
    return ""


def _keep_known(request: Request, response: Response, name: str) -> None:
    """Let a browser be known to the account from now on, also when its session has ended."""
    site: Site = request.app.state.site
    with suppress(LadderError, UserError):
        kept = made_known(site.ladder.settings.data_dir, request.cookies.get(DEVICE_COOKIE, ""), name)
        secure = request.url.scheme == "https"
        response.set_cookie(
            DEVICE_COOKIE, kept, max_age=DEVICE_SECONDS, path="/login", httponly=True, samesite="lax", secure=secure
        )


def end_in_browser(request: Request, place: str = "/login") -> Response:
    """Take a browser's session away, and lead it to a page of the site."""
    response = RedirectResponse(place, 303, {"Cache-Control": "no-store"})
    secure = request.url.scheme == "https"
    response.delete_cookie(cookie_name(request), httponly=True, samesite="lax", secure=secure)
    return response


def next_of(place: str) -> str:
    r"""
    Give where to go next: within this site, whatever a link says.

    >>> next_of("/login/code?code=BCDF-GHJK")
    '/login/code?code=BCDF-GHJK'
    >>> next_of("//evil.test/"), next_of("https://evil.test/"), next_of("/\\evil.test/")
    ('/me', '/me', '/me')
    """
    try:
        parts = urlsplit(place[: LONGEST_NEXT + 1])
    except ValueError:  # brackets that hold no IPv6 address
        return HOME
    is_ours = place.startswith("/") and not place.startswith(("//", "/\\")) and not parts.netloc and not parts.scheme
    return place if is_ours and place.isascii() and place.isprintable() and len(place) <= LONGEST_NEXT else HOME


def site_address(request: Request) -> str:
    """Give the site's address as its visitors type it, with a slash at its end."""
    site: Site = request.app.state.site
    return f"{(site.ladder.settings.site_url or str(request.base_url)).rstrip('/')}/"


router = Router()
Place = Annotated[str, Query(alias="next", max_length=600)]


@router.get("/login")
def login(request: Request, place: Place = "") -> Response:
    """Show the page for logging in."""
    if viewer_of(request).name is not None:
        return RedirectResponse(next_of(place), 303)
    return _login_page(request, "", place)


@router.post("/login")
async def log_in(request: Request, form: Form) -> Response:
    """Log in with name and password."""
    site: Site = request.app.state.site
    name, place = form.get("name", ""), form.get("next", "")
    device = await in_turn(request, device_of, request, name[:100])
    site.attempts.count_claim(Attempt.LOG_IN, address_of(request), name[:100], device)
    before = await in_turn(request, viewer_of, request)

    def work() -> sessions.LoggedIn:
        return sessions.log_in(site.ladder, site.passwords, name, form.get("password", ""), visit_of(request))

    try:
        logged_in = await in_hashing_turn(request, work)
    except Forbidden as error:
        site.metrics.logged_in("wrong")
        return await in_turn(request, _login_page, request, error, place, name, 403)
    site.metrics.logged_in("right")
    site.attempts.forgive(Attempt.LOG_IN, address_of(request), name[:100], device)
    await in_turn(request, sessions.log_out, site.ladder, before)
    return begin_in_browser(request, logged_in, place)


@router.post("/logout")
def log_out(request: Request, form: Form) -> Response:
    """End the session."""
    site: Site = request.app.state.site
    sessions.log_out(site.ladder, viewer_of(request))
    return end_in_browser(request)


@router.get("/register")
def register(request: Request, invitation: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Show the page for registering, by an invitation or, if the settings allow it, without one."""
    return _register_page(request, invitation)


@router.post("/register")
async def make_account(request: Request, form: Form) -> Response:
    """Make an account, or give one its password."""
    site: Site = request.app.state.site
    name, invitation = form.get("name", ""), form.get("invitation", "")[:100]
    site.attempts.count(Attempt.REGISTER, address_of(request))

    def work() -> sessions.LoggedIn:
        password = form.get("password", "")
        return registering.register(site.ladder, site.passwords, name, password, invitation, visit_of(request))

    try:
        logged_in = await in_hashing_turn(request, work)
    except TooOften:
        raise
    except (LadderError, UserError) as error:
        return await in_turn(request, _register_page, request, invitation, error, name)
    return begin_in_browser(request, logged_in, "")


@router.get("/login/code", dependencies=FOR_PEOPLE)
def code(request: Request, code: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show the page on which the user confirms a log-in of `pigpen login`."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    values = {"waiting": None, "error": "", "ended": "", "viewer": viewer, "code": code}
    if not code:
        return form_page(request, "login_code.html", values)
    site.attempts.count(Attempt.CONFIRM_CODE, address_of(request), str(viewer.name))
    try:
        return form_page(request, "login_code.html", values | {"waiting": device.waiting(site.ladder, code)})
    except LadderError as error:
        return form_page(request, "login_code.html", values | {"error": error}, 404)


@router.post("/login/code", dependencies=FOR_PEOPLE)
def confirm_code(request: Request, form: Form) -> Response:
    """Confirm, or refuse, a log-in of the command."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    code, is_confirmed = form.get("code", ""), form.get("decision") == "confirm"
    site.attempts.count(Attempt.CONFIRM_CODE, address_of(request), str(viewer.name))
    values = {"waiting": None, "error": "", "viewer": viewer, "code": "", "ended": "refused"}
    try:
        if is_confirmed:
            scopes = {Scope.READ, Scope.SUBMIT} | ({Scope.ADMIN} if viewer.is_organiser and "admin" in form else set())
            device.confirm(site.ladder, viewer, code, scopes)
            values["ended"] = "confirmed"
        else:
            device.refuse(site.ladder, viewer, code)
    except LadderError as error:
        return form_page(request, "login_code.html", values | {"error": error, "ended": ""}, 404)
    return form_page(request, "login_code.html", values)


def _login_page(request: Request, error: str | Exception, place: str, name: str = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    settings = site.ladder.settings
    values = {
        "error": error,
        "next": next_of(place),
        "name": name,
        "registration": settings.registration,
        "mail_is_on": settings.sends_mail,
    }
    return form_page(request, "login.html", values, status)


def _register_page(request: Request, invitation: str, error: str | Exception = "", name: str = "") -> Response:
    site: Site = request.app.state.site
    values = {"invitation": invitation, "error": error, "name": name, "registration": site.ladder.settings.registration}
    try:
        offer = registering.registration_offer(site.ladder, invitation)
    except LadderError as refused:
        return form_page(request, "register.html", values | {"offer": None, "error": refused}, 403)
    return form_page(request, "register.html", values | {"offer": offer}, 422 if error else 200)

"""Common parts of logging in and registering: slow work out of the way of pages, the cookie, where to go next."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from starlette.responses import RedirectResponse

from ladder.app.accounts.known_devices import known_device, made_known
from ladder.app.accounts.passwords import AT_ONCE, BUSY, MAX_WAITING
from ladder.app.accounts.sessions import Visit
from ladder.errors import LadderError, UserError
from ladder.site.server.origin import cookie_name
from ladder.site.server.places import Turns
from ladder.site.server.viewer import address_of
from ladder.values.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

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


def end_in_browser(request: Request) -> Response:
    """Take a browser's session away."""
    response = RedirectResponse("/login", 303, {"Cache-Control": "no-store"})
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

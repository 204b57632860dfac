"""Holders of chairs: the cookie of a chair, how guests are told from one another, and the session of a request."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from ladder.app.accounts.secrets import new_secret
from ladder.entry.networks import network_of
from ladder.errors import LadderError
from ladder.people.sessions.table_info import FoundSeat
from ladder.people.tables.chairs import seat_of
from ladder.people.tables.table_states import table_page
from ladder.site.rendering.words import to_translate
from ladder.site.server.viewer import address_of, viewer_of
from ladder.values.people import OpenedTable, TableVisitor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from ladder.app.ladder import Ladder
    from ladder.people.sessions.open_tabs import OpenTabs
    from ladder.people.sessions.seat_session import SeatSession
    from ladder.site.server.context import Site
    from ladder.values.people import TableState

SEAT_COOKIE, INVITING_COOKIE, GUEST_COOKIE = "pigpen_seat", "pigpen_inviting", "pigpen_guest"
"""A chair's secret; the secrets of the other people's chairs, which the opener has; what a guest is known by."""
COOKIE_SECONDS = 30 * 24 * 3600
LONGEST_SECRET = 64
SETTLE_SECONDS = 2.0
"""Seconds that a request waits for the seat: a site that has just started must find it first."""
NOT_YOURS = to_translate(
    "There is no such table, or you have no chair there. Open the link that you were given, or another table."
)


def visitor_of(request: Request, shown: str = "") -> TableVisitor:
    """Give the visitor of a table or chair; *shown* is the name that they chose. Reads the database."""
    viewer = viewer_of(request)
    if viewer.name:
        return TableVisitor(viewer.name, shown=shown)
    return TableVisitor(guest=guest_of(request), shown=shown, network=network_of(address_of(request)))


def guest_of(request: Request) -> str:
    """Give the secret of a guest: what its cookie holds, or will hold."""
    if not hasattr(request.state, "guest"):
        kept = request.cookies.get(GUEST_COOKIE, "")
        request.state.guest = kept if 0 < len(kept) <= LONGEST_SECRET else new_secret("")
    return str(request.state.guest)


def secret_of(request: Request) -> str:
    """Give the secret of the chair in which the browser sits at the table of this address; empty if there is none."""
    return request.cookies.get(SEAT_COOKIE, "")[:LONGEST_SECRET]


def my_table(request: Request, name: str) -> TableState:
    """
    Read the table at which the visitor has a chair.

    Raises:
        HTTPException: 404 if there is no such table, or no such chair, which sounds the same.
    """
    site: Site = request.app.state.site
    try:
        state = table_page(site.ladder, name, secret_of(request))
    except LadderError:
        raise HTTPException(404, NOT_YOURS) from None
    if state.mine is None:
        raise HTTPException(404, NOT_YOURS)
    return state


async def my_seat_session(request: Request, name: str) -> SeatSession:
    """
    Give the session of the visitor's chair.

    Raises:
        HTTPException: 404 if there is no such table, or no such chair.
    """
    site: Site = request.app.state.site
    tabs: OpenTabs = request.app.state.open_tabs
    try:
        secret = secret_of(request)
        return await tabs.seat_sessions.at(name, secret, partial(find_seat, site.ladder, name, secret))
    except LadderError:
        raise HTTPException(404, NOT_YOURS) from None


async def settled_session(request: Request, name: str) -> SeatSession:
    """
    Give the session of the visitor's chair when it has found its seat, or has looked for it for `SETTLE_SECONDS`.

    Raises:
        HTTPException: As `my_seat_session`.
    """
    session = await my_seat_session(request, name)
    await session.settled(SETTLE_SECONDS)
    return session


def find_seat(ladder: Ladder, name: str, secret: str) -> FoundSeat:
    """
    Look up a table, and where the seat is that a secret is for.

    Raises:
        LadderError: If there is no such table, or no such chair.
    """
    return FoundSeat(table_page(ladder, name, secret), seat_of(ladder, name, secret))


def keep_seat(request: Request, response: Response, name: str, secret: str) -> None:
    """Let a browser sit in a chair from now on."""
    _keep(request, response, SEAT_COOKIE, secret, f"/play/{name}")


def keep_opened(request: Request, response: Response, opened: OpenedTable) -> None:
    """Let the browser that opened a table sit in its first chair, and keep what it may give to others."""
    (_, own), *others = sorted(opened.secrets.items())
    keep_seat(request, response, opened.name, own)
    if others:
        kept = ".".join(f"{chair}~{secret}" for chair, secret in others)
        _keep(request, response, INVITING_COOKIE, kept, f"/play/{opened.name}")
    keep_guest(request, response)


def keep_guest(request: Request, response: Response) -> None:
    """Let a guest be known again by what it has done here."""
    if viewer_of(request).name is None:
        _keep(request, response, GUEST_COOKIE, guest_of(request), "/")


def invitations(request: Request) -> Mapping[int, str]:
    """Give the secrets of other people's chairs that this browser has, by the numbers of the chairs."""
    found = {}
    for part in request.cookies.get(INVITING_COOKIE, "")[: 8 * (LONGEST_SECRET + 3)].split("."):
        chair, _, secret = part.partition("~")
        if chair.isascii() and chair.isdigit() and secret:
            found[int(chair)] = secret
    return found


def _keep(request: Request, response: Response, name: str, value: str, path: str) -> None:
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=COOKIE_SECONDS, path=path, httponly=True, samesite="lax", secure=secure)

"""
Parts of requests to the pages of tables: the table's name, messages of scripts, and the holder of a chair.

The name of a table is in the address. Messages that scripts of its page send are small and strict. For holders of
chairs there are the cookie of a chair, the way in which guests are distinguished, and the session of a request.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException

from ladder.app.accounts.sessions import new_secret
from ladder.app.overview import tables_are_played
from ladder.entry.networks import network_of
from ladder.errors import LadderError
from ladder.people.sessions.seat_session import LONGEST_ANSWER
from ladder.people.sessions.table_info import FoundSeat
from ladder.people.tables.chairs import AccountKey, resume, seat_of, table_page
from ladder.site.rendering.translations import to_translate
from ladder.site.server.routing import in_turn
from ladder.site.server.viewer import FOREIGN_PAGE, account_shown, address_of, is_same_origin, viewer_of
from ladder.values.people import OpenedTable, TableVisitor
from ladder.values.person_state import Phrase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from ladder.app.ladder import Ladder
    from ladder.people.sessions.seat_session import SeatSession
    from ladder.people.sessions.session_pool import OpenTabs
    from ladder.site.server.context import Site
    from ladder.values.people import TableState

Name = Annotated[str, Path(max_length=32)]
"""A table's, in the address of its pages."""
MAX_BYTES = 4096
JSON = "application/json"
NOT_KEPT = {"Cache-Control": "no-store"}
"""Headers of an answer that neither a browser nor a proxy keeps."""


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class AnswerMessage(_Message):
    """An answer to a question."""

    decision: int = Field(ge=0, le=2**53)
    action: str = Field(max_length=LONGEST_ANSWER)


class DecisionMessage(_Message):
    """The number of a question."""

    decision: int = Field(ge=0, le=2**53)


class PresenceMessage(_Message):
    """The presence of the person."""

    state: Literal["here", "away", "ready", "reads", "plays"]
    deal: int | None = Field(None, ge=0, le=2**31)


class PhraseMessage(_Message):
    """A phrase of a person to the others at the table."""

    phrase: Phrase


class EmptyMessage(_Message):
    """A message without fields, where the address says all."""


S = TypeVar("S", bound=_Message)


def is_json(request: Request) -> bool:
    """Tell whether a request brings JSON, which no form of another site can."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == JSON


async def message_of(request: Request, kind: type[S]) -> S:
    """
    Read what a page of this site says.

    Raises:
        HTTPException: 403 if it does not come from one; 413, 415, 422 if it cannot be read.
    """
    if not is_same_origin(request):
        raise HTTPException(403, FOREIGN_PAGE)
    if not is_json(request):
        raise HTTPException(415, f"This is sent as {JSON}.")
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise HTTPException(413, "That is too large for an answer.")
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise HTTPException(422, f"{where}: {first['msg']}.") from None


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
    """
    Give the secret of the chair in which the browser sits at the table of this address.

    A browser without one has the key of the account that has logged in to it, which may have sat down there in another
    browser; else it is empty, as for a program, whatever token it has. Without a cookie it reads the database.
    """
    return _kept_secret(request) or AccountKey(account_shown(request))


async def secret_in_turn(request: Request) -> str:
    """Give the same on the event loop, where the database is read in a thread."""
    return _kept_secret(request) or await in_turn(request, secret_of, request)


def _kept_secret(request: Request) -> str:
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
        secret = await secret_in_turn(request)
        find, play_on = partial(find_seat, site.ladder, name, secret), partial(resume, site.ladder, name, secret)
        return await tabs.seat_sessions.at(name, secret, find, play_on)
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
    return FoundSeat(table_page(ladder, name, secret), seat_of(ladder, name, secret), tables_are_played(ladder))


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

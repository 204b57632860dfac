"""What decisions were worth: estimated when somebody asks, one at a time, and kept."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ladder.app import matches
from ladder.app import why as estimates
from ladder.app.local.why import Where
from ladder.site.context import MOST_NUMBER
from ladder.site.words import to_translate
from ladder.values.why import Dearest, Inbox, Why

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ladder.site.context import Site
    from ladder.values.value import Value

api = APIRouter()
pages = APIRouter()
JSON = "application/json"
PATIENCE = 20.0
"""Seconds that a request waits for its turn."""
MOST_WAITING = 4
"""Requests that wait for their turn at once: each takes one of the threads that make pages."""
MOST_INBOX_MATCHES = 5
TOO_MANY = to_translate("Too many estimates are asked for; try again soon.")

_waiting = threading.BoundedSemaphore(MOST_WAITING)
_turn = threading.Lock()
Number = Annotated[int, Path(ge=1, le=MOST_NUMBER)]
Place = Annotated[int, Path(ge=0, le=MOST_NUMBER)]


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """
    Wait for a turn: an estimate takes a core for some tenths of a second, and matches want it, too.

    Raises:
        HTTPException: 503, if too many others wait.
    """
    too_many = HTTPException(503, TOO_MANY, {"Retry-After": "10"})
    if not _waiting.acquire(blocking=False):
        raise too_many
    try:
        if not _turn.acquire(timeout=PATIENCE):
            raise too_many
        try:
            yield
        finally:
            _turn.release()
    finally:
        _waiting.release()


def estimated(request: Request, make: Callable[[], Value], worst: int = 0) -> Response:
    """Answer with an estimate, which stays as it is: it follows from the record, and from *worst*."""
    site: Site = request.app.state.site

    def body() -> tuple[bytes, str]:
        with one_at_a_time():
            return make().model_dump_json().encode(), JSON

    return site.fixed.respond(request, f"{request.url.path} {worst}", body)


@api.get("/matches/{number}/boards/{board}/tables/{table}/steps/{step}/why", response_model=Why)
def why(request: Request, number: Number, board: Place, table: Place, step: Number) -> Response:
    """Estimate what each choice of a decision was worth, from what its seat knew; steps count from 1."""
    site: Site = request.app.state.site

    def make() -> Why:
        has_boards = matches.public_match(site.ladder, number).format.startswith("boards:")
        where = Where(board=board, rotation=table) if has_boards else Where(deal=board)
        return estimates.why(site.ladder, number, step, where)

    return estimated(request, make)


@api.get("/matches/{number}/seats/{seat}/dearest", response_model=Dearest)
def dearest(request: Request, number: Number, seat: Place, worst: Annotated[int, Query(ge=1, le=20)] = 5) -> Response:
    """Find the decisions that cost a bot most in a match, by estimate."""
    site: Site = request.app.state.site
    return estimated(request, lambda: estimates.dearest(site.ladder, number, str(seat), worst), worst)


@api.get("/bots/{name}/inbox", response_model=Inbox)
def inbox(request: Request, name: str) -> Response:
    """Give the dearest decisions of a bot in its newest matches, and its newest faults."""
    site: Site = request.app.state.site
    key = f"{request.url.path} {_newest(site, name)}"
    return site.fixed.respond(request, key, lambda: (_inbox(site, name).model_dump_json().encode(), JSON))


@pages.get("/b/{name}/inbox")
def inbox_page(request: Request, name: str) -> Response:
    """What the owner of a bot may want to look at: its dearest decisions, and its faults."""
    site: Site = request.app.state.site
    return site.pages.page(request, "inbox.html", lambda: {"inbox": _inbox(site, name), "name": name})


def _newest(site: Site, name: str) -> list[int]:
    """The matches on which the inbox of a bot depends."""
    return [match.id for match in matches.newest(site.ladder, bot=name, limit=MOST_INBOX_MATCHES).matches]


def _inbox(site: Site, name: str) -> Inbox:
    with one_at_a_time():
        return estimates.inbox(site.ladder, name, MOST_INBOX_MATCHES)

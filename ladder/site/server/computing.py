"""Answers for something that is still being computed, and the turn of a request in the queue."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import Response

from ladder.app.computing.asking import BeingComputed
from ladder.entry.networks import network_of
from ladder.site.rendering.words import to_translate
from ladder.site.server.origin import SAFE
from ladder.site.server.problems import CONTENT, respond
from ladder.site.server.viewer import address_of, viewer_of
from ladder.values.computing import Computing

if TYPE_CHECKING:
    from starlette.requests import Request

AGAIN_SECONDS = "1"
LATER_SECONDS = "30"
NOT_SERVED = to_translate(
    "What you ask for has to be computed, and the program that does so is not running. "
    "The ladder's organiser starts it with: pigpen ladder compute"
)
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    202: {
        "model": Computing,
        "description": "It is being computed. Ask again at the address in Location after Retry-After seconds.",
    },
    429: {"description": "Too many of your requests wait to be computed.", "content": CONTENT},
}
"""Additional answers of the API's operations for which something has to be computed."""


def asker_of(request: Request) -> str:
    """
    Say whose turn in the queue a request takes: the account's, else the address's; a guest's cookie costs nothing.

    It reads the database.
    """
    account = viewer_of(request).name
    return f"account {account}" if account is not None else f"address {network_of(address_of(request))}"


def on_being_computed(request: Request, error: Exception) -> Response:
    """Say how far it has come: a page that is loaded again by itself, or a `Computing` for a program."""
    assert isinstance(error, BeingComputed)
    computing = error.computing
    if _is_for_a_program(request):
        if computing.is_served:
            return Response(computing.model_dump_json(), 202, again(request), "application/json")
        response = respond(request, HTTPStatus.SERVICE_UNAVAILABLE, NOT_SERVED)
    else:
        status = HTTPStatus.ACCEPTED if computing.is_served else HTTPStatus.SERVICE_UNAVAILABLE
        values = {"computing": computing, "not_served": NOT_SERVED}
        response = request.app.state.site.pages.fresh_page(request, "computing.html", values, status)
    response.headers["Retry-After"] = AGAIN_SECONDS if computing.is_served else LATER_SECONDS
    return response


def again(request: Request) -> dict[str, str]:
    """Make the headers of an answer that is not there yet."""
    headers = {"Retry-After": AGAIN_SECONDS, "Cache-Control": "no-store"}
    if request.method in SAFE:
        query = request.scope["query_string"].decode("latin-1")
        headers["Location"] = quote(request.scope["path"], safe="/") + (f"?{query}" if query else "")
    return headers


def _is_for_a_program(request: Request) -> bool:
    return request.url.path.startswith("/api/") or "application/json" in request.headers.get("accept", "")

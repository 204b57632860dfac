"""
Answers to requests that cannot be served: errors, and values that are still being computed.

An error is a page for a reader, a problem document (RFC 9457) for a program. For something that is still being
computed, `asker_of` names whose turn in the queue the request takes.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import structlog
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from ladder.app.computing.asking import BeingComputed, NoAnswer
from ladder.entry.networks import network_of
from ladder.errors import (
    Busy,
    Conflict,
    Forbidden,
    LadderError,
    SandboxError,
    StoreError,
    TooOften,
    UserError,
    Worded,
)
from ladder.site.rendering.translations import language_of, sentence_in, to_translate
from ladder.site.server.headers import without_secrets
from ladder.site.server.viewer import (
    SAFE,
    LogInFirst,
    address_of,
    log_in_first,
    needs_log_in,
    on_log_in_first,
    viewer_of,
)
from ladder.values.text import sanitize
from ladder.values.value import Computing
from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from starlette.requests import Request

MEDIA_TYPE = "application/problem+json"
NO_DATABASE = to_translate("The ladder's database does not answer; try again soon.")
FAILED = to_translate("The site failed; its log says why.")
NO_ROOM = to_translate(
    "The ladder's machine has no room, or fails in another way; try again soon, or tell its organiser."
)
COMMAND = re.compile(r" (?:\(see|(?:To|For) [^.:]+): pigpen [^.]*\.?$")
"""The way out for a terminal, at the end of a message: a page has links."""
LONGEST = 500
"""Characters of a message: what was asked may be repeated in it."""

SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong, and what to do, in a sentence."},
    },
}
CONTENT = {MEDIA_TYPE: {"schema": SCHEMA}}
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    304: {"description": "What the header If-None-Match names is still good."},
    404: {"description": "There is nothing of that name or number.", "content": CONTENT},
    422: {"description": "A parameter makes no sense.", "content": CONTENT},
    431: {"description": "The address and its headers are too long.", "content": {"text/plain": {}}},
    503: {"description": "The ladder does not answer, or too much is asked; try again soon.", "content": CONTENT},
}
"""Answers that each operation of the API may give besides the one that it is there for."""
FOR_PEOPLE: dict[int | str, dict[str, Any]] = {
    400: {"description": "The body cannot be read.", "content": CONTENT},
    401: {"description": "The visitor has not logged in, or the token is not good.", "content": CONTENT},
    403: {"description": "The token lacks a scope, or it is not for programs.", "content": CONTENT},
    413: {"description": "The request is too large.", "content": CONTENT},
    429: {"description": "It was asked too often; the header Retry-After says when to ask again.", "content": CONTENT},
}
"""Additional answers of operations that are not for everybody."""

log = structlog.get_logger("pigpen.site")


def on_our_error(request: Request, error: Exception) -> Response:
    """Answer that something that was asked for is not there, or that the database fails."""
    assert isinstance(error, PigpenError)
    if isinstance(error, TooOften):
        status = HTTPStatus.SERVICE_UNAVAILABLE if isinstance(error, Busy) else HTTPStatus.TOO_MANY_REQUESTS
        response = respond(request, status, error)
        response.headers["Retry-After"] = str(max(1, round(error.seconds)))
        return response
    if isinstance(error, Forbidden):
        return respond(request, HTTPStatus.FORBIDDEN, error)
    if isinstance(error, Conflict):
        return respond(request, HTTPStatus.CONFLICT, error)
    if isinstance(error, NoAnswer) or (isinstance(error, UserError) and request.method not in SAFE):
        return respond(request, HTTPStatus.UNPROCESSABLE_ENTITY, error)
    if isinstance(error, UserError | LadderError):
        return respond(request, HTTPStatus.NOT_FOUND, error)
    log.error("failed", path=without_secrets(request.url.path), error=str(error))
    if isinstance(error, StoreError):
        return respond(request, HTTPStatus.SERVICE_UNAVAILABLE, NO_DATABASE)
    if isinstance(error, SandboxError):
        return respond(request, HTTPStatus.SERVICE_UNAVAILABLE, NO_ROOM)
    return respond(request, HTTPStatus.INTERNAL_SERVER_ERROR, FAILED)


def on_http_error(request: Request, error: Exception) -> Response:
    """Answer that there is no such page, or not for this method."""
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    detail = error.detail if error.detail != status.phrase else _WORDS.get(status, status.description or status.phrase)
    response = respond(request, status, detail)
    response.headers.update(error.headers or {})
    return response


def on_bad_input(request: Request, error: Exception) -> Response:
    """Answer that a parameter makes no sense; a page whose address names no possible number is not there."""
    assert isinstance(error, RequestValidationError)
    if needs_log_in(request):
        try:
            log_in_first(request)
        except HTTPException as refused:
            return on_http_error(request, refused)
        except LogInFirst as refused:
            return on_log_in_first(request, refused)
    first = error.errors()[0]
    if first["loc"][0] == "path" and not _is_program(request):
        return respond(request, HTTPStatus.NOT_FOUND, _WORDS[HTTPStatus.NOT_FOUND])
    why = first["msg"].removeprefix("Value error, ")
    return respond(request, HTTPStatus.UNPROCESSABLE_ENTITY, f"{first['loc'][-1]}: {why}.")


def on_failure(request: Request, error: Exception) -> Response:
    """Answer that we made a mistake, and log it."""
    log.error("failed", path=without_secrets(request.url.path), exc_info=error)
    return respond(request, HTTPStatus.INTERNAL_SERVER_ERROR, FAILED)


def respond(request: Request, status: HTTPStatus, refusal: str | Exception) -> Response:
    """
    Say what is wrong, and what to do: to a reader in the reader's language, to a program in English.

    Args:
        request: What was asked.
        status: The response's.
        refusal: What is wrong: a sentence, or an error that has one.
    """
    if _is_program(request):
        detail = sanitize(str(refusal)[:LONGEST])
        document = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": detail}
        return JSONResponse(document, status, {"Cache-Control": "no-store"}, MEDIA_TYPE)
    language = language_of(request)
    shown = _without_command(refusal)
    in_english = sentence_in(shown, "en")
    detail = sentence_in(shown, language)
    values = {
        "status": status.value,
        "title": status.phrase,
        "detail": sanitize(detail[:LONGEST]),
        "detail_language": "en" if detail == in_english else language,
    }
    response: Response = request.app.state.site.pages.fresh_page(request, "error.html", values, status)
    return response


def _without_command(refusal: str | Exception) -> str | Exception:
    if isinstance(refusal, Worded):
        return LadderError(COMMAND.sub("", refusal.sentence), **refusal.values)
    return COMMAND.sub("", str(refusal))


def _is_program(request: Request) -> bool:
    """Tell whether the answer is for a program: the API, or a script of a page."""
    return request.url.path.startswith("/api/") or request.headers.get("sec-fetch-dest") == "empty"


_WORDS = {
    HTTPStatus.NOT_FOUND: to_translate("There is no such page."),
    HTTPStatus.METHOD_NOT_ALLOWED: to_translate("This address cannot be used that way."),
}


AGAIN_SECONDS = "1"
LATER_SECONDS = "30"
NOT_SERVED = to_translate(
    "What you ask for has to be computed, and the program that does so is not running. "
    "The ladder's organiser starts it with: pigpen ladder compute"
)
DOCUMENTED_COMPUTING: dict[int | str, dict[str, Any]] = {
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

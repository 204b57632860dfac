"""Errors: a page for a reader, a problem document (RFC 9457) for a program."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import structlog
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from ladder.app.computing.asking import NoAnswer
from ladder.errors import Busy, Conflict, Forbidden, LadderError, SandboxError, StoreError, TooOften, UserError
from ladder.site.rendering.words import language_of, to_translate, translations
from ladder.site.server.headers import without_secrets
from ladder.site.server.origin import SAFE
from ladder.site.server.viewer import LogInFirst, log_in_first, needs_log_in, on_log_in_first
from ladder.values.text import sanitize
from pigpen.rules.errors import PigpenError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

MEDIA_TYPE = "application/problem+json"
NO_DATABASE = to_translate("The ladder's database does not answer; try again soon.")
FAILED = to_translate("The site failed; its log says why.")
NO_ROOM = to_translate(
    "The ladder's machine has no room, or fails in another way; try again soon, or tell its organiser."
)
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
        response = respond(request, status, error.sentence, minutes=error.minutes)
        response.headers["Retry-After"] = str(max(1, round(error.seconds)))
        return response
    if isinstance(error, Forbidden):
        return respond(request, HTTPStatus.FORBIDDEN, str(error))
    if isinstance(error, Conflict):
        return respond(request, HTTPStatus.CONFLICT, str(error))
    if isinstance(error, NoAnswer) or (isinstance(error, UserError) and request.method not in SAFE):
        return respond(request, HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
    if isinstance(error, UserError | LadderError):
        return respond(request, HTTPStatus.NOT_FOUND, str(error))
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


def respond(request: Request, status: HTTPStatus, detail: str, minutes: str = "") -> Response:
    """
    Say what is wrong, and what to do: to a reader in the reader's language, to a program in English.

    Args:
        request: What was asked.
        status: The response's.
        detail: What is wrong, in a sentence.
        minutes: What ``{minutes}`` in it stands for.
    """
    detail = sanitize(detail[:LONGEST])
    if _is_program(request):
        document = {
            "type": "about:blank",
            "title": status.phrase,
            "status": status.value,
            "detail": detail.replace("{minutes}", minutes),
        }
        return JSONResponse(document, status, {"Cache-Control": "no-store"}, MEDIA_TYPE)
    language = language_of(request)
    translated = translations(language).gettext(detail)
    detail_language = "en" if translated == detail else language
    values = {
        "status": status.value,
        "title": status.phrase,
        "detail": translated.replace("{minutes}", minutes),
        "detail_language": detail_language,
    }
    response: Response = request.app.state.site.pages.fresh_page(request, "error.html", values, status)
    return response


def _is_program(request: Request) -> bool:
    """Tell whether the answer is for a program: the API, or a script of a page."""
    return request.url.path.startswith("/api/") or request.headers.get("sec-fetch-dest") == "empty"


_WORDS = {
    HTTPStatus.NOT_FOUND: to_translate("There is no such page."),
    HTTPStatus.METHOD_NOT_ALLOWED: to_translate("This address cannot be used that way."),
}

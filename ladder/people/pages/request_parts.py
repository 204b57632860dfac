"""Parts of requests: the name of a table in an address, and what scripts of its page send: small and strict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException

from ladder.people.sessions.person_answers import LONGEST_ANSWER
from ladder.site.server.forms import FOREIGN_PAGE
from ladder.site.server.origin import is_same_origin
from ladder.values.person_state import Phrase

if TYPE_CHECKING:
    from starlette.requests import Request

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

    state: Literal["here", "away", "ready"]
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

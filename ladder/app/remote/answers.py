"""Answers of a remote ladder: a value, or a sentence that says why there is none."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import pydantic

from ladder.errors import LadderError, RemoteError
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    import requests

    from pigpen.rules.errors import PigpenError

T = TypeVar("T")
MAX_BYTES = 64 * 1024**2
"""Of an answer, unpacked."""
PIECE = 64 * 1024
NO_ANSWER = frozenset((502, 503, 504))
"""Status codes of who cannot answer now, and of proxies before it."""
PROBLEM = "application/problem+json"
LONGEST = 600
"""Characters of a sentence that a remote ladder sent."""
BROKEN = {
    http.client.RemoteDisconnected: "the connection was closed before an answer came",
    http.client.IncompleteRead: "the connection was closed in the middle of an answer",
    http.client.HTTPException: "what is there does not speak HTTP",
}
"""Sentences of ours for exceptions of the HTTP library; the first that fits is taken."""


@dataclass(frozen=True)
class HttpAnswer:
    """An answer, read to its end."""

    status: int
    phrase: str
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def of(cls, found: requests.Response, max_bytes: int) -> HttpAnswer:
        """
        Read an answer.

        Raises:
            RemoteError: If it has more than *max_bytes* bytes.
        """
        body = bytearray()
        for piece in found.iter_content(PIECE):
            body += piece
            if len(body) > max_bytes:
                raise RemoteError(f"{found.url} answered with more than {max_bytes:,} bytes, which is the limit.")
        return cls(found.status_code, found.reason or "", found.headers, bytes(body))

    @property
    def media_type(self) -> str:
        """The media type that the answer's header names; empty: none."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def read(address: str, answer: HttpAnswer, kind: type[T] | pydantic.TypeAdapter[T]) -> T:
    """
    Read a value; fields that this version does not know are left out.

    Raises:
        LadderError: If the ladder refuses.
        RemoteError: If it failed, or does not answer as Pigpen does.
    """
    if not 200 <= answer.status < 300:
        raise refusal(address, answer)
    adapter = kind if isinstance(kind, pydantic.TypeAdapter) else pydantic.TypeAdapter(kind)
    try:
        return adapter.validate_json(answer.body or b"null", extra="ignore")
    except pydantic.ValidationError:
        raise not_understood(address, answer) from None


def refusal(address: str, answer: HttpAnswer) -> PigpenError:
    """Give what to raise in the place of a value: the ladder's own sentence, if there is one."""
    detail = _detail(answer)
    if detail is not None and 400 <= answer.status < 500:
        return LadderError(detail)
    if detail is not None and answer.status >= 500:
        return RemoteError(f"{address} failed: {detail}")
    if answer.status >= 500:
        return RemoteError(f"{address} does not answer: {answer.status} {answer.phrase}.")
    return not_understood(address, answer)


def not_understood(address: str, answer: HttpAnswer) -> RemoteError:
    """Give what to raise if it is not what Pigpen answers."""
    return RemoteError(
        f"The answer of {address} is not understood ({answer.status}, {answer.media_type or 'of no kind'}): it is not "
        f"a ladder, or its version of Pigpen is not this one, {__version__}."
    )


def why(error: BaseException) -> str:
    """Say why nothing came, in the system's words and not in those of a library."""
    seen: BaseException | None = error
    while seen is not None:
        for name in ("verify_message", "strerror"):
            if text := getattr(seen, name, None):
                return str(text).rstrip(".")
        if "Timeout" in type(seen).__name__:
            return "it takes too long"
        for kind, words in BROKEN.items():
            if isinstance(seen, kind):
                return words
        seen = seen.__cause__ or seen.__context__ or _reason(seen)
    return str(error).rpartition(": ")[2].rstrip("')\">.")[:LONGEST] or type(error).__name__


def _reason(error: BaseException) -> BaseException | None:
    """Find what a library keeps in a place of its own."""
    for found in (getattr(error, "reason", None), *error.args):
        if isinstance(found, BaseException):
            return found
    return None


def _detail(answer: HttpAnswer) -> str | None:
    """Read the sentence of a problem document (RFC 9457)."""
    if answer.media_type != PROBLEM:
        return None
    try:
        detail = json.loads(answer.body)["detail"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return detail[:LONGEST] if isinstance(detail, str) and detail else None

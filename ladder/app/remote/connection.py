"""
Requests to a remote ladder over HTTP, and their answers: a value, or a sentence that says why there is none.

The usual variables hold: ``HTTPS_PROXY``, ``HTTP_PROXY`` and ``NO_PROXY`` for proxies (never for this machine itself),
``REQUESTS_CA_BUNDLE`` and ``SSL_CERT_FILE`` for authorities. The token goes to the ladder's own origin alone.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

import pydantic
import requests
import requests.auth
import urllib3.exceptions

from ladder.app.remote.login import is_loopback, origin_of
from ladder.errors import LadderError, RemoteError
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from ladder.values.value import Value
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


API = "/api/v1"
CONNECTING, READING = 10.0, 60.0
"""Seconds without a connection, and between two bytes of an answer."""
PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further attempt at what may be asked twice."""
MAX_PAUSE = 10.0
"""Seconds that the header Retry-After may ask for."""
MAX_REDIRECTS = 5
"""Redirects that one request follows."""
AUTHORITIES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
FAILURES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
"""Exceptions that `requests` raises; a missing file of authorities is an OSError."""


class Connection:
    """A connection to a remote ladder, with the user's token if there is one."""

    def __init__(self, address: str, token: str | None = None, wait: Callable[[float], None] = time.sleep) -> None:
        """
        Prepare to ask; nothing is sent yet.

        Args:
            address: As `ladder_address` writes it.
            token: Identifies the caller.
            wait: Lets seconds pass between two attempts.
        """
        self.address = address
        self._token = _Token(token)
        self._wait = wait
        self._session = requests.Session()
        self._session.headers["User-Agent"] = f"pigpen/{__version__}"
        self._session.trust_env = not is_loopback(urlsplit(address).hostname or "")
        self._session.verify = next(filter(None, map(os.environ.get, AUTHORITIES)), True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._session.close()

    def get(self, path: str, kind: type[T] | pydantic.TypeAdapter[T], **wanted: object) -> T:
        """
        Ask for a value; tried again if the ladder does not answer.

        Args:
            path: Behind `API`.
            kind: What is expected.
            wanted: Parameters; None: not given.

        Raises:
            LadderError: If the ladder refuses; with its own sentence.
            RemoteError: If it does not answer, or not as Pigpen does.
        """
        return read(self.address, self.answer(path, params=_given(wanted)), kind)

    def send(
        self, method: str, path: str, kind: type[T] | pydantic.TypeAdapter[T], value: Value | None = None,
        data: bytes | None = None, headers: Mapping[str, str] | None = None,
    ) -> T:  # fmt: skip
        """Change something; never tried again. It raises what `get` does."""
        given = dict(headers or {})
        if value is not None:
            data = value.model_dump_json().encode()
            given["Content-Type"] = "application/json"
        elif data is not None:
            given["Content-Type"] = "application/octet-stream"
        with self._asked(method, path, data=data, headers=given) as found:
            return read(self.address, HttpAnswer.of(found, MAX_BYTES), kind)

    def answer(self, path: str, max_bytes: int = MAX_BYTES, **request: Any) -> HttpAnswer:
        """
        Ask for anything, with as many attempts as it takes; the arguments are those of `requests`.

        Raises:
            LadderError: If the ladder refuses.
            RemoteError: If it does not answer.
        """
        for pause in (*PAUSES, None):
            try:
                with self._asked("GET", path, **request) as found:
                    if found.status_code not in NO_ANSWER or pause is None:
                        return HttpAnswer.of(found, max_bytes)
                    pause = _pause(found, pause)
            except _NoAnswer:
                if pause is None:
                    raise
            self._wait(pause)
        raise AssertionError

    @contextmanager
    def stream(self, path: str) -> Iterator[requests.Response]:
        """
        Open a stream of events.

        Raises:
            LadderError: If the ladder refuses.
            RemoteError: If it does not answer, or stops in the middle.
        """
        with self._asked("GET", path, headers={"Accept": "text/event-stream", "Accept-Encoding": "identity"}) as found:
            if found.status_code != 200 or not found.headers.get("Content-Type", "").startswith("text/event-stream"):
                raise refusal(self.address, HttpAnswer.of(found, MAX_BYTES))
            yield found

    @contextmanager
    def _asked(self, method: str, path: str, **request: Any) -> Iterator[requests.Response]:
        """Yield the answer to a request, closed in the end; what goes wrong on the way becomes a sentence."""
        try:
            found = self._follow(method, f"{self.address}{API}{path}", request)
            with found:
                yield found
        except requests.exceptions.SSLError as error:
            raise RemoteError(
                f"{self.address} cannot be trusted: {why(error)}. If an authority of your own signed its certificate, "
                f"set REQUESTS_CA_BUNDLE or SSL_CERT_FILE to that authority's file."
            ) from None
        except requests.exceptions.ProxyError as error:
            raise _NoAnswer(f"The proxy for {self.address} refuses this request: {why(error)}.") from None
        except FAILURES as error:
            raise _NoAnswer(f"{self.address} does not answer: {why(error)}.") from None

    def _follow(self, method: str, address: str, request: dict[str, Any]) -> requests.Response:
        for _ in range(1 + MAX_REDIRECTS):
            found = self._session.request(
                method, address, auth=self._token, timeout=(CONNECTING, READING), allow_redirects=False, stream=True,
                **request,
            )  # fmt: skip
            if not found.is_redirect:
                return found
            request = {**request, "params": None}
            address = urljoin(address, found.headers["Location"])
            found.close()
            if method != "GET" or origin_of(address) != origin_of(self.address):
                raise RemoteError(
                    f"{self.address} redirects to {address!r}, where your token is not valid. If the ladder is "
                    "there now, log in there: pigpen login URL"
                )
        raise RemoteError(f"{self.address} redirects without end.")


class _NoAnswer(RemoteError):
    """Nothing came; it may come at another attempt."""


class _Token(requests.auth.AuthBase):
    """Identifies the caller, whatever a file .netrc says; no message shows it."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def _given(wanted: Mapping[str, object]) -> dict[str, str]:
    words = {True: "true", False: "false"}
    return {
        name.rstrip("_"): words[value] if isinstance(value, bool) else str(value)
        for name, value in wanted.items()
        if value is not None
    }


def _pause(found: requests.Response, usual: float) -> float:
    asked = found.headers.get("Retry-After", "")
    return min(float(asked), MAX_PAUSE) if asked.isascii() and asked.isdigit() else usual

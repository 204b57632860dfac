"""
Asking a remote ladder over HTTP.

The usual variables hold: ``HTTPS_PROXY``, ``HTTP_PROXY`` and ``NO_PROXY`` for proxies (never for this machine itself),
``REQUESTS_CA_BUNDLE`` and ``SSL_CERT_FILE`` for authorities. The token goes to the ladder's own origin alone.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urljoin, urlsplit

import pydantic
import requests
import requests.auth
import urllib3.exceptions

from ladder.app.remote.address import is_loopback, origin_of
from ladder.app.remote.answers import MAX_BYTES, NO_ANSWER, HttpAnswer, read, refusal, why
from ladder.errors import RemoteError
from pigpen.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from ladder.values.value import Value

T = TypeVar("T")
API = "/api/v1"
CONNECTING, READING = 10.0, 60.0
"""Seconds without a connection, and between two bytes of an answer."""
PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further attempt at what may be asked twice."""
MAX_PAUSE = 10.0
"""Seconds that the header Retry-After may ask for."""
MAX_REDIRECTS = 5
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
        for _ in range(MAX_REDIRECTS):
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

"""
Headers of every response, whatever made it; counting and logging of every request.

`fresh` makes answers of the API that are for one person: made for each request, kept nowhere.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import structlog
from starlette.datastructures import URL, MutableHeaders
from starlette.responses import PlainTextResponse, Response

from ladder.entry.networks import neighbourhood_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ladder.site.server.metrics import Metrics
    from ladder.values.value import Value

POLICY = "; ".join(
    (
        "default-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
FAILED = "The site failed; its log says why.\n"
YEAR = 365 * 24 * 3600
REFUSED = (408, 413, 429, 431, 503)
"""The status of requests that a limit refuses."""
REFUSED_SECONDS = 10.0
"""Seconds after a refused request in which those like it are counted and not logged, so that they fill no log."""
MAX_REFUSED = 1000
"""Addresses and statuses for which they are counted; with more, counting begins anew."""

ACCOUNT = re.compile(r"(/(?:o|owners|accounts)/)[^/]+")
"""Names of accounts in addresses of pages and of the API."""
SECRET = re.compile(r"pg[pisd]_[\w-]{8,}")
"""Secrets that open an account, or allow to make one (`ladder.app.accounts.sessions`)."""

log = structlog.get_logger("pigpen.site")


def without_secrets(path: str) -> str:
    """
    Give what may be logged of a path: no secret, and no account's name. Queries and bodies are not logged at all.

    >>> [without_secrets(path) for path in ("/register/pgi_AAAAAAAAAAAA", "/o/ada", "/admin/accounts/ada/role")]
    ['/register/…', '/o/…', '/admin/accounts/…/role']
    """
    return ACCOUNT.sub(r"\1…", SECRET.sub("…", path))


def relative(location: str, scope: Scope) -> str:
    """
    Leave scheme and host out of a redirect to this site itself: they may be those that a proxy uses for it.

    starlette makes such redirects, for a slash too many or one too few, from the header Host, which is a visitor's.
    """
    here, there = URL(scope=scope), urlsplit(location)
    if (there.scheme, there.netloc) != (here.scheme, here.netloc):
        return location
    path = "/" + there.path.lstrip("/")  # two slashes would begin a host
    return urlunsplit(("", "", path, there.query, there.fragment))


class Refusals:
    """Refused requests: of those that come from addresses near each other, with the same status, some are logged."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_kept: int = MAX_REFUSED) -> None:
        self._clock = clock
        self._max_kept = max_kept
        self._kept: dict[tuple[str, int], tuple[float, int]] = {}

    def unlogged(self, address: str, status: int) -> int | None:
        """Give the number of those before it that were not logged; None: this one is not logged either."""
        key, now = (neighbourhood_of(address), status), self._clock()
        until, number = self._kept.get(key, (now, 0))
        if now < until:
            self._kept[key] = until, number + 1
            return None
        if key not in self._kept and len(self._kept) >= self._max_kept:
            self._kept.clear()
        self._kept[key] = now + REFUSED_SECONDS, 0
        return number


class EveryResponse:
    """
    Adds `HEADERS`, counts, and writes one line of the access log for each request; of refused ones for some.

    Redirects within the site become relative.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._refusals = Refusals()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, method = time.perf_counter(), 0, scope["method"]
        if method == "HEAD":
            scope = {**scope, "method": "GET"}  # the server, which knows the first one, leaves the body out

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if location := headers.get("location"):
                    headers["location"] = relative(location, scope)
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", f"max-age={YEAR}")
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception:
            if not status:  # the page that says so has failed, too
                await PlainTextResponse(FAILED, 500)(scope, receive, send_with_headers)
            raise
        finally:
            seconds = time.perf_counter() - started
            route = getattr(scope.get("route"), "path", "")
            self._metrics.served(route, method, status, seconds)
            self._log(scope, method, status, seconds)

    def _log(self, scope: Scope, method: str, status: int, seconds: float) -> None:
        client = scope["client"][0] if scope.get("client") else None
        unlogged = self._refusals.unlogged(client or "", status) if status in REFUSED else 0
        if unlogged is None:
            return
        log.info(
            "request",
            method=method,
            path=without_secrets(scope["path"]),
            status=status,
            ms=round(1000 * seconds, 1),
            client=client,
            **({"unlogged": unlogged} if unlogged else {}),
        )


FRESH_HEADERS = {"Cache-Control": "no-store", "Vary": "Authorization, Cookie"}


def fresh(value: Value | Sequence[Value], status: int = 200) -> Response:
    """Answer with a value, or several, as JSON that neither the site nor anybody between keeps."""
    return Response(json_of(value), status, FRESH_HEADERS, "application/json")


def json_of(value: Value | Sequence[Value]) -> bytes:
    """Write a value, or several, as JSON."""
    if not isinstance(value, list | tuple):
        return value.model_dump_json().encode()  # type: ignore[union-attr]
    return b"[" + b",".join(each.model_dump_json().encode() for each in value) + b"]"

"""What every response carries, whatever made it; what every request is counted and logged by."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import structlog
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ladder.site.server.metrics import Metrics

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

SECRET = re.compile(r"pg[pisd]_[\w-]{8,}")
"""Secrets that open an account, or allow to make one (`ladder.app.accounts.secrets`)."""

log = structlog.get_logger("pigpen.site")


def without_secrets(path: str) -> str:
    """
    Give what may be logged of a path; queries and bodies are not logged at all.

    >>> without_secrets("/register/pgi_AAAAAAAAAAAA")
    '/register/…'
    """
    return SECRET.sub("…", path)


class EveryResponse:
    """Adds `HEADERS`, counts, and writes one line of the access log for each request."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

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
            client = scope.get("client")
            log.info(
                "request",
                method=method,
                path=without_secrets(scope["path"]),
                status=status,
                ms=round(1000 * seconds, 1),
                client=client[0] if client else None,
            )

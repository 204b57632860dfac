"""The origin of a request: whether a page of this site sent it, and what proves that (CSRF)."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.requests import Request

SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""
PLAIN_COOKIE, SAFE_COOKIE = "pigpen_session", "__Host-pigpen_session"
"""The session's, over HTTP and over HTTPS; a browser takes the second from this very host only, over HTTPS."""
CSRF_HEADER = "x-pigpen-csrf"
"""The header in which a script of the site sends what forms have in their field `csrf`."""


def cookie_name(request: Request) -> str:
    """Give the name of the session's cookie."""
    return SAFE_COOKIE if request.url.scheme == "https" else PLAIN_COOKIE


def session_secret(request: Request) -> str:
    """Give the secret in the session's cookie; empty if there is none."""
    return request.cookies.get(cookie_name(request), "")


def csrf_of(request: Request) -> str:
    """Give the token that a form must send back. It follows from the session's secret: other sites do not know it."""
    secret = session_secret(request)
    return hmac.new(secret.encode(errors="surrogatepass"), b"pigpen csrf", hashlib.sha256).hexdigest() if secret else ""


def has_csrf(request: Request, given: str) -> bool:
    """Tell whether a form, or the header of a script, has the token of the session."""
    return hmac.compare_digest(csrf_of(request).encode(), given.encode(errors="surrogatepass"))


def is_same_origin(request: Request) -> bool:
    """
    Tell whether a page of this site sent a request, by what browsers say of it.

    All browsers send at least one of the two headers with what changes something; who sends none is refused.
    """
    origin, fetch = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    if fetch is not None and fetch not in ("same-origin", "none"):
        return False
    return _is_ours(request, origin) if origin is not None else fetch is not None


def _is_ours(request: Request, origin: str) -> bool:
    try:
        given = urlsplit(origin)
    except ValueError:  # brackets that hold no IPv6 address
        return False
    if request.url.scheme == "https" and given.scheme != "https":
        return False
    ours = request.app.state.site.ladder.settings.site_url
    return given.netloc in {request.headers.get("host"), urlsplit(ours).netloc} - {"", None}

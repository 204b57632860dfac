"""The time of a browser's last visit: a cookie with two times, and nothing that tells one visitor from another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "pigpen_visit"
COOKIE_SECONDS = 90 * 24 * 3600
VISIT_SECONDS = 1800
"""A visit is over when the browser has asked for nothing new for this long."""
WRITE_SECONDS = 60
"""The cookie is written again after this long."""
TIMES = re.compile(r"(\d{1,10})-(\d{1,10})", re.ASCII)


class Visit(NamedTuple):
    """The current visit, in Unix time."""

    before: int
    """The end of the visit before it; 0: there was none."""
    last: int
    """The time of the last request for something new; 0: never."""


def visit_of(request: Request, now: float) -> Visit:
    """Read which visit this is; a cookie that makes no sense is none."""
    found = TIMES.fullmatch(request.cookies.get(COOKIE, ""))
    before, last = (int(each) for each in found.groups()) if found else (0, 0)
    if not before <= last <= now:
        return Visit(0, 0)
    return Visit(last, last) if now - last > VISIT_SECONDS else Visit(before, last)


def keep_visit(request: Request, response: Response, visit: Visit, now: float) -> None:
    """Let the browser remember that it was here."""
    if now - visit.last > WRITE_SECONDS:
        response.set_cookie(
            COOKIE,
            f"{visit.before}-{int(now)}",
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )

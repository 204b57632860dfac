"""The pages of the organiser's own texts, and `security.txt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import HTTPException, Request
from starlette.responses import PlainTextResponse, Response

from ladder.site.rendering.own_texts import NAMES, PRIVACY
from ladder.site.rendering.translations import language_of
from ladder.site.server.routing import Router
from ladder.values.people import GUEST_DAYS

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router()


def _own_text(request: Request) -> Response:
    """Show a text of the organiser."""
    site: Site = request.app.state.site
    name = request.url.path.removeprefix("/")
    found = site.own.page(name, language_of(request))
    if found is None and name == PRIVACY:
        settings = site.ladder.settings
        return site.pages.page(request, "privacy.html", lambda: {"settings": settings, "guest_days": GUEST_DAYS})
    if found is None:
        raise HTTPException(404, "This ladder has no such text.")
    written, text = found
    return site.pages.page(request, "own_text.html", lambda: {"name": name, "written": written, "text": text})


for _name in NAMES:
    router.get(f"/{_name}")(_own_text)


@router.get("/.well-known/security.txt")
def security(request: Request) -> Response:
    """Say where a weakness of the site can be told of; see RFC 9116."""
    site: Site = request.app.state.site
    if not site.own.security:
        raise HTTPException(404, "This ladder has no such text.")
    return PlainTextResponse(site.own.security)

"""
The wheels of Pigpen, and the lists of them that pip installs: `pip install -r SITE/wheels/requirements.txt`, and
`SITE/wheels/ladder.txt`, for example, with what an extra needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from starlette.responses import FileResponse, PlainTextResponse, Response

from ladder.app.accounts.links import site_address
from ladder.app.wheels import EXTRAS, requirements
from ladder.errors import LadderError

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = APIRouter()
PLAIN = "requirements"
"""The list without an extra."""
CHECKED = {"Cache-Control": "no-cache"}
"""Kept, but looked after each time: wheels of one version may be made anew."""


@router.get("/wheels/{listed}.txt")
def wheels(request: Request, listed: str) -> Response:
    """Name each wheel by its address and hash. The address is the site's own, whatever a request says of its host."""
    site: Site = request.app.state.site
    if not site.wheels:
        raise LadderError("This site has no wheels of Pigpen.")
    if listed not in (PLAIN, *EXTRAS):
        raise LadderError(f"This site has no list of wheels {listed!r}. Choose one of {', '.join((PLAIN, *EXTRAS))}.")
    extra = "" if listed == PLAIN else listed
    return PlainTextResponse(requirements(site.wheels, site_address(site.ladder.settings), extra), headers=CHECKED)


@router.get("/wheels/{name}")
def wheel(request: Request, name: str) -> Response:
    """Give a wheel."""
    site: Site = request.app.state.site
    found = next((each for each in site.wheels if each.name == name), None)
    if found is None or not found.path.is_file():
        raise LadderError(f"This site has no wheel {name!r}.")
    return FileResponse(found.path, media_type="application/zip", headers=CHECKED)

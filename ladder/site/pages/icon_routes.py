"""
Pictures that browsers, phones and previews of links request besides pages.

Browsers and phones request the icon in sizes of their own, and the manifest. The picture that the preview of a link
shows has the contents of its page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import orjson
from fastapi import Path, Request
from starlette.responses import Response

from ladder.app import matches
from ladder.app.match_replay import deal_replayed
from ladder.site.api.replays import BoardNumber, MatchNumber, RotationNumber
from ladder.site.pictures import previews
from ladder.site.pictures.icons import favicon, icon
from ladder.site.rendering.static_files import FOLDER, palette
from ladder.site.rendering.translations import language_of, translations
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router()
pictures_router = Router()
TOUCH, SMALL, LARGE = 180, 192, 512
"""Pixels: what iPhones put on the screen, and what the manifest of an application must have."""
DAY = 24 * 3600
KEPT = {"Cache-Control": f"public, max-age={DAY}"}


@router.get("/favicon.ico")
def old_icon(_: Request) -> Response:
    """Give the icon to browsers and programs that look for it at its old address."""
    return Response(favicon(), headers=KEPT, media_type="image/x-icon")


@router.get("/apple-touch-icon.png")
def touch_icon(_: Request) -> Response:
    """Give the icon for the screen of a phone, which has no transparent parts."""
    return Response(icon(TOUCH, palette()["sheet"]), headers=KEPT, media_type="image/png")


@router.get("/icon-192.png")
def small_icon(_: Request) -> Response:
    """Give the icon of the manifest."""
    return Response(icon(SMALL, palette()["sheet"]), headers=KEPT, media_type="image/png")


@router.get("/icon-512.png")
def large_icon(_: Request) -> Response:
    """Give the large icon of the manifest."""
    return Response(icon(LARGE, palette()["sheet"]), headers=KEPT, media_type="image/png")


@router.get("/icon.svg")
def vector_icon(_: Request) -> Response:
    """Give the icon at an address that stays."""
    return Response((FOLDER / "icon.svg").read_bytes(), headers=KEPT, media_type="image/svg+xml")


@router.get("/site.webmanifest")
def manifest(request: Request) -> Response:
    """Say what the site is called and looks like where it is put on the screen of a phone."""
    site: Site = request.app.state.site
    language = language_of(request)
    ours = translations(language)

    def make() -> tuple[bytes, str]:
        colours = palette()
        found = {
            "name": ours.gettext("Pigpen: bots play Hearts"),
            "short_name": "Pigpen",
            "lang": "zh-Hans" if language == "zh" else language,
            "start_url": "/",
            "scope": "/",
            "id": "/",
            "display": "minimal-ui",
            "background_color": colours["paper"],
            "theme_color": colours["accent"],
            "icons": [
                {"src": "/icon.svg", "sizes": "any", "type": "image/svg+xml"},
                {"src": f"/icon-{SMALL}.png", "sizes": f"{SMALL}x{SMALL}", "type": "image/png"},
                {"src": f"/icon-{LARGE}.png", "sizes": f"{LARGE}x{LARGE}", "type": "image/png"},
            ],
        }
        return orjson.dumps(found), "application/manifest+json"

    return site.fixed.respond(request, f"{request.url.path} {language}", make)


PNG = "image/png"


@pictures_router.get("/picture.png")
def site_picture(request: Request) -> Response:
    """Draw what stands for pages without a picture of their own."""
    site: Site = request.app.state.site
    return site.fixed.respond(request, request.url.path, lambda: (previews.of_site(), PNG))


@pictures_router.get("/m/{number}/picture.png")
def match_picture(request: Request, number: Annotated[int, Path(ge=1, le=MAX_NUMBER)]) -> Response:
    """Draw a match."""
    site: Site = request.app.state.site
    return site.answers.respond(
        request, request.url.path, lambda: (previews.of_match(matches.match(site.ladder, number)), PNG)
    )


@pictures_router.get("/m/{match}/boards/{board}/{rotation}/picture.png")
def deal_picture(request: Request, match: MatchNumber, board: BoardNumber, rotation: RotationNumber) -> Response:
    """Draw one deal of a match."""
    site: Site = request.app.state.site
    return site.answers.respond(
        request,
        request.url.path,
        lambda: (previews.of_deal(deal_replayed(site.ladder, match, board, rotation)), PNG),
    )

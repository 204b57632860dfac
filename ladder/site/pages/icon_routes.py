"""
Files that browsers, phones and previews of links request besides pages.

Browsers and phones request the icon in sizes of their own, the manifest, and the service worker with the page that it
shows without a connection. The picture that the preview of a link shows has the contents of its page.
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
from ladder.site.rendering.static_files import FOLDER, digest, palette
from ladder.site.rendering.templates import HTML
from ladder.site.rendering.translations import language_of, to_translate, translations
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router()
pictures_router = Router()
TOUCH, SMALL, LARGE = 180, 192, 512
"""Pixels: what iPhones put on the screen, and what the manifest of an application must have."""
DAY = 24 * 3600
MASKABLE = "/icon-maskable.png"
SAFE = 0.6
"""The part of a maskable icon that the drawing fills: a circle of 80 % of its width is never cut."""
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


@router.get(MASKABLE)
def maskable_icon(_: Request) -> Response:
    """Give the icon of the manifest from which phones cut their own shape: its outer parts are background."""
    return Response(icon(LARGE, palette()["sheet"], SAFE), headers=KEPT, media_type="image/png")


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
            "description": ours.gettext("Play Hearts and Gong Zhu, solve puzzles, or write a bot"),
            "categories": ["games", "entertainment"],
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
                {"src": MASKABLE, "sizes": f"{LARGE}x{LARGE}", "type": "image/png", "purpose": "maskable"},
            ],
            "shortcuts": [
                {"name": ours.gettext(to_translate("Today's board")), "url": "/play/today"},
                {"name": ours.gettext(to_translate("Puzzles")), "url": "/puzzles"},
                {"name": ours.gettext(to_translate("Standings")), "url": "/v"},
            ],
        }
        return orjson.dumps(found), "application/manifest+json"

    return site.fixed.respond(request, f"{request.url.path} {language}", make)


@router.get("/offline")
def offline(request: Request) -> Response:
    """Show what a browser keeps for the time without a connection: the same for all readers of a language."""
    site: Site = request.app.state.site
    language = language_of(request)
    return site.fixed.respond(
        request,
        f"{request.url.path} {language}",
        lambda: (site.pages.text(request, language, "offline.html", {}).encode(), HTML),
    )


@router.get("/sw.js")
def service_worker(_: Request) -> Response:
    """Give the service worker; it differs whenever the page that it keeps may."""
    text = f"{(FOLDER / 'service_worker.js').read_text(encoding='utf-8')}// {digest()}\n"
    return Response(text, headers={"Cache-Control": "no-cache"}, media_type="text/javascript")


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

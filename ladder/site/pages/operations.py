"""For the organiser: whether the site works, and its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request
from starlette.responses import PlainTextResponse, Response

from ladder.app import overview
from ladder.app.cluster.worker_states import figures
from ladder.app.health import health
from ladder.site.server.routing import Router
from ladder.site.server.viewer import viewer_of

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router = Router()
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
NOT_KEPT = {"Cache-Control": "no-store"}
PREVIEWS = (
    "Twitterbot",
    "facebookexternalhit",
    "LinkedInBot",
    "Slackbot-LinkExpanding",
    "Discordbot",
    "TelegramBot",
    "WhatsApp",
    "Mastodon",
)
"""Programs that read a page only if a person has sent its link: they may read deals, too."""
COMPUTED = ("/api/", "/compare/", "/me/", "/admin/", "/login", "/register")
DEALS = ("/m/*/boards/", "/play/")
ROBOTS = "\n".join(
    [
        *(f"User-agent: {name}" for name in PREVIEWS),
        *(f"Disallow: {path}" for path in COMPUTED),
        "",
        "User-agent: *",
        "Allow: /play/today",
        *(f"Disallow: {path}" for path in (*COMPUTED, *DEALS)),
        "",
    ]
)


@router.get("/healthz")
def healthz(request: Request) -> Response:
    """Say that the site and its database answer."""
    site: Site = request.app.state.site
    overview.revision(site.ladder)
    return PlainTextResponse("ok\n", headers=NOT_KEPT)


@router.get("/metrics")
def metrics(request: Request) -> Response:
    """Give all figures for Prometheus; those of each worker to organisers alone."""
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    cluster, signs = figures(site.ladder, viewer), health(site.ladder, viewer)
    text = site.metrics.text(overview.counts(site.ladder), cluster, signs)
    return Response(text, headers=NOT_KEPT, media_type=METRICS_TYPE)


@router.get("/robots.txt")
def robots(_: Request) -> Response:
    """Let search engines read what stays: matches, but not each of their deals; none crawls what is computed."""
    return PlainTextResponse(ROBOTS)

"""Announcements of the organiser: a page, a feed (Atom), the API, and the page on which organisers write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Request
from starlette.responses import RedirectResponse, Response

from ladder.app import announcements
from ladder.entry.policy import Act
from ladder.errors import LadderError, UserError
from ladder.site.api.routes import answer
from ladder.site.pages.feeds import Feed, FeedEntry, feed, newest
from ladder.site.rendering.markdown import html_of
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, demand, form_page
from ladder.values.announcements import MAX_TEXT, MAX_TITLE, AnnouncementRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.app.ladder import Ladder
    from ladder.site.server.context import Site

router = Router()
api = Router()
admin_router = Router(prefix="/admin/announcements", dependencies=FOR_PEOPLE)
PATH = "/announcements"
ON_FRONT_PAGE = 3
"""Announcements that the front page shows, the newest ones."""


def shown(ladder: Ladder, level: int, first: int | None = None) -> list[dict[str, object]]:
    """
    Read announcements, with their texts as HTML.

    Args:
        ladder: The ladder.
        level: Of the heading that each has.
        first: How many at most, the newest ones; None: all.
    """
    return [{"row": row, "html": html_of(row.text, level)} for row in announcements.announcements(ladder, first)]


@router.get(PATH)
def page(request: Request) -> Response:
    """Show all announcements, the newest first."""
    site: Site = request.app.state.site
    return site.pages.page(request, "announcements.html", lambda: {"list": shown(site.ladder, 2)})


@router.get(f"{PATH}/feed.atom")
def of_announcements(request: Request) -> Response:
    """Tell feed readers of announcements."""
    site: Site = request.app.state.site

    def make() -> Feed:
        rows = announcements.announcements(site.ladder)
        return Feed("Announcements", PATH, newest(map(_entry, rows)))

    return feed(request, make)


def _entry(row: AnnouncementRow) -> FeedEntry:
    return FeedEntry(f"{PATH}#{row.number}", row.title, row.at, PATH, content=html_of(row.text))


@api.get(PATH, response_model=list[AnnouncementRow])
def rows(request: Request) -> Response:
    """Give all announcements, the newest first."""
    site: Site = request.app.state.site
    return answer(request, lambda: announcements.announcements(site.ladder))


@admin_router.get("")
def written(request: Request) -> Response:
    """Show all announcements to organisers, and a form for a new one."""
    demand(request, Act.ADMINISTER)
    return _written(request)


@admin_router.post("")
def announce(request: Request, form: Form) -> Response:
    """Publish an announcement."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    title, text = form.get("title", ""), form.get("text", "")
    try:
        announcements.announce(site.ladder, viewer, title, text)
    except (LadderError, UserError) as error:
        return _written(request, {"error": error, "title": title, "text": text}, 422)
    return RedirectResponse(f"/admin{PATH}", 303)


@admin_router.post("/{number}/removal")
def remove(request: Request, number: Annotated[int, Path(ge=1, le=MAX_NUMBER)], form: Form) -> Response:
    """Remove an announcement."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    announcements.remove(site.ladder, viewer, number)
    return RedirectResponse(f"/admin{PATH}", 303)


def _written(request: Request, more: Mapping[str, object] | None = None, status: int = 200) -> Response:
    site: Site = request.app.state.site
    values = {"list": shown(site.ladder, 2), "error": "", "title": "", "text": ""}
    limits = {"max_title": MAX_TITLE, "max_text": MAX_TEXT}
    return form_page(request, "admin_announcements.html", values | limits | dict(more or {}), status)

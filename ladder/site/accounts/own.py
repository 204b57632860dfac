"""The account's own pages: bots, submissions, what bots printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app import bots, logs, matches, states
from ladder.app.event import reading
from ladder.app.submit import ordering
from ladder.entry.policy import Act
from ladder.site.accounts import bot_uploads
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.forms import Form, form_page
from ladder.site.server.viewer import FOR_PEOPLE, demand
from ladder.values.accounts import Viewer
from ladder.values.held_events import EventState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.site.server.context import Site

router = APIRouter(prefix="/me", dependencies=FOR_PEOPLE)
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
Before = Annotated[int | None, Query(ge=1, le=MAX_NUMBER)]
SHOWN = 20
"""Submissions, or matches, on a page."""


@router.get("")
def mine(request: Request, before: Before = None) -> Response:
    """Show one's bots and submissions, and where to submit."""
    return _page(request, demand(request, Act.READ_SUBMISSION), before=before)


@router.post("/submissions")
async def submit(request: Request) -> Response:
    """Submit a bot by a form: a folder packed with tar and gzip."""
    viewer = await to_thread.run_sync(demand, request, Act.SUBMIT)
    site: Site = request.app.state.site
    async with bot_uploads.form_of(request) as form:
        try:
            row = await bot_uploads.submit(site.ladder, viewer, form)
        except bot_uploads.NOT_TAKEN as error:
            more = {"error": bot_uploads.sentence_of(error), "name": str(form.get("name", ""))[:64]}
            return await to_thread.run_sync(_page, request, viewer, more, 422)
    return RedirectResponse(f"/me/submissions/{row.id}", 303)


@router.get("/submissions/{number}")
def submission(request: Request, number: Number) -> Response:
    """Show one submission, and how far it has come."""
    viewer = demand(request, Act.READ_SUBMISSION)
    site: Site = request.app.state.site
    row = ordering.submission(site.ladder, viewer, number)
    return form_page(request, "submission.html", {"row": row, "viewer": viewer})


@router.post("/submissions/{number}/withdrawal")
def withdraw(request: Request, number: Number, form: Form) -> Response:
    """Take a submission back that has not ended."""
    viewer = demand(request, Act.SUBMIT)
    site: Site = request.app.state.site
    ordering.withdraw(site.ladder, viewer, number)
    return RedirectResponse(f"/me/submissions/{number}", 303)


@router.post("/bots/{name}/people")
def people(request: Request, name: Annotated[str, Path(max_length=80)], form: Form) -> Response:
    """Let people play with one of one's bots, or no longer."""
    viewer = demand(request, Act.SUBMIT)
    site: Site = request.app.state.site
    states.allow_people(site.ladder, viewer, name, form.get("allowed") == "1")
    return RedirectResponse("/me", 303)


@router.get("/logs")
def matches_of(request: Request, bot: Annotated[str, Query(max_length=80)], before: Before = None) -> Response:
    """Show the matches of one of one's bots, to read what it printed."""
    viewer = demand(request, Act.READ_OUTPUT)
    site: Site = request.app.state.site
    found = logs.matches_of(site.ladder, viewer, bot, before, SHOWN)
    return site.pages.fresh_page(request, "my_matches.html", {"list": found, "bot": bot, "before": before})


@router.get("/logs/{match}/{seat}")
def printed(request: Request, match: Number, seat: Annotated[str, Path(max_length=80)]) -> Response:
    """Show what a bot printed in a match."""
    viewer = demand(request, Act.READ_OUTPUT)
    site: Site = request.app.state.site
    found = logs.logs(site.ladder, viewer, match, seat)
    row = matches.public_match(site.ladder, match)
    return site.pages.fresh_page(request, "my_logs.html", {"logs": found, "match": row})


def _page(
    request: Request,
    viewer: Viewer,
    more: Mapping[str, object] | None = None,
    status: int = 200,
    before: int | None = None,
) -> Response:
    site: Site = request.app.state.site
    values = {
        "viewer": viewer,
        "bots": bots.bots(site.ladder, owner=str(viewer.name)),
        "events": [each for each in reading.events(site.ladder) if each.state is not EventState.OVER],
        "list": ordering.submissions(site.ladder, viewer, before, SHOWN, str(viewer.name)),
        "before": before,
        "most": site.ladder.settings.upload_bytes,
        "variants": bot_uploads.VARIANTS,
        "error": "",
        "name": "",
    }
    return form_page(request, "my.html", values | dict(more or {}), status)

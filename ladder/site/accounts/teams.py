"""The page of one's team: found one, invite others by links, join, leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app.accounts import teams
from ladder.entry.policy import Act
from ladder.errors import LadderError
from ladder.site.accounts.login import site_address
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, address_of, demand, form_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer

router = Router(prefix="/me/team", dependencies=FOR_PEOPLE)
PLACE = "/me/team"


@router.get("")
def own_team(request: Request, invitation: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Show one's team, or the team to which a link invites."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    if not invitation:
        return _page(request, viewer)
    site: Site = request.app.state.site
    try:
        name = teams.inviting_team(site.ladder, invitation)
    except LadderError as error:
        return _page(request, viewer, {"error": error}, 422)
    return _page(request, viewer, {"invited_to": name, "invitation": invitation})


@router.post("")
def found_team(request: Request, form: Form) -> Response:
    """Found a team."""
    wanted = form.get("name", "").strip()
    return _change(request, lambda site, viewer: teams.found_team(site.ladder, viewer, wanted), {"wanted": wanted})


@router.post("/invitations")
def invite(request: Request, form: Form) -> Response:
    """Make a link with which one person joins; it is shown once."""
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    site.attempts.count(Attempt.CHANGE_TEAM, address_of(request), str(viewer.name))
    try:
        made = teams.invite(site.ladder, viewer)
    except LadderError as error:
        return _page(request, viewer, {"error": error}, 422)
    link = f"{site_address(request)[:-1]}{PLACE}?invitation={made.secret}"
    return _page(request, viewer, {"made": made, "link": link})


@router.post("/invitations/{number}/revoke")
def revoke(request: Request, number: Annotated[int, Path(ge=1, le=MAX_NUMBER)], form: Form) -> Response:
    """Take a link back."""
    return _change(request, lambda site, viewer: teams.revoke_invitation(site.ladder, viewer, number))


@router.post("/join")
def join(request: Request, form: Form) -> Response:
    """Join a team by a link."""
    secret = form.get("invitation", "")[:100]
    return _change(request, lambda site, viewer: teams.join(site.ladder, viewer, secret))


@router.post("/leaving")
def leave(request: Request, form: Form) -> Response:
    """Leave one's team."""
    return _change(request, lambda site, viewer: teams.leave(site.ladder, viewer))


def _change(
    request: Request, work: Callable[[Site, Viewer], object], more: Mapping[str, object] | None = None
) -> Response:
    viewer = demand(request, Act.CHANGE_ACCOUNT)
    site: Site = request.app.state.site
    site.attempts.count(Attempt.CHANGE_TEAM, address_of(request), str(viewer.name))
    try:
        work(site, viewer)
    except LadderError as error:
        return _page(request, viewer, {**(more or {}), "error": error}, 422)
    return RedirectResponse(PLACE, 303)


def _page(request: Request, viewer: Viewer, more: Mapping[str, object] | None = None, status: int = 200) -> Response:
    site: Site = request.app.state.site
    team, invitations = teams.own_team(site.ladder, viewer)
    values = {
        "viewer": viewer,
        "team": team,
        "invitations": invitations,
        "disabled": teams.disabled_team(site.ladder, viewer),
        "size": site.ladder.settings.team_size,
        "days": teams.LINK_DAYS,
        "error": "",
        "made": None,
        "link": "",
        "invited_to": "",
        "invitation": "",
        "wanted": "",
    }
    return form_page(request, "team.html", values | dict(more or {}), status)

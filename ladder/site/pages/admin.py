"""
Pages of organisers: accounts, invitations, bots, matches that were set aside, submissions, audit log, workers.

One page lists the bots that resemble each other. Here are also the answers to programs that watch the site: whether it
works, and its metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from ladder.app import bots, overview, states
from ladder.app import matches as all_matches
from ladder.app.accounts import groups, managing, registering
from ladder.app.cluster import worker_states
from ladder.app.cluster.remarks import RENEW_DAYS, ago, days_left, has_wrong_clock, slots_of, state_of
from ladder.app.cluster.worker_states import figures
from ladder.app.computing.alike import alike_bots
from ladder.app.health import health
from ladder.app.matches import MatchStatus
from ladder.app.standings_page import ROWS, number_of
from ladder.app.submit import ordering
from ladder.entry.policy import Act
from ladder.errors import LadderError, UserError
from ladder.site.accounts.login import site_address
from ladder.site.rendering.long_tables import bots as found_bots
from ladder.site.rendering.translations import to_translate
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.problems import NOT_SERVED, asker_of
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, demand, form_page, viewer_of
from ladder.values.accounts import Role, Viewer
from ladder.values.alike import LEAST_CHANCE, one_in
from ladder.values.names import NAME_LENGTH
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ladder.site.server.context import Site

router = Router(prefix="/admin", dependencies=FOR_PEOPLE)
Name = Annotated[str, Path(max_length=64)]
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
Before = Annotated[int | None, Query(ge=1, le=MAX_NUMBER)]
SHOWN = 50
NO_NUMBER = to_translate("That is not a number from 0 to 1,000,000.")
NO_ROLE = to_translate("An account is a contestant's or an organiser's.")
RETIRED_BY_US = "taken out by the organiser"


@router.get("")
def accounts(request: Request) -> Response:
    """Show every account, and what can be done with it."""
    return _accounts(request, demand(request, Act.ADMINISTER))


@router.post("/accounts/{name}/disable")
def disable(request: Request, name: Name, form: Form) -> Response:
    """Disable an account."""
    return _change(request, lambda site, viewer: managing.disable(site.ladder, viewer, name, form.get("reason", "")))


@router.post("/accounts/{name}/enable")
def enable(request: Request, name: Name, form: Form) -> Response:
    """Let its owner use an account again."""
    return _change(request, lambda site, viewer: managing.enable(site.ladder, viewer, name))


@router.post("/accounts/{name}/role")
def set_role(request: Request, name: Name, form: Form) -> Response:
    """Make an account an organiser, or a contestant."""
    return _change(request, lambda site, viewer: managing.set_role(site.ladder, viewer, name, _role(form)))


@router.post("/accounts/{name}/quota")
def set_quota(request: Request, name: Name, form: Form) -> Response:
    """Set how many bots an account may submit in 24 hours; without a number the settings decide."""

    def work(site: Site, viewer: Viewer) -> object:
        given = form.get("quota", "").strip()
        return managing.set_quota(site.ladder, viewer, name, number_in(given) if given else None)

    return _change(request, work)


@router.post("/accounts/{name}/group")
def set_group(request: Request, name: Name, form: Form) -> Response:
    """Put an account into a group; without a name into none."""
    wanted = form.get("group", "").strip() or None
    return _change(request, lambda site, viewer: groups.set_group(site.ladder, viewer, name, wanted))


@router.get("/invitations")
def invitations(request: Request) -> Response:
    """Show every invitation, and where to make one."""
    return _invitations(request, demand(request, Act.ADMINISTER))


@router.post("/invitations")
def invite(request: Request, form: Form) -> Response:
    """Make an invitation; its link is shown once."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    name, note = form.get("name", "").strip() or None, form.get("note", "")
    group = form.get("group", "").strip() or None
    try:
        days = number_in(form.get("days", ""))
        made = registering.invite(site.ladder, viewer, _role(form), name, note, days, group)
    except (LadderError, UserError) as error:
        return _invitations(request, viewer, {"error": error}, 422)
    link = f"{site_address(request)}register?invitation={made.secret}"
    return _invitations(request, viewer, {"made": made, "link": link})


@router.post("/invitations/{number}/revoke")
def take_back(request: Request, number: Number, form: Form) -> Response:
    """Take an invitation back."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    registering.take_back(site.ladder, viewer, number)
    return RedirectResponse("/admin/invitations", 303)


@router.get("/bots")
def all_bots(
    request: Request,
    search: Annotated[str, Query(alias="q", max_length=64)] = "",
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """Show every bot, and what can be done with it."""
    demand(request, Act.ADMINISTER)
    return _bots(request, search, page)


@router.post("/bots/{name}/{action}")
def change_bot(request: Request, name: Annotated[str, Path(max_length=80)], action: str, form: Form) -> Response:
    """Suspend a bot, let it play again, or retire it: in one variant, or wherever it plays."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    reason, variant = form.get("reason", ""), form.get("variant", "").strip() or None
    try:
        if action == "suspend":
            states.suspend(site.ladder, viewer, name, reason, variant)
        elif action == "resume":
            states.resume_bot(site.ladder, viewer, name, variant)
        elif action == "retire":
            states.retire(site.ladder, viewer, name, [variant] if variant else [], reason or RETIRED_BY_US)
        else:
            raise UserError(f"A bot can be suspended, resumed or retired; {action[:20]!r} is none of these.")
    except (LadderError, UserError) as error:
        return _bots(request, name.partition("@")[0], 1, {"error": error}, 422)
    return RedirectResponse("/admin/bots", 303)


@router.get("/matches")
def set_aside(request: Request, after: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None) -> Response:
    """Show the matches that were set aside because the platform failed in them too often."""
    demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    found = all_matches.unfinished_matches(site.ladder, MatchStatus.QUARANTINED, after=after, limit=SHOWN)
    return form_page(request, "admin_matches.html", {"list": found, "after": after})


@router.post("/matches/{number}/requeue")
def requeue(request: Request, number: Number, form: Form) -> Response:
    """Put such a match back into the queue."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    states.requeue(site.ladder, viewer, number)
    return RedirectResponse("/admin/matches", 303)


@router.get("/submissions")
def submissions(request: Request, before: Before = None) -> Response:
    """Show everybody's submissions."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    found = ordering.submissions(site.ladder, viewer, before, SHOWN)
    return form_page(request, "admin_submissions.html", {"list": found, "before": before})


@router.get("/alike")
def alike(request: Request, variant: Annotated[str, Query(alias="v", max_length=NAME_LENGTH)] = "") -> Response:
    """Show the bots that resemble each other, as far as that is known."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    found = alike_bots(site.ladder, viewer, variant or None, asker_of(request))
    values = {"found": found, "one_in": one_in, "least": LEAST_CHANCE, "not_served": NOT_SERVED}
    return form_page(request, "admin_alike.html", values)


@router.get("/audit")
def audit(request: Request, before: Before = None) -> Response:
    """Show the audit log, the newest entries first."""
    viewer = demand(request, Act.ADMINISTER)
    site: Site = request.app.state.site
    rows = managing.audit(site.ladder, viewer, SHOWN + 1, before)
    more = rows[SHOWN - 1].id if len(rows) > SHOWN else None
    return form_page(request, "admin_audit.html", {"rows": rows[:SHOWN], "next": more, "before": before})


def _change(request: Request, work: Callable[[Site, Viewer], object]) -> Response:
    """Do something to an account, and show all of them again."""
    viewer = demand(request, Act.ADMINISTER)
    try:
        work(request.app.state.site, viewer)
    except (LadderError, UserError) as error:
        return _accounts(request, viewer, {"error": error}, 422)
    return RedirectResponse("/admin", 303)


def _accounts(
    request: Request, viewer: Viewer, more: Mapping[str, object] | None = None, status: int = 200
) -> Response:
    site: Site = request.app.state.site
    rows = managing.accounts(site.ladder, viewer)
    values = {"viewer": viewer, "rows": rows, "usual": site.ladder.settings.submissions_a_day, "error": ""}
    return form_page(request, "admin.html", values | {"groups": groups.groups(site.ladder)} | dict(more or {}), status)


def _invitations(
    request: Request, viewer: Viewer, more: Mapping[str, object] | None = None, status: int = 200
) -> Response:
    site: Site = request.app.state.site
    rows = registering.invitations(site.ladder, viewer)
    days, of_ladder = registering.USUAL_DAYS, groups.groups(site.ladder)
    values = {"rows": rows, "made": None, "link": "", "error": "", "days": days, "groups": of_ladder}
    return form_page(request, "admin_invitations.html", values | dict(more or {}), status)


def _bots(
    request: Request, search: str, page: int, more: Mapping[str, object] | None = None, status: int = 200
) -> Response:
    site: Site = request.app.state.site
    values = {**found_bots(bots.bots(site.ladder), search, page), "error": ""}
    return form_page(request, "admin_bots.html", values | dict(more or {}), status)


def _role(form: Mapping[str, str]) -> Role:
    try:
        return Role(form.get("role", ""))
    except ValueError:
        raise UserError(NO_ROLE) from None


def number_in(text: str) -> int:
    """
    Read a number of a form.

    Raises:
        UserError: If it is none.
    """
    if not (text.isascii() and text.isdigit() and len(text) < 8 and int(text) <= 1_000_000):
        raise UserError(NO_NUMBER)
    return int(text)


operations_router = Router()
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
COMPUTED = ("/api/", "/compare/", "/analysis", "/me/", "/admin/", "/login", "/register")
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


@operations_router.get("/healthz")
def healthz(request: Request) -> Response:
    """Say that the site and its database answer."""
    site: Site = request.app.state.site
    overview.revision(site.ladder)
    return PlainTextResponse("ok\n", headers=NOT_KEPT)


@operations_router.get("/metrics")
def metrics(request: Request) -> Response:
    """Give all figures for Prometheus; those of each worker to organisers alone."""
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    cluster, signs = figures(site.ladder, viewer), health(site.ladder, viewer)
    text = site.metrics.text(overview.counts(site.ladder), cluster, signs)
    return Response(text, headers=NOT_KEPT, media_type=METRICS_TYPE)


@operations_router.get("/robots.txt")
def robots(_: Request) -> Response:
    """Let search engines read what stays: matches, but not each of their deals; none crawls what is computed."""
    return PlainTextResponse(ROBOTS)


worker_router = Router(prefix="/admin/workers", dependencies=FOR_PEOPLE)
WorkerName = Annotated[str, Path(max_length=NAME_LENGTH)]


@worker_router.get("")
def all_workers(
    request: Request,
    search: Annotated[str, Query(alias="q", max_length=NAME_LENGTH)] = "",
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """Show every worker, and what can be done with it."""
    return _page(request, demand(request, Act.ADMINISTER), search, page)


@worker_router.post("/{name}/drain")
def drain(request: Request, name: WorkerName, form: Form) -> Response:
    """Give a worker no more tasks."""
    return _change_workers(
        request, lambda site, viewer: worker_states.drain(site.ladder, viewer, name, form.get("reason", ""))
    )


@worker_router.post("/{name}/resume")
def resume(request: Request, name: WorkerName, form: Form) -> Response:
    """Let a worker play again."""
    return _change_workers(request, lambda site, viewer: worker_states.resume(site.ladder, viewer, name))


@worker_router.post("/{name}/forget")
def forget(request: Request, name: WorkerName, form: Form) -> Response:
    """Strike a worker off the list that has gone."""
    return _change_workers(request, lambda site, viewer: worker_states.forget(site.ladder, viewer, name))


def _change_workers(request: Request, work: Callable[[Site, Viewer], object]) -> Response:
    viewer = demand(request, Act.ADMINISTER)
    try:
        work(request.app.state.site, viewer)
    except LadderError as error:
        return _page(request, viewer, error=error, status=422)
    return RedirectResponse("/admin/workers", 303)


def _page(
    request: Request, viewer: Viewer, search: str = "", page: int = 1, error: str | Exception = "", status: int = 200
) -> Response:
    site: Site = request.app.state.site
    there = worker_states.workers(site.ladder, viewer)
    found = [row for row in there if search.strip().casefold() in row.name.casefold()]
    page, pages = number_of(len(found), page)
    now = time_of(site.ladder.clock())
    shown = found[(page - 1) * ROWS : page * ROWS]
    rows = [
        {
            "worker": row,
            "state": state_of(row),
            "wrong_clock": has_wrong_clock(row),
            "ago": ago((now - row.seen).total_seconds()),
            "renew": (days := days_left(row, now)) is not None and days < RENEW_DAYS,
        }
        for row in shown
    ]
    values = {"rows": rows, "found": len(found), "all": len(there), "slots": slots_of(there), "search": search}
    return form_page(request, "admin_workers.html", {**values, "page": page, "pages": pages, "error": error}, status)

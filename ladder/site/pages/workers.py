"""Workers on other machines, for organisers, and the choice of those that are to play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app.cluster import worker_states
from ladder.app.cluster.remarks import RENEW_DAYS, ago, days_left, has_wrong_clock, slots_of, state_of
from ladder.app.standings_page import ROWS, number_of
from ladder.entry.policy import Act
from ladder.errors import LadderError
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, demand, form_page
from ladder.values.names import NAME_LENGTH
from ladder.values.value import time_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer

router = Router(prefix="/admin/workers", dependencies=FOR_PEOPLE)
Name = Annotated[str, Path(max_length=NAME_LENGTH)]


@router.get("")
def all_workers(
    request: Request,
    search: Annotated[str, Query(alias="q", max_length=NAME_LENGTH)] = "",
    page: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> Response:
    """Show every worker, and what can be done with it."""
    return _page(request, demand(request, Act.ADMINISTER), search, page)


@router.post("/{name}/drain")
def drain(request: Request, name: Name, form: Form) -> Response:
    """Give a worker no more tasks."""
    return _change(request, lambda site, viewer: worker_states.drain(site.ladder, viewer, name, form.get("reason", "")))


@router.post("/{name}/resume")
def resume(request: Request, name: Name, form: Form) -> Response:
    """Let a worker play again."""
    return _change(request, lambda site, viewer: worker_states.resume(site.ladder, viewer, name))


@router.post("/{name}/forget")
def forget(request: Request, name: Name, form: Form) -> Response:
    """Strike a worker off the list that has gone."""
    return _change(request, lambda site, viewer: worker_states.forget(site.ladder, viewer, name))


def _change(request: Request, work: Callable[[Site, Viewer], object]) -> Response:
    viewer = demand(request, Act.ADMINISTER)
    try:
        work(request.app.state.site, viewer)
    except LadderError as error:
        return _page(request, viewer, error=str(error), status=422)
    return RedirectResponse("/admin/workers", 303)


def _page(
    request: Request, viewer: Viewer, search: str = "", page: int = 1, error: str = "", status: int = 200
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

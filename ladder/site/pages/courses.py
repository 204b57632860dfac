"""Pages on which organisers set deadlines of submissions, and quotas of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Request
from starlette.responses import RedirectResponse, Response

from ladder.app import deadlines
from ladder.app.accounts import groups
from ladder.app.overview import names_of
from ladder.entry.deadlines import read_time
from ladder.entry.policy import Act
from ladder.errors import LadderError, UserError
from ladder.site.pages.admin import number_in
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, demand, form_page
from ladder.values.names import NAME_LENGTH
from pigpen.rules import PRESETS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer

router = Router(prefix="/admin", dependencies=FOR_PEOPLE)
DEADLINES, GROUPS = "/deadlines", "/groups"


@router.get(DEADLINES)
def all_deadlines(request: Request) -> Response:
    """Show all deadlines, and a form to set one."""
    demand(request, Act.ADMINISTER)
    return _deadlines(request)


@router.post(DEADLINES)
def set_deadline(request: Request, form: Form) -> Response:
    """Set a deadline: of one variant, or of all that have none of their own."""

    def work(site: Site, viewer: Viewer) -> object:
        return deadlines.set_deadline(site.ladder, viewer, read_time(form.get("time", "").strip()), _variants(form))

    return _change(request, work, DEADLINES, lambda error: _deadlines(request, form, error))


@router.post(f"{DEADLINES}/removal")
def lift_deadline(request: Request, form: Form) -> Response:
    """Lift the deadline of one variant, or all."""

    def work(site: Site, viewer: Viewer) -> object:
        return deadlines.lift_deadline(site.ladder, viewer, _variants(form))

    return _change(request, work, DEADLINES, lambda error: _deadlines(request, error=error))


@router.get(GROUPS)
def all_groups(request: Request) -> Response:
    """Show all groups, with forms for the quotas of each."""
    demand(request, Act.ADMINISTER)
    return _groups(request)


@router.post(f"{GROUPS}/{{group}}/quota")
def set_quota(request: Request, group: Annotated[str, Path(max_length=NAME_LENGTH)], form: Form) -> Response:
    """Set what each account of a group may do; without a number it is as for all others."""

    def work(site: Site, viewer: Viewer) -> object:
        a_day, bots = (form.get(name, "").strip() for name in ("submissions", "bots"))
        numbers = (number_in(a_day) if a_day else None), (number_in(bots) if bots else None)
        return groups.set_group_quota(site.ladder, viewer, group, *numbers)

    return _change(request, work, GROUPS, lambda error: _groups(request, error))


def _change(
    request: Request, work: Callable[[Site, Viewer], object], place: str, again: Callable[[Exception], Response]
) -> Response:
    viewer = demand(request, Act.ADMINISTER)
    try:
        work(request.app.state.site, viewer)
    except (LadderError, UserError) as error:
        return again(error)
    return RedirectResponse(f"/admin{place}", 303)


def _variants(form: Mapping[str, str]) -> tuple[str, ...]:
    wanted = form.get("variant", "").strip()
    return (wanted,) if wanted else ()


def _deadlines(request: Request, form: Mapping[str, str] | None = None, error: str | Exception = "") -> Response:
    site: Site = request.app.state.site
    own = [each for each in names_of(site.ladder) if each not in PRESETS]
    asked = form or {}
    values = {
        "rows": deadlines.deadlines(site.ladder),
        "variants": [*PRESETS, *own],
        "error": error,
        "wanted": asked.get("time", ""),
        "variant": asked.get("variant", ""),
    }
    return form_page(request, "admin_deadlines.html", values, 422 if error else 200)


def _groups(request: Request, error: str | Exception = "") -> Response:
    site: Site = request.app.state.site
    values = {"rows": groups.groups(site.ladder), "usual": site.ladder.settings.submissions_a_day, "error": error}
    return form_page(request, "admin_groups.html", values, 422 if error else 200)

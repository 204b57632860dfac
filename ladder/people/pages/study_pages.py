"""
Studies, as pages and in the API: positions of the analysis board in an order, with comments; some of them are puzzles.

All may read them; their owners change them, and organisers remove them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from starlette.responses import RedirectResponse, Response

from ladder.app.computing.asking import BeingComputed
from ladder.entry.policy import Act, may
from ladder.errors import LadderError, UserError
from ladder.people.pages.puzzle_pages import bars, by_suits, puzzle_values
from ladder.people.pages.request_parts import NOT_KEPT, keep_guest, visitor_of
from ladder.people.review import studies
from ladder.people.review.study_puzzles import (
    NOT_CLEAR,
    answer_study_puzzle,
    judge,
    mark_puzzle,
    study_puzzle,
    unmark_puzzle,
)
from ladder.site.pages.analysis import Given, Variant, address_of_position, position_given, seat_names
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.headers import fresh
from ladder.site.server.problems import asker_of
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, address_of, demand, form_page, viewer_of
from ladder.values.studies import StudyList, StudyPage
from referee.replay.position import text_of_hand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ladder.site.server.context import Site
    from ladder.values.accounts import Viewer
    from ladder.values.studies import StudyEntry
    from referee.replay.position import Position

router, own_router, api_router = Router(), Router(dependencies=FOR_PEOPLE), Router()
Name = Annotated[str, Path(max_length=16)]
"""A study's, in the address of its page."""
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
Before = Annotated[int | None, Query(ge=1, le=MAX_NUMBER, description="The value of `next`.")]


@router.get("/studies")
def all_studies(request: Request, before: Before = None) -> Response:
    """List the public studies, and those of the visitor, with a form for a new one."""
    return _list(request, before)


@router.get("/studies/{name}")
def one_study(request: Request, name: Name) -> Response:
    """Show a study with all its positions; to its owner with forms that change it."""
    return _study(request, name)


@router.get("/studies/{name}/{number}")
def position(request: Request, name: Name, number: Number) -> Response:
    """Show a puzzle of a study; lead to the place of another position."""
    return _puzzle(request, name, number)


@router.post("/studies/{name}/{number}")
def answer(request: Request, name: Name, number: Number, form: Form) -> Response:
    """Take the visitor's answer to a puzzle of a study."""
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    site.attempts.count(Attempt.ANSWER_PUZZLE, address_of(request), viewer.name or "")
    try:
        answer_study_puzzle(site.ladder, viewer, visitor_of(request), name, number, form.get("card", ""))
    except UserError as error:
        return _puzzle(request, name, number, error, 422)
    response = RedirectResponse(f"/studies/{name}/{number}", 303, NOT_KEPT)
    keep_guest(request, response)
    return response


@own_router.post("/studies")
def create(request: Request, form: Form) -> Response:
    """Make a study."""
    site: Site = request.app.state.site
    viewer = _author(request)
    try:
        name = studies.create_study(site.ladder, viewer, form.get("title", ""), _is_public(form))
    except UserError as error:
        return _list(request, None, error, 422)
    return RedirectResponse(f"/studies/{name}", 303, NOT_KEPT)


@own_router.post("/studies/{name}")
def change(request: Request, name: Name, form: Form) -> Response:
    """Change the title of a study, and whether it is listed."""
    site: Site = request.app.state.site
    viewer = _author(request)
    try:
        studies.change_study(site.ladder, viewer, name, form.get("title", ""), _is_public(form))
    except UserError as error:
        return _study(request, name, error, 422)
    return RedirectResponse(f"/studies/{name}", 303, NOT_KEPT)


@own_router.post("/studies/{name}/removal")
def remove(request: Request, name: Name, form: Form) -> Response:
    """Remove a study: its owner, or an organiser, who must be sure."""
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    if form.get("sure") != "1":
        return RedirectResponse(f"/studies/{name}", 303, NOT_KEPT)
    studies.remove_study(site.ladder, viewer, name)
    return RedirectResponse("/studies", 303, NOT_KEPT)


@own_router.post("/studies/{name}/{number}/edit")
def edit(request: Request, name: Name, number: Number, form: Form) -> Response:
    """Change title and comment of a position, move it, remove it, or open a puzzle to all again."""
    site: Site = request.app.state.site
    viewer, act = _author(request), form.get("act", "")
    try:
        if act in ("up", "down"):
            studies.move_position(site.ladder, viewer, name, number, act == "up")
        elif act == "remove":
            studies.remove_position(site.ladder, viewer, name, number)
            return RedirectResponse(f"/studies/{name}", 303, NOT_KEPT)
        elif act == "open":
            unmark_puzzle(site.ladder, viewer, name, number)
        else:
            texts = form.get("title", ""), form.get("comment", "")
            studies.change_position(site.ladder, viewer, name, number, *texts)
    except UserError as error:
        return _study(request, name, error, 422)
    return RedirectResponse(f"/studies/{name}#p{number}", 303, NOT_KEPT)


@own_router.get("/studies/{name}/{number}/puzzle")
def offer_puzzle(request: Request, name: Name, number: Number) -> Response:
    """Show the estimate of a position of one's own study, and a button that makes it a puzzle if it is clear."""
    site: Site = request.app.state.site
    try:
        found = judge(site.ladder, viewer_of(request), name, number, asker_of(request))
    except UserError as error:
        return _study(request, name, error, 422)
    values = {
        "name": name,
        "number": number,
        "why": found.analysis,
        "who": seat_names(request, found.position.rules)[found.analysis.seat],
        "bars": bars(found.analysis.choices),
        "right": found.puzzle.right if found.puzzle else (),
        "not_clear": NOT_CLEAR,
    }
    return form_page(request, "study_puzzle.html", values)


@own_router.post("/studies/{name}/{number}/puzzle")
def make_puzzle(request: Request, name: Name, number: Number, form: Form) -> Response:
    """Make a position of one's own study a puzzle."""
    site: Site = request.app.state.site
    viewer = _author(request)
    try:
        mark_puzzle(site.ladder, viewer, name, number, asker_of(request))
    except BeingComputed:  # it was forgotten meanwhile: that page waits for it
        return RedirectResponse(f"/studies/{name}/{number}/puzzle", 303, NOT_KEPT)
    except UserError as error:
        return _study(request, name, error, 422)
    return RedirectResponse(f"/studies/{name}#p{number}", 303, NOT_KEPT)


@own_router.get("/analysis/{variant}/study")
def choose_study(request: Request, variant: Variant, given: Given) -> Response:
    """Ask to which study a position is added, with what title and comment."""
    demand(request, Act.EDIT_STUDY)
    return _adding(request, position_given(request, variant, given))


@own_router.post("/analysis/{variant}/study")
def add_position(request: Request, variant: Variant, given: Given, form: Form) -> Response:
    """Add a position to a study of one's own, or to a new one; a puzzle is shown its estimate next."""
    site: Site = request.app.state.site
    viewer, position = _author(request), position_given(request, variant, given)
    try:
        texts = studies.checked_texts(form.get("title", ""), form.get("comment", ""))
        name = form.get("study") or studies.create_study(site.ladder, viewer, form.get("new", ""), _is_public(form))
        number = studies.add_position(site.ladder, viewer, name, position, *texts)
    except UserError as error:
        return _adding(request, position, form, error, 422)
    place = f"/studies/{name}/{number}/puzzle" if form.get("puzzle") else f"/studies/{name}#p{number}"
    return RedirectResponse(place, 303, NOT_KEPT)


@api_router.get("/studies", response_model=StudyList)
def study_list(request: Request, before: Before = None) -> Response:
    """List the public studies, the newest first."""
    site: Site = request.app.state.site
    return fresh(studies.studies(site.ladder, before))


@api_router.get("/studies/{name}", response_model=StudyPage)
def study(request: Request, name: Name) -> Response:
    """Give a study; with a token, also what its account may see of puzzles: its own, and those it has answered."""
    site: Site = request.app.state.site
    return fresh(studies.study_page(site.ladder, viewer_of(request), visitor_of(request), name))


def _author(request: Request) -> Viewer:
    """Give the visitor who changes a study; each change counts."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.EDIT_STUDY)
    site.attempts.count(Attempt.EDIT_STUDY, address_of(request), viewer.name or "")
    return viewer


def _is_public(form: Mapping[str, str]) -> bool:
    return form.get("public") == "1"


def _list(request: Request, before: int | None, error: str | Exception = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    values = {
        "found": studies.studies(site.ladder, before),
        "mine": studies.own_studies(site.ladder, viewer),
        "viewer": viewer,
        "before": before,
        "most": studies.MAX_STUDIES,
        "error": error,
    }
    return form_page(request, "studies.html", values, status)


def _study(request: Request, name: str, error: str | Exception = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    viewer = viewer_of(request)
    found = studies.study_page(site.ladder, viewer, visitor_of(request), name)
    values = {
        "study": found,
        "entries": [(entry, _drawn(request, entry)) for entry in found.entries],
        "may_edit": may(viewer, Act.EDIT_STUDY, found.owner),
        "may_remove": may(viewer, Act.REMOVE_STUDY, found.owner),
        "most": studies.MAX_POSITIONS,
        "error": error,
    }
    return form_page(request, "study.html", values, status)


def _puzzle(request: Request, name: str, number: int, error: str | Exception = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    viewer, who = viewer_of(request), visitor_of(request)
    page = study_puzzle(site.ladder, viewer, who, name, number)
    if page is None:
        return RedirectResponse(f"/studies/{name}#p{number}", 303, NOT_KEPT)
    found = studies.study_page(site.ladder, viewer, who, name)
    entry = next(each for each in found.entries if each.number == number)
    more = {
        "study": found,
        "entry": entry,
        "address": f"/studies/{name}/{number}",
        "following": f"/studies/{name}/{page.next}",
        "analysis": _drawn(request, entry).get("address"),
        "error": error,
    }
    return form_page(request, "puzzle.html", {**puzzle_values(site.ladder, page), **more}, status)


def _adding(
    request: Request,
    position: Position,
    form: Mapping[str, str] | None = None,
    error: str | Exception = "",
    status: int = 200,
) -> Response:
    site: Site = request.app.state.site
    address = address_of_position(position)
    values = {
        "mine": studies.own_studies(site.ladder, viewer_of(request)),
        "drawn": _diagram(request, position),
        "variant": position.rules.name,
        "phase": position.deal().phase.name.lower(),
        "board": address,
        "action": address.replace("?", "/study?", 1),
        "most": studies.MAX_POSITIONS,
        "form": dict(form or {}),
        "error": error,
    }
    return form_page(request, "study_add.html", values, status)


def _drawn(request: Request, entry: StudyEntry) -> Mapping[str, object]:
    """Give what a picture of a position shows; nothing if it is hidden, or the ladder plays it no more."""
    site: Site = request.app.state.site
    if entry.position is None:
        return {"suits": by_suits(entry.puzzle.position.hand)} if entry.puzzle else {}
    try:
        position = studies.position_in_study(site.ladder, entry.variant, entry.position)
    except LadderError:
        return {}
    return _diagram(request, position)


def _diagram(request: Request, position: Position) -> Mapping[str, object]:
    """Lay out all hands suit by suit, with the cards of the open trick, and the address of the analysis board."""
    deal = position.deal()
    trick = {play.seat: str(play.card) for play in deal.view(0).trick}
    return {
        "seats": [
            {"name": name, "suits": text_of_hand(hand).split("."), "played": trick.get(seat, "")}
            for seat, (name, hand) in enumerate(zip(seat_names(request, position.rules), deal.hands, strict=True))
        ],
        "acts": deal.to_act,
        "address": address_of_position(position),
    }

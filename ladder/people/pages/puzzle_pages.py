"""
Find the best card: puzzles from the ladder's own records, as pages and in the API.

They show what a seat knew, and to those who have answered, what each card was worth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from pydantic import StringConstraints
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ladder.app.overview import rules_of
from ladder.entry.policy import Act
from ladder.errors import LadderError, TooOften, UserError
from ladder.people.pages.request_parts import NOT_KEPT, keep_guest, visitor_of
from ladder.people.review import puzzles
from ladder.site.rendering.translations import to_translate
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.headers import fresh
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, Form, address_of, demand, form_page, viewer_of
from ladder.values.people import TableVisitor
from ladder.values.value import Value
from ladder.values.why import PuzzleList, PuzzleOverview, PuzzlePage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ladder.app.ladder import Ladder
    from ladder.site.server.context import Site
    from ladder.values.why import OpenChoice

router = Router()
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]
NO_PUZZLE = to_translate("There is no such puzzle. The list of all puzzles: /puzzles")
SUITS = "SHDC"
RANKS = "AKQJT98765432"
SCALE = 100.0
"""Units of a drawing from one end of its scale to the other."""


@router.get("/puzzles")
def all_puzzles(request: Request) -> Response:
    """Count the puzzles of all variants, and the visitor's answers."""
    site: Site = request.app.state.site
    found = puzzles.overview(site.ladder, visitor_of(request))
    return site.pages.fresh_page(request, "puzzles.html", {"found": found})


@router.get("/puzzles/{variant}")
def puzzles_of_variant(
    request: Request,
    variant: Annotated[str, Path(max_length=64)],
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
) -> Response:
    """List the puzzles of a variant."""
    site: Site = request.app.state.site
    rules = rules_of(site.ladder, variant)
    found = puzzles.puzzle_list(site.ladder, rules.name, visitor_of(request), before)
    values = {"found": found, "variant": rules.name, "title": rules.title, "before": before}
    return site.pages.fresh_page(request, "puzzles_of_variant.html", values)


@router.get("/puzzle/{number}")
def one_puzzle(request: Request, number: Number) -> Response:
    """Show what a seat knew and ask for a card; to those who have answered, what each card was worth."""
    return _puzzle(request, number)


@router.post("/puzzle/{number}")
def answer_by_form(request: Request, number: Number, form: Form) -> Response:
    """Take the visitor's answer."""
    site: Site = request.app.state.site
    try:
        site.attempts.count(Attempt.ANSWER_PUZZLE, address_of(request), viewer_of(request).name or "")
        puzzles.answer(site.ladder, number, form.get("card", ""), visitor_of(request))
    except TooOften as error:
        return _puzzle(request, number, error, 429)
    except UserError as error:
        return _puzzle(request, number, error, 422)
    except LadderError:
        raise HTTPException(404, NO_PUZZLE) from None
    response = RedirectResponse(f"/puzzle/{number}", 303, NOT_KEPT)
    keep_guest(request, response)
    return response


def _puzzle(request: Request, number: int, error: str | Exception = "", status: int = 200) -> Response:
    site: Site = request.app.state.site
    try:
        page = puzzles.puzzle_page(site.ladder, number, visitor_of(request))
        values = puzzle_values(site.ladder, page)
    except LadderError:
        raise HTTPException(404, NO_PUZZLE) from None
    values = {**values, "address": f"/puzzle/{number}", "following": f"/puzzle/{page.next}", "study": None}
    return form_page(request, "puzzle.html", {**values, "error": error}, status)


def puzzle_values(ladder: Ladder, page: PuzzlePage) -> Mapping[str, object]:
    """
    Lay out a puzzle: the hand suit by suit, as people hold it; the choices with their bars once there is an answer.

    Raises:
        LadderError: If there is no such variant any more.
    """
    rules = rules_of(ladder, page.position.variant)
    return {
        "puzzle": page,
        "position": page.position,
        "title": rules.title,
        "partners": bool(rules.partners),
        "suits": by_suits(page.position.hand),
        "bars": bars(page.answer.why.choices) if page.answer else [],
    }


def by_suits(hand: Sequence[str]) -> list[list[str]]:
    """Order cards suit by suit, as people hold them; suits without a card are left out."""
    ordered = sorted(hand, key=lambda card: RANKS.index(card[0]))
    suits = [[card for card in ordered if card[1] == suit] for suit in SUITS]
    return [suit for suit in suits if suit]


def puzzle_on_table(ladder: Ladder, number: int) -> Mapping[str, object] | None:
    """Give what a drawing of a puzzle shows: its number, the position, the hand suit by suit; None if it is gone."""
    try:
        position = puzzles.puzzle_page(ladder, number, TableVisitor()).position
    except LadderError:
        return None
    return {"number": number, "position": position, "suits": by_suits(position.hand)}


def bars(choices: Sequence[OpenChoice]) -> list[dict[str, object]]:
    """Draw how far each choice is behind the best one, with its interval."""
    most = max(*(each.behind + each.behind_error for each in choices), 1e-9)

    def at(points: float) -> float:
        return round(min(SCALE, max(0.0, SCALE * points / most)), 1)

    return [
        {
            "choice": each,
            "end": at(each.behind),
            "low": at(each.behind - each.behind_error),
            "high": at(each.behind + each.behind_error),
        }
        for each in choices
    ]


api_router, personal = Router(), Router(dependencies=FOR_PEOPLE)


class PuzzleChoice(Value):
    """The answer to a puzzle."""

    card: Annotated[str, StringConstraints(pattern="^[2-9TJQKA][CDHS]$")]
    """As in a record: `QS`."""


@api_router.get("/puzzles", response_model=PuzzleOverview)
def overview(request: Request) -> Response:
    """Count the puzzles of each variant; with a token, also the account's answers, and how many were right in a row."""
    site: Site = request.app.state.site
    return fresh(puzzles.overview(site.ladder, _reader(request)))


@api_router.get("/puzzles/{variant}", response_model=PuzzleList)
def puzzle_list(
    request: Request,
    variant: Annotated[str, Path(max_length=64)],
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER, description="The value of `next`.")] = None,
) -> Response:
    """List the puzzles of a variant, the newest first."""
    site: Site = request.app.state.site
    return fresh(puzzles.puzzle_list(site.ladder, rules_of(site.ladder, variant).name, _reader(request), before))


@api_router.get("/puzzle/{number}", response_model=PuzzlePage)
def puzzle(request: Request, number: Number) -> Response:
    """Give what a seat knew; with the token of an account that has answered, the answer and why, too."""
    site: Site = request.app.state.site
    return fresh(puzzles.puzzle_page(site.ladder, number, _reader(request)))


@personal.post("/puzzle/{number}", response_model=PuzzlePage)
def answer_puzzle(request: Request, number: Number, choice: PuzzleChoice) -> Response:
    """Answer a puzzle; the first answer of an account counts. Gives the puzzle with that answer, and why."""
    site: Site = request.app.state.site
    viewer = demand(request, Act.READ_SUBMISSION)
    who = TableVisitor(viewer.name)
    puzzles.puzzle_page(site.ladder, number, who)  # 404 where there is none
    site.attempts.count(Attempt.ANSWER_PUZZLE, address_of(request), viewer.name or "")
    puzzles.answer(site.ladder, number, choice.card, who)
    return fresh(puzzles.puzzle_page(site.ladder, number, who))


def _reader(request: Request) -> TableVisitor:
    """Say whose answers are shown: an account's. Programs of guests have none."""
    return TableVisitor(viewer_of(request).name)

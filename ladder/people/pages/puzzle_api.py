"""The API's puzzles: what a seat knew, and to an account that has answered, what each card was worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Path, Query, Request
from pydantic import StringConstraints
from starlette.responses import Response

from ladder.app.overview import rules_of
from ladder.entry.policy import Act
from ladder.people.review import puzzles
from ladder.site.server.attempts import Attempt
from ladder.site.server.context import MAX_NUMBER
from ladder.site.server.headers import fresh
from ladder.site.server.routing import Router
from ladder.site.server.viewer import FOR_PEOPLE, address_of, demand, viewer_of
from ladder.values.people import TableVisitor
from ladder.values.value import Value
from ladder.values.why import PuzzleList, PuzzleOverview, PuzzlePage

if TYPE_CHECKING:
    from ladder.site.server.context import Site

router, personal = Router(), Router(dependencies=FOR_PEOPLE)
Number = Annotated[int, Path(ge=1, le=MAX_NUMBER)]


class PuzzleChoice(Value):
    """The answer to a puzzle."""

    card: Annotated[str, StringConstraints(pattern="^[2-9TJQKA][CDHS]$")]
    """As in a record: `QS`."""


@router.get("/puzzles", response_model=PuzzleOverview)
def overview(request: Request) -> Response:
    """Count the puzzles of each variant; with a token, also the account's answers, and how many were right in a row."""
    site: Site = request.app.state.site
    return fresh(puzzles.overview(site.ladder, _reader(request)))


@router.get("/puzzles/{variant}", response_model=PuzzleList)
def puzzle_list(
    request: Request,
    variant: Annotated[str, Path(max_length=64)],
    before: Annotated[int | None, Query(ge=1, le=MAX_NUMBER, description="The value of `next`.")] = None,
) -> Response:
    """List the puzzles of a variant, the newest first."""
    site: Site = request.app.state.site
    return fresh(puzzles.puzzle_list(site.ladder, rules_of(site.ladder, variant).name, _reader(request), before))


@router.get("/puzzle/{number}", response_model=PuzzlePage)
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

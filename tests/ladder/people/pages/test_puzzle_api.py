"""Puzzles for programs: nothing hidden before the answer, one answer for each account, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ladder.app.accounts import managing
from ladder.people.review.puzzles import LISTED, puzzle_page
from ladder.site.server import attempts
from ladder.site.server.attempts import Attempt
from ladder.values.accounts import LOCAL, Role
from ladder.values.people import TableVisitor
from ladder.values.why import PuzzlePage
from tests.ladder.accounts import token_of
from tests.ladder.puzzles import RIGHT, WRONG, add_puzzles, find_puzzles
from tests.ladder.puzzles import ladder as ladder
from tests.ladder.puzzles import lines as lines
from tests.ladder.site.person import PASSWORD, Program, quick_passwords

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder


def program_of(ladder: Ladder, name: str) -> Program:
    """A program with a token of a contestant."""
    managing.add_with_password(ladder, quick_passwords(), LOCAL, name, Role.CONTESTANT, PASSWORD)
    return Program(ladder, token_of(ladder, name))


def strings(value: object) -> set[str]:
    """All texts in a value."""
    if isinstance(value, dict):
        return set().union(*map(strings, value.values()))
    if isinstance(value, list):
        return set().union(*map(strings, value))
    return {value} if isinstance(value, str) else set()


def test_before_the_answer_nothing_tells_a_hidden_card(ladder: Ladder) -> None:
    assert find_puzzles(ladder) == 1
    position = puzzle_page(ladder, 1, TableVisitor()).position
    known = {*position.hand, *position.passed, *position.received, *(seat.played for seat in position.seats)}
    known |= {card for trick in position.tricks for card in trick}
    ada, guest = program_of(ladder, "ada"), Program(ladder)
    for program in (guest, ada):
        found = program.ask("GET", "/puzzle/1").json()
        assert found["answer"] is None
        assert strings(found) <= known | {"hearts", *(each for seat in position.seats for each in seat.exposed)}
    assert PuzzlePage.model_validate_json(guest.ask("GET", "/puzzle/1").content).position == position
    assert guest.ask("GET", "/puzzle/1").headers["cache-control"] == "no-store"
    assert ada.ask("POST", "/puzzle/1", {"card": position.legal[0]}).json()["answer"]["match"] == 1
    assert ada.ask("GET", "/puzzle/1").json()["answer"]["why"]["choices"]
    for other in (guest, program_of(ladder, "eve")):
        assert other.ask("GET", "/puzzle/1").json()["answer"] is None, "each answers for itself"


def test_puzzles_are_counted_listed_and_answered_once(ladder: Ladder) -> None:
    add_puzzles(ladder, 1, 3)
    ada = program_of(ladder, "ada")
    first = ada.ask("POST", "/puzzle/1", {"card": RIGHT}).json()
    assert (first["answer"]["is_right"], first["streak"], first["next"]) == (True, 1, 3)
    again = ada.ask("POST", "/puzzle/1", {"card": WRONG}).json()
    assert (again["answer"]["choice"], again["answer"]["is_right"]) == (RIGHT, True), "the first answer counts"
    assert ada.ask("POST", "/puzzle/2", {"card": WRONG}).json()["streak"] == 0
    overview: dict[str, Any] = ada.ask("GET", "/puzzles").json()
    assert overview["variants"] == [{"variant": "hearts", "puzzles": 3, "answered": 2, "right": 1, "next": 3}]
    rows = ada.ask("GET", "/puzzles/hearts").json()["puzzles"]
    assert [(row["number"], row["is_right"]) for row in rows] == [(3, None), (2, False), (1, True)]
    older = ada.ask("GET", "/puzzles/hearts?before=2").json()["puzzles"]
    assert [row["number"] for row in older] == [1]
    assert Program(ladder).ask("GET", "/puzzles").json()["variants"][0]["answered"] == 0


@pytest.mark.parametrize("count", [LISTED - 1, LISTED, LISTED + 1, 2 * LISTED + 1])
def test_page_by_page_every_puzzle_comes_once(ladder: Ladder, count: int) -> None:
    add_puzzles(ladder, 1, count)
    pages, before = list[list[int]](), ""
    while not pages or before:
        page = Program(ladder).ask("GET", f"/puzzles/hearts{before}").json()
        pages.append([row["number"] for row in page["puzzles"]])
        before = "" if page["next"] is None else f"?before={page['next']}"
    assert [len(page) for page in pages[:-1]] == [LISTED] * ((count - 1) // LISTED)
    assert [number for page in pages for number in page] == list(range(count, 0, -1))


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "sentence"),
    [
        ("GET", "/puzzle/9", None, 404, "There is no puzzle 9; the list of all is at /puzzles."),
        ("POST", "/puzzle/9", {"card": "QS"}, 404, "There is no puzzle 9"),
        ("POST", "/puzzle/1", {"card": "2C"}, 422, "'2C' cannot be played here; choose one of 4D 9D JD."),
        ("POST", "/puzzle/1", {"card": "queen"}, 422, "card: "),
        ("GET", "/puzzles/bridge", None, 404, "bridge"),
    ],
)
def test_what_makes_no_sense_is_said(
    ladder: Ladder, method: str, path: str, body: dict[str, str] | None, status: int, sentence: str
) -> None:
    add_puzzles(ladder, 1)
    response = program_of(ladder, "ada").ask(method, path, body)
    assert (response.status_code, response.json()["status"]) == (status, status)
    assert sentence in response.json()["detail"]


def test_only_accounts_answer_and_not_without_end(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    add_puzzles(ladder, 1)
    assert Program(ladder).ask("POST", "/puzzle/1", {"card": RIGHT}).status_code == 401
    monkeypatch.setitem(attempts.LIMITS, Attempt.ANSWER_PUZZLE, (2, 2, 3600))
    ada = program_of(ladder, "ada")
    codes = [ada.ask("POST", "/puzzle/1", {"card": RIGHT}).status_code for _ in range(3)]
    assert codes == [200, 200, 429]

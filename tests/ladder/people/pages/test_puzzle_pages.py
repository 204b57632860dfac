"""Puzzles over HTTP: nothing hidden before the answer, one answer for each visitor, and why."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest

from ladder.people.pages.puzzle_pages import NO_PUZZLE
from ladder.people.review.puzzles import puzzle_page
from ladder.site.server import attempts
from ladder.site.server.attempts import Attempt
from ladder.store import models
from ladder.values.people import TableVisitor
from tests.ladder.people.pages.tables_here import TableBrowser, site_here
from tests.ladder.puzzles import RIGHT, WRONG, add_puzzles, find_puzzles
from tests.ladder.puzzles import ladder as ladder
from tests.ladder.puzzles import lines as lines

if TYPE_CHECKING:
    import httpx

    from ladder.app.ladder import Ladder

CARD = re.compile(r"(?<![A-Za-z0-9])([2-9TJQKA][CDHS])\*?(?![A-Za-z0-9])")
FACE = re.compile(r"(10|[2-9JQKA])(?:</b>\s*<span>)?([♣♦♥♠])")
SUITS = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}


@pytest.fixture(autouse=True)
def no_own_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The site's own process looks for none: these tests say when."""
    monkeypatch.setattr("ladder.app.computing.computing_run.look_for_puzzles", lambda ladder, session, now: None)


async def answer(browser: TableBrowser, number: int, card: str) -> httpx.Response:
    return await browser.send(f"/puzzle/{number}", f"/puzzle/{number}", card=card)


def cards_in(text: str) -> set[str]:
    """All cards that a page names, in whatever way."""
    text = html.unescape(text).replace("\ufe0e", "")
    return set(CARD.findall(text)) | {rank.replace("10", "T") + SUITS[suit] for rank, suit in FACE.findall(text)}


async def test_before_the_answer_no_byte_tells_a_hidden_card(ladder: Ladder) -> None:
    assert find_puzzles(ladder) == 1
    position = puzzle_page(ladder, 1, TableVisitor()).position
    known = {*position.hand, *position.passed, *position.received}
    known |= {card for trick in position.tricks for card in trick}
    known |= {seat.played for seat in position.seats if seat.played}
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        page = await browser.client.get("/puzzle/1")
        assert page.status_code == 200
        assert {*position.hand} <= cards_in(page.text) <= known, "the hand is there, and nothing unseen"
        for hidden in ("/m/", "/boards/", "/b/", "Trotter", "behind", "cautious", "commitment", "random"):
            assert hidden not in page.text
        assert page.headers["cache-control"] == "no-store"
        done = await answer(browser, 1, position.legal[0])
        assert (done.status_code, done.headers["location"]) == (303, "/puzzle/1")
        page = await browser.client.get("/puzzle/1")
        assert "/m/1/boards/" in page.text
        assert "cautious" in page.text
        async with TableBrowser(base) as other:
            assert "/m/1/" not in (await other.client.get("/puzzle/1")).text, "each answers for itself"


async def test_right_and_wrong_answers_and_the_row_of_right_ones(ladder: Ladder) -> None:
    add_puzzles(ladder, 1, 3)
    async with site_here(ladder) as base, TableBrowser(base) as browser, TableBrowser(base) as stranger:
        assert 'href="/puzzle/3"' in (await browser.client.get("/puzzles")).text
        for number, card, verdict, row in (
            (1, RIGHT, "Right.", "1 right in a row"),
            (2, RIGHT, "Right.", "2 right in a row"),
            (3, WRONG, "Not the best card.", ""),
        ):
            await answer(browser, number, card)
            page = (await browser.client.get(f"/puzzle/{number}")).text
            assert verdict in page
            assert row in page
            assert ("right in a row" in page) is bool(row)
        assert "answered all puzzles of" in page
        again = await answer(browser, 3, RIGHT)
        assert again.status_code == 303
        assert "Not the best card." in (await browser.client.get("/puzzle/3")).text, "the first answer counts"
        assert "answered: 3, right: 2" in (await browser.client.get("/puzzles")).text
        assert "answered" not in (await stranger.client.get("/puzzles")).text
        rows = (await browser.client.get("/puzzles/hearts")).text
        assert rows.count('class="good">found') == 2
        assert rows.count('class="bad">missed') == 1
        assert "answers to puzzles are" in (await browser.client.get("/play/games")).text
        await browser.send("/play/games", "/play/games/delete", sure="1")
        assert "answered" not in (await browser.client.get("/puzzles")).text, "deleted with one's games"


async def test_what_cannot_be_answered_is_refused_with_a_sentence(
    ladder: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_puzzles(ladder, 1)
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        refused = await answer(browser, 1, "AS")
        assert refused.status_code == 422
        assert "one of 4D 9D JD." in html.unescape(refused.text)
        assert (await browser.client.post("/puzzle/1", data={"card": RIGHT})).status_code == 403, "from another page"
        for path in ("/puzzle/99", "/puzzles/bridge"):
            assert (await browser.client.get(path)).status_code == 404
        assert (await answer(browser, 99, RIGHT)).status_code == 404
        assert NO_PUZZLE in html.unescape((await browser.client.get("/puzzle/99")).text)
        with ladder.database.write() as session:
            session.get_one(models.StoredMatch, 1).sealed = True
        assert (await browser.client.get("/puzzle/1")).status_code == 404
        assert (await answer(browser, 1, RIGHT)).status_code == 404
        assert "/puzzle/1" not in (await browser.client.get("/puzzles")).text
        with ladder.database.write() as session:
            row = session.get_one(models.StoredMatch, 1)
            row.sealed, row.record_kept = False, False
        monkeypatch.setitem(attempts.LIMITS, Attempt.ANSWER_PUZZLE, (1, 1, 3600))
        assert (await answer(browser, 1, RIGHT)).status_code == 303
        page = (await browser.client.get("/puzzle/1")).text
        assert "/boards/" not in page, "the record is gone"
        assert 'href="/m/1"' in page
        refused = await answer(browser, 1, RIGHT)
        assert refused.status_code == 429
        assert "Too many attempts." in refused.text


async def test_without_any_puzzle_the_pages_say_so(ladder: Ladder) -> None:
    async with site_here(ladder) as base, TableBrowser(base) as browser:
        for path in ("/puzzles", "/puzzles/hearts", "/puzzles/gongzhu"):
            page = await browser.client.get(path)
            assert page.status_code == 200
            assert "No puzzle has been" in page.text

"""Puzzles in a real browser: by keyboard and by touch, without scripts, on every screen, in both colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ladder.settings.settings import load_settings
from tests.ladder.ladders import new_ladder, played, recorded_match
from tests.ladder.puzzles import add_puzzles
from tests.ladder.site.browser.looking import findings, overflow
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.ladder.site.browser.tables_served import tables_served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]
TABLET = (820, 1180)
MAX_BYTES = 60_000


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("ladder.app.computing.computing_run.look_for_puzzles", lambda ladder, session, now: None)
    ladder = new_ladder(load_settings(data_dir=tmp_path))
    add_puzzles(ladder, recorded_match(ladder, without_loop(played, "hearts")), 3)
    with tables_served(ladder) as address:
        yield address
    ladder.database.close()


@pytest.mark.parametrize(("size", "dark"), [(PHONE, False), (TABLET, True), (DESKTOP, False)])
def test_everybody_can_read_and_answer_it(address: str, lending: Lending, size: tuple[int, int], dark: bool) -> None:
    page = lending.page(Kind(touch=size == PHONE), size, dark)
    wrong: dict[str, object] = {}

    def look(path: str) -> None:
        named = findings(page, "main", "label-content-name-mismatch")
        found = [*findings(page, "main"), *named, *(["it is too wide"] if overflow(page) > 0 else [])]
        if found or page.locator("h1").count() != 1:
            wrong[path] = found

    for path in ("/puzzles", "/puzzles/hearts", "/puzzle/3"):
        page.goto(address + path)
        look(path)
    box = page.get_by_role("button", name="4 of diamonds").bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 44
    assert page.get_by_role("button", name="2 of clubs").is_disabled()
    right = page.get_by_role("button", name="4 of diamonds")
    right.tap() if size == PHONE else right.click()
    page.wait_for_selector(".verdict")
    look("the answer")
    assert page.get_by_role("status").inner_text().startswith("Right.")
    assert page.locator("table.estimate tbody tr").count() == 3
    assert wrong == {}
    assert page.evaluate("document.documentElement.outerHTML.length") < MAX_BYTES


def test_without_scripts_the_keyboard_alone_answers_and_leads_to_the_next_one(address: str, lending: Lending) -> None:
    page = lending.page(Kind(script=False), DESKTOP)
    page.goto(f"{address}/puzzle/3")
    first = page.locator(".hand button:focus")
    for _ in range(60):
        page.keyboard.press("Tab")
        if first.count():
            break
    assert first.locator(".unseen").inner_text() == "jack of diamonds"
    page.keyboard.press("Enter")
    page.wait_for_selector(".verdict")
    assert "Not the best card." in page.inner_text(".verdict"), "the first one is the jack of diamonds"
    page.get_by_role("link", name="Next puzzle").press("Enter")
    page.wait_for_url("**/puzzle/2")

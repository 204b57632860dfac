"""Studies in a real browser: a whole visit, from the analysis board to the answer of another visitor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from ladder.settings.settings import load_settings
from ladder.values.accounts import Role
from tests.ladder.accounts import add_person, session_of
from tests.ladder.ladders import new_ladder
from tests.ladder.site.browser.looking import COLOURS, findings, off_centre, overflow, too_small
from tests.ladder.site.browser.pages import DESKTOP, PHONE, Kind, without_loop
from tests.ladder.site.browser.tables_served import tables_served
from tests.ladder.studies import GONGZHU, HEARTS, add_to, new_study

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page

    from ladder.app.ladder import Ladder
    from tests.ladder.site.browser.pages import Lending

pytestmark = [pytest.mark.chromium, pytest.mark.usefixtures("few_playouts")]


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ladder]:
    monkeypatch.setattr("ladder.app.computing.computing_run.look_for_puzzles", lambda ladder, session, now: None)
    made = new_ladder(load_settings(data_dir=tmp_path))
    without_loop(add_person, made, "ada", Role.CONTESTANT)
    yield made
    made.database.close()


@pytest.fixture
def address(ladder: Ladder) -> Iterator[str]:
    with tables_served(ladder) as address:
        yield address


def log_in(page: Page, ladder: Ladder, address: str) -> None:
    page.context.add_cookies([{"name": "pigpen_session", "value": session_of(ladder, "ada"), "url": address}])


def wrong_in(page: Page, dark: bool) -> list[object]:
    too_wide = ["it is too wide"] if overflow(page) > 0 else []
    return [*findings(page, "main", COLOURS if dark else ""), *too_wide, *off_centre(page), *too_small(page)]


@pytest.mark.parametrize(("size", "dark"), [(PHONE, False), (DESKTOP, True)])
def test_a_position_comes_from_the_board_into_a_study_and_is_solved_by_another_visitor(
    ladder: Ladder, address: str, lending: Lending, size: tuple[int, int], dark: bool
) -> None:
    wrong: dict[str, object] = {}

    def look(page: Page, name: str) -> None:
        if found := wrong_in(page, dark):
            wrong[name] = found

    page = lending.page(Kind(touch=size == PHONE), size, dark)
    page.goto(address + "/studies")
    expect(page.get_by_role("link", name="Log in to make one")).to_be_visible()
    log_in(page, ladder, address)
    page.goto(f"{address}/analysis/gongzhu?{GONGZHU.query}")
    for _ in range(3):
        page.get_by_role("button", name="Previous card").click()
    add = page.get_by_role("link", name="Add to a study")
    expect(add).not_to_have_attribute("href", re.compile("8H_7H"))
    page.get_by_role("button", name="Next card").click()
    page.get_by_role("button", name="Next card").click()
    page.get_by_role("button", name="Next card").click()
    expect(add).to_have_attribute("href", re.compile("8H_7H"))
    add.click()
    page.get_by_label("Title of the new study").fill("Moons")
    page.get_by_label("Title of the position").fill("The lead")
    page.get_by_label("Comment").fill("The ace takes what is left.")
    page.get_by_label("as a puzzle").check()
    look(page, "adding")
    page.get_by_role("button", name="Add it").click()
    page.get_by_role("button", name="Make it a puzzle").wait_for()  # the page waits for the estimate
    look(page, "the estimate")
    page.get_by_role("button", name="Make it a puzzle").click()
    page.get_by_role("heading", name="Moons").wait_for()
    page.get_by_text("Change:").first.click()
    look(page, "its author's study")
    place = page.url.partition("#")[0]

    page.context.clear_cookies()
    page.goto(place)
    assert "The ace takes" not in page.content()
    assert "AJ10653" not in page.inner_text("main")
    look(page, "the study")
    page.get_by_role("link", name="Solve it").click()
    answer = page.get_by_role("button", name="ace of hearts")
    answer.wait_for()
    look(page, "the puzzle")
    assert GONGZHU.hands not in page.content()
    answer.click()
    page.wait_for_selector(".verdict")
    assert page.get_by_role("status").inner_text().startswith("Right.")
    expect(page.locator("table.estimate tbody tr")).to_have_count(9)
    expect(page.get_by_text("The ace takes what is left.")).to_be_visible()
    look(page, "the answer")
    page.get_by_role("link", name="On the analysis board").click()
    page.wait_for_selector("analysis-board .moves:not([hidden])")
    page.goto(place)
    expect(page.get_by_text("found", exact=True)).to_be_visible()
    expect(page.get_by_text("AJ10653")).to_be_visible()
    assert wrong == {}


def test_without_scripts_a_study_is_ordered_changed_and_deleted(ladder: Ladder, address: str, lending: Lending) -> None:
    name = without_loop(new_study, ladder)
    for given, title in ((GONGZHU, "first"), (HEARTS, "second")):
        without_loop(add_to, ladder, name, given, title)
    page = lending.page(Kind(script=False), DESKTOP)
    log_in(page, ladder, address)
    page.goto(f"{address}/studies/{name}")
    headings = page.locator(".study h2")
    assert headings.all_inner_texts() == ["first", "second"]
    page.locator(".study details summary").nth(1).click()
    page.get_by_role("button", name="Move up").click()
    expect(headings).to_have_text(["second", "first"])
    page.locator(".study details summary").first.click()
    page.locator(".study textarea").first.fill("Two\nlines")
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.locator(".comment")).to_have_text("Two\nlines", use_inner_text=True)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as JSON").click()
    assert saved.value.suggested_filename == f"study-{name}.json"
    page.locator("summary", has_text="Delete the study").click()
    page.get_by_label("with its positions").check()
    page.get_by_role("button", name="Delete the study").click()
    page.wait_for_url(f"{address}/studies")
    assert page.goto(f"{address}/studies/{name}").status == 404  # type: ignore[union-attr]
